/** Program and first arguments of pnpm: the one that runs the tests, or npx when they are started by hand. */
export const pnpmCommand = (): readonly [string, ReadonlyArray<string>] => {
  const self = process.env["npm_execpath"]
  return self !== undefined && /pnpm/.test(self) ? [process.execPath, [self]] : ["npx", ["--yes", "pnpm@10"]]
}
