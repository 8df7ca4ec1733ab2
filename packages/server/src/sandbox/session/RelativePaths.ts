import { realpathSync } from "node:fs"
import { field, isRecord, stringField } from "../../internal/Json.ts"

type Json = Readonly<Record<string, unknown>>

/**
 * Writes the paths in an agent's messages relative to the task's folder: where the service keeps that folder is of no use
 * to people. What a person allows keeps its bytes: commands, changed texts, raw inputs and forms stay as they are. A text
 * beside them does not.
 */
export interface RelativePaths {
  /** Notes which tool calls run commands; an update or a request may leave out the kind. In the order of receipt. */
  readonly note: (update: unknown) => void
  /** In the `update` of a `session/update`, but not in the agent's words: see {@link RelativePaths.inWords}. */
  readonly inUpdate: (update: Json) => Json
  /** In the params of a permission request. */
  readonly inPermission: (params: Json) => Json
  /**
   * In a piece of the agent's words. The end that may be the beginning of a path comes back as `held`, for the next piece.
   * The last piece is `final`.
   */
  readonly inWords: (text: string, before: string, final: boolean) => { readonly text: string; readonly held: string }
}

export const make = (folder: string): RelativePaths => {
  const roots = [...new Set([folder, realpathSync(folder)])]
  const folders = roots.map((path) => `${path}/`)
  // The folder with what follows, or by itself; another folder may begin with the same name.
  const pattern = new RegExp(
    `(?<![\\w.:/-])(?:file://)?(?:${roots.map(escape).join("|")})(?:/+(?=[^/\\s])|/?(?!\\w|-|/|\\.\\w))`,
    "g"
  )
  const inText = (text: unknown, prefix: "" | "./"): unknown =>
    typeof text === "string" && roots.some((path) => text.includes(path))
      ? text.replace(pattern, (found, at: number) =>
          found.endsWith("/") && /^\S/.test(text.slice(at + found.length)) ? prefix : prefix || "."
        )
      : text
  const starts = roots.flatMap((path) => [`${path}/`, `file://${path}/`])
  const inWords: RelativePaths["inWords"] = (text, before, final) => {
    const heldLength = final ? 0 : beginningLength(before, text, starts)
    const said = text.slice(0, text.length - heldLength)
    const replaced = String(inText(before.slice(-1) + said, "./"))
    return { text: replaced.slice(before.slice(-1).length), held: text.slice(said.length) }
  }
  const inPath = (path: unknown): unknown => {
    if (typeof path !== "string") return path
    if (roots.includes(path) || folders.includes(path)) return "."
    const within = folders.find((start) => path.startsWith(start))
    return within === undefined ? path : path.slice(within.length)
  }
  const inWordsOf = (text: unknown) => inText(text, "./")
  const withPaths = (list: unknown): unknown =>
    Array.isArray(list)
      ? list.map((each) =>
          changed(changed(each, "path", inPath), "content", (content) => changed(content, "text", inWordsOf))
        )
      : list
  /** The tool calls that run commands. */
  const commands = new Set<string>()
  const note = (call: unknown) => {
    const id = stringField(call, "toolCallId")
    if (id === undefined) return
    if (runsCommand(call)) commands.add(id)
    else if (stringField(call, "kind") !== undefined) commands.delete(id)
  }
  /** Some agents title the end of a call by a path from the root of the file system, without its slash and the kind. */
  const withoutRoot = (title: unknown): unknown => {
    const start = folders
      .map((path) => path.slice(1))
      .find((path) => typeof title === "string" && title.startsWith(path))
    return typeof title === "string" && start !== undefined ? title.slice(start.length) : title
  }
  const inToolCall = (call: Json): Json => {
    const paths = changed(changed(call, "locations", withPaths), "content", withPaths)
    return commands.has(stringField(call, "toolCallId") ?? "") || runsCommand(call)
      ? paths
      : changed(paths, "title", (title) => inText(withoutRoot(title), ""))
  }
  return {
    inWords,
    note,
    inUpdate: (update) => {
      switch (update["sessionUpdate"]) {
        case "tool_call":
        case "tool_call_update":
          return inToolCall(update)
        case "notice":
          return changed(changed(update, "title", inWordsOf), "description", inWordsOf)
        case "plan":
          return changed(update, "entries", (entries) =>
            Array.isArray(entries) ? entries.map((entry) => changed(entry, "content", inWordsOf)) : entries
          )
        default:
          return update
      }
    },
    inPermission: (params) => {
      note(params["toolCall"])
      const call = changed(params, "toolCall", (toolCall) => (isRecord(toolCall) ? inToolCall(toolCall) : toolCall))
      return changed(call, "options", (options) =>
        Array.isArray(options) ? options.map((option) => changed(option, "name", inWordsOf)) : options
      )
    }
  }
}

/** The value with another member; any other value, and one without the member, as it is. */
const changed = <A>(value: A, name: string, change: (member: unknown) => unknown): A =>
  isRecord(value) && name in value ? { ...value, [name]: change(value[name]) } : value

/** Whether a tool call says that it runs a command; some agents call the kind of that otherwise. */
const runsCommand = (call: unknown): boolean => {
  const kind = stringField(call, "kind") ?? ""
  const input = field(call, "rawInput")
  return kind === "execute" || (!fileKinds.has(kind) && (field(input, "command") ?? field(input, "cmd")) !== undefined)
}

const fileKinds: ReadonlySet<string> = new Set(["read", "edit", "delete", "move", "search"])

/** The length of the end of a text that may go on as one of these beginnings of paths. */
const beginningLength = (before: string, text: string, starts: ReadonlyArray<string>): number => {
  const longest = Math.max(...starts.map(({ length }) => length))
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    if (!/^[/f]/.test(text[text.length - length] ?? "")) continue
    const end = text.slice(-length)
    const previous = (before + text.slice(0, -length)).slice(-1)
    if (starts.some((start) => start.startsWith(end)) && !/[\w.:/-]/.test(previous)) return length
  }
  return 0
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
