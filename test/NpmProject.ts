import { execFile } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { isBuiltin } from "node:module"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { transform } from "esbuild"
import { parseSync } from "oxc-parser"

const run = promisify(execFile)

/** A folder into which npm installs as a person without a compiler does. */
export interface NpmProject {
  readonly folder: string
  /** Node, npm and a shell; nothing that compiles. */
  readonly env: NodeJS.ProcessEnv
}

/** Makes an empty project, and runs the installation of the READMEs there with the tarballs in place of the registry. */
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
  const packages = [...new Set(readmes.flatMap(installed))].map((name) => tarballs.get(name) ?? name)
  // A tarball's own dependencies among the packages are tarballs, too: the registry may have other versions.
  const others = [...new Set((await Promise.all(packages.map(dependenciesOf))).flat())]
  const files = others.flatMap((name) => tarballs.get(name) ?? [])
  await run("npm", ["install", ...new Set([...packages, ...files])], { cwd: folder, env })
  return { folder, env }
}

/** What the first commands of a README install, as `name` or `name@version`. */
export const installed = (readme: string): ReadonlyArray<string> => {
  const [commands = ""] = blocks(readme, "sh")
  return [...commands.matchAll(/^npm install ([^#\n]+)/gm)]
    .flatMap(([, names = ""]) => names.trim().split(" "))
    .filter((name) => !name.startsWith("--"))
}

/** The packages that a module imports, other than Node's. */
export const importedBy = (file: string, code: string): ReadonlyArray<string> => {
  const { dynamicImports, staticExports, staticImports } = parseSync(file, code).module
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
    ...dynamicImports.map(({ moduleRequest }) =>
      code.slice(moduleRequest.start, moduleRequest.end).replace(/^["']|["']$/g, "")
    )
  ]
    .filter((specifier) => /^(@[\w-]+\/)?[a-z][\w.-]*(\/|$)/.test(specifier) && !isBuiltin(specifier))
    .map((specifier) =>
      specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/")
    )
}

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

/** The packages of this workspace that a tarball depends on, over others too. */
const dependenciesOf = async (tarball: string): Promise<ReadonlyArray<string>> => {
  if (!tarball.endsWith(".tgz")) return []
  const { stdout } = await run("tar", ["-xzOf", tarball, "package/package.json"])
  const { dependencies = {} } = JSON.parse(stdout) as { dependencies?: Record<string, string> }
  return Object.keys(dependencies).filter((name) => name.startsWith("@heddle/"))
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
