/** pnpm as the test command found it, or through npx when the tests are started by hand: program and first arguments. */
export const pnpmCommand = (): readonly [string, ReadonlyArray<string>] => {
  const self = process.env["npm_execpath"]
  return self !== undefined && /pnpm/.test(self) ? [process.execPath, [self]] : ["npx", ["--yes", "pnpm@10"]]
}
