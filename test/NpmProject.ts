import { execFile } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { transform } from "esbuild"
import { pnpmCommand } from "./Pnpm.ts"

const run = promisify(execFile)

/** A folder into which npm installs as a person without a compiler does. */
export interface NpmProject {
  readonly folder: string
  /** Node, npm and a shell; nothing that compiles. */
  readonly env: NodeJS.ProcessEnv
}

/** Makes an empty project, and runs the installations of the READMEs there with the tarballs in place of the registry. */
export const make = async (
  folder: string,
  readmes: ReadonlyArray<string>,
  tarballs: ReadonlyMap<string, string>
): Promise<NpmProject> => {
  const tools = join(folder, "tools")
  await mkdir(tools, { recursive: true })
  for (const name of ["node", "npm", "npx", "sh"]) await symlink(found(name), join(tools, name))
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|HEDDLE_|PATH$)/i.test(name))
  const settings = { engine_strict: "true", prefer_offline: "true", audit: "false", fund: "false" }
  const env = {
    ...Object.fromEntries(inherited),
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [`npm_config_${name}`, value])),
    PATH: [tools, join(folder, "node_modules/.bin")].join(delimiter)
  }
  const packages = readmes.flatMap(installed).map((name) => tarballs.get(name) ?? name)
  await run("npm", ["install", ...new Set(packages)], { cwd: folder, env })
  return { folder, env }
}

/**
 * Installs with pnpm, into a project of its own, each of the `projects`: dependencies by the project's name. Nothing else
 * can be imported there. `overrides`: where packages come from, such as tarballs.
 */
export const makeApart = async (
  folder: string,
  projects: Readonly<Record<string, Dependencies>>,
  overrides: Dependencies
): Promise<void> => {
  for (const [name, dependencies] of Object.entries(projects)) {
    await mkdir(join(folder, name), { recursive: true })
    await writeFile(
      join(folder, name, "package.json"),
      JSON.stringify({ name, private: true, type: "module", dependencies })
    )
  }
  await writeFile(join(folder, "pnpm-workspace.yaml"), JSON.stringify({ packages: ["*"], hoist: false, overrides }))
  const [file, first] = pnpmCommand()
  await run(file, [...first, "install", "--prefer-offline", "--ignore-scripts"], { cwd: folder })
}

/** Versions, or places, of packages by their names. */
export type Dependencies = Readonly<Record<string, string>>

/** What the first installation in a README makes dependencies of a project. */
export const dependenciesOf = (readme: string): Dependencies => {
  const asked = installed(readme).map((one) => /^(.+?)(?:@([^@]*))?$/.exec(one)!)
  return Object.fromEntries(asked.map(([, name = "", range = "*"]) => [name, range]))
}

/** What the first installation in a README installs, such as `effect@3`. */
const installed = (readme: string): ReadonlyArray<string> =>
  [...(blocks(readme, "sh")[0] ?? "").matchAll(/^npm install ([^#\n]+)/gm)]
    .flatMap(([, names = ""]) => names.trim().split(" "))
    .filter((name) => !name.startsWith("--"))

/** The code blocks of a README in a language, from the installation on. */
export const blocks = (readme: string, language: "sh" | "ts"): ReadonlyArray<string> =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, code = ""]) => code)

/** Runs an example of a README in the project, with other values in place of its own; resolves with what it prints. */
export const runExample = async (
  { env, folder }: NpmProject,
  code: string,
  values: Readonly<Record<string, string>> = {}
): Promise<string> => {
  const filled = Object.entries(values).reduce((text, [own, other]) => {
    if (!text.includes(own)) throw new Error(`the example has no ${own}`)
    return text.replaceAll(own, () => other)
  }, code)
  await writeFile(join(folder, "example.js"), (await transform(filled, { loader: "ts", format: "esm" })).code)
  const { stderr, stdout } = await run(process.execPath, ["example.js"], { cwd: folder, env, timeout: 60_000 })
  if (stderr !== "") throw new Error(stderr)
  return stdout
}

const found = (name: string): string => {
  const path = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync)
  if (path === undefined) throw new Error(`${name} is not in PATH`)
  return realpathSync(path)
}

/** The README of a package. */
export const readmeOf = (packageFolder: string): Promise<string> => readFile(join(packageFolder, "README.md"), "utf8")
