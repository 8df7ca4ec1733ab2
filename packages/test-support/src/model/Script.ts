import type { Question } from "./Dialect.ts"

/** What the model does with a question. */
export type Action =
  | { readonly _tag: "Say"; readonly words: ReadonlyArray<string> }
  | { readonly _tag: "Slow" }
  | { readonly _tag: "Call"; readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly _tag: "Fail"; readonly status: number; readonly message: string }

/**
 * Reads the last line of the person that is a command:
 *
 * - `say TEXT`
 * - `write PATH TEXT`, `edit PATH OLD NEW`, `run COMMAND`: the agent's own tool for it, and then its result
 * - `call NAME JSON`: any tool
 * - `fail STATUS TEXT`: an error of the model's service
 * - `slow`: a word every 50 ms, for a minute
 * - `recall`: the first text that the person made it say
 */
export const actionOf = ({ texts, toolResult, tools }: Question): Action => {
  if (toolResult !== undefined) return say(`tool said: ${toolResult.slice(0, 300)}`)
  // Agents put a lot around the words of a person.
  const all = texts.join("\n").replaceAll(/<\/?[\w-]+>/g, "")
  const [command = "", ...rest] =
    all
      .split("\n")
      .map((line) => line.trim())
      .findLast((line) => /^((write|edit) \/|(say|run|call|fail|slow|recall)\b)/.test(line))
      ?.split(" ") ?? []
  // An agent that asks for a title, say, offers no tools.
  if (tools.size === 0 && command !== "fail") return say("A title")
  switch (command) {
    case "say":
      return { _tag: "Say", words: rest.map((word) => `${word} `) }
    case "slow":
      return { _tag: "Slow" }
    case "recall":
      return say(/^\s*say (.*)$/m.exec(all)?.[1] ?? "nothing was said")
    case "write":
      return call(tools, writers, writing(rest[0] ?? "", rest.slice(1).join(" ")))
    case "edit":
      return call(tools, editors, editing(rest[0] ?? "", rest[1] ?? "", rest[2] ?? ""))
    case "run":
      return call(tools, runners, running(rest.join(" ")))
    case "call":
      return { _tag: "Call", name: rest[0] ?? "", args: JSON.parse(rest.slice(1).join(" ") || "{}") }
    case "fail":
      return { _tag: "Fail", status: Number(rest[0]), message: rest.slice(1).join(" ") }
    default:
      return say("")
  }
}

const say = (text: string): Action => ({ _tag: "Say", words: [text] })

/** Calls the first of these tools that the agent has, with those of the arguments that it declares. */
const call = (tools: Question["tools"], names: ReadonlyArray<string>, args: ToolArguments): Action => {
  const name = names.find((each) => tools.has(each))
  if (name === undefined) return say(`no such tool among ${[...tools.keys()].join(", ")}`)
  const { patch, ...plain } = args
  const custom = name === "exec" ? inCodeMode(args) : patch
  const declared = Object.entries({ ...plain, custom }).filter(([property]) => tools.get(name)?.includes(property))
  return { _tag: "Call", name, args: Object.fromEntries(declared) }
}

/** The arguments as the agents call them; `patch` is Codex's own format. */
type ToolArguments = Readonly<Record<string, string | boolean>>

const writers = ["Write", "write", "write_file", "apply_patch", "exec"]
const editors = ["Edit", "edit", "replace", "apply_patch", "exec"]
const runners = ["Bash", "bash", "run_shell_command", "exec_command", "exec"]

const writing = (path: string, content: string): ToolArguments => ({
  file_path: path,
  filePath: path,
  content,
  patch: `*** Begin Patch\n*** Add File: ${path}\n+${content}\n*** End Patch\n`
})

const editing = (path: string, before: string, after: string): ToolArguments => ({
  file_path: path,
  filePath: path,
  old_string: before,
  oldString: before,
  new_string: after,
  newString: after,
  instruction: `Replace ${before} by ${after}`,
  patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${before}\n+${after}\n*** End Patch\n`
})

const running = (command: string): ToolArguments => ({
  command,
  cmd: command,
  description: "Runs it",
  is_background: false
})

/** A program for a model that calls its tools from JavaScript. */
const inCodeMode = ({ cmd, patch }: ToolArguments): string =>
  patch === undefined
    ? `text(await tools.exec_command(${JSON.stringify({ cmd })}))`
    : `text(await tools.apply_patch(${JSON.stringify(patch)}))`
