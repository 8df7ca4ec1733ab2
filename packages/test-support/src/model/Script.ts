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
 * - `write PATH TEXT`, `run COMMAND`: the agent's own tool for it, and then its result
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
      .findLast((line) => /^(say|write|run|call|fail|slow|recall)\b/.test(line))
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
      return call(tools, writers, { path: rest[0] ?? "", text: rest.slice(1).join(" ") })
    case "run":
      return call(tools, runners, { command: rest.join(" ") })
    case "call":
      return { _tag: "Call", name: rest[0] ?? "", args: JSON.parse(rest.slice(1).join(" ") || "{}") }
    case "fail":
      return { _tag: "Fail", status: Number(rest[0]), message: rest.slice(1).join(" ") }
    default:
      return say("")
  }
}

const say = (text: string): Action => ({ _tag: "Say", words: [text] })

type Tools = Question["tools"]
type Known = Readonly<Record<string, (given: Readonly<Record<string, string>>) => Readonly<Record<string, unknown>>>>

const call = (tools: Tools, known: Known, given: Readonly<Record<string, string>>): Action => {
  const [name, argumentsOf] = Object.entries(known).find(([name]) => tools.has(name)) ?? []
  if (name === undefined || argumentsOf === undefined) return say(`no such tool among ${[...tools.keys()].join(", ")}`)
  return { _tag: "Call", name, args: argumentsOf(given) }
}

const writers: Known = {
  Write: ({ path, text }) => ({ file_path: path, content: text }),
  write: ({ path, text }) => ({ filePath: path, content: text }),
  write_file: ({ path, text }) => ({ file_path: path, content: text }),
  apply_patch: ({ path, text }) => ({ custom: addFile(path, text) }),
  exec: ({ path, text }) => ({ custom: `text(await tools.apply_patch(${JSON.stringify(addFile(path, text))}))` })
}

const runners: Known = {
  Bash: ({ command }) => ({ command, description: "Runs it" }),
  bash: ({ command }) => ({ command, description: "Runs it" }),
  run_shell_command: ({ command }) => ({ command, is_background: false, description: "Runs it" }),
  exec_command: ({ command }) => ({ cmd: command }),
  exec: ({ command }) => ({ custom: `text(await tools.exec_command(${JSON.stringify({ cmd: command })}))` })
}

const addFile = (path = "", text = "") => `*** Begin Patch\n*** Add File: ${path}\n+${text}\n*** End Patch\n`
