import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { split } from "shlex"

/** How the guide says that one agent is installed and started. */
export interface AgentRecipe {
  readonly name: string
  /** Packages with their exact versions. */
  readonly packages: Readonly<Record<string, string>>
  /** The variables of the agent; undefined where the reader has to know the value. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The command of the agent, with the programs in `test/agents`. */
  readonly command: ReadonlyArray<string>
  /** Whether the recipe allows namespaces. */
  readonly namespaces: boolean
  /** Why the agent cannot run here; undefined where it can. */
  readonly problem: string | undefined
}

const fromRoot = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
const agents = fromRoot("test/agents")

/** Reads the recipes of `apps/docs/guide/agent-recipes.md`. */
export const read = (): ReadonlyArray<AgentRecipe> =>
  Fs.readFileSync(fromRoot("apps/docs/guide/agent-recipes.md"), "utf8")
    .split(/^## /m)
    .flatMap((section) => {
      const block = /```sh\n([^]*?)```/.exec(section)?.[1]
      return block === undefined ? [] : [recipeOf(section.split("\n", 1)[0] ?? "", block)]
    })

const recipeOf = (name: string, block: string): AgentRecipe => {
  const lines = block
    .trim()
    .split("\n")
    .map((line) => split(line.replaceAll("$HOME/agents", agents)))
  const packages = lines
    .filter(([program, verb]) => program === "npm" && verb === "install")
    .flatMap((words) => words.filter((word) => /.@\d/.test(word)))
    .map((word): [string, string] => [word.slice(0, word.lastIndexOf("@")), word.slice(word.lastIndexOf("@") + 1)])
  const exported = lines
    .filter(([program]) => program === "export")
    .map(([, assignment = ""]) => /^(\w+)=([^]*)$/.exec(assignment) ?? [])
  const start = lines.find((words) => words.includes("start")) ?? []
  const valuesOf = (flag: string) => start.flatMap((word, n) => (word === flag ? [start[n + 1] ?? ""] : []))
  const passed = valuesOf("--agent-env")
  const command = split(valuesOf("--agent")[0] ?? "").map(installed)
  return {
    name,
    packages: Object.fromEntries(packages),
    environment: Object.fromEntries(
      exported
        .filter(([, variable = ""]) => passed.includes(variable))
        .map(([, variable = "", value]) => [variable, value === "…" ? undefined : value])
    ),
    command,
    namespaces: valuesOf("--agent-namespaces")[0] === "on",
    problem: problemOf(command, packages)
  }
}

const installed = (word: string, position: number): string => {
  const program = Path.join(agents, "node_modules/.bin", word)
  return position === 0 && Fs.existsSync(program) ? program : word
}

const problemOf = (command: ReadonlyArray<string>, packages: ReadonlyArray<readonly [string, string]>) => {
  for (const [name, version] of packages) {
    const manifest = Path.join(agents, "node_modules", name, "package.json")
    if (!Fs.existsSync(manifest)) return `${name} is not installed; node scripts/install-agents.mjs`
    const { version: actual } = JSON.parse(Fs.readFileSync(manifest, "utf8"))
    if (actual !== version) return `the guide names ${name}@${version}, but ${actual} is installed`
  }
  const missing = command.filter((word) => Path.isAbsolute(word)).find((word) => !Fs.existsSync(word))
  return missing === undefined ? undefined : `${missing} does not exist`
}
