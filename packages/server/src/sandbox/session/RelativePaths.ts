import { realpathSync } from "node:fs"
import { isRecord, stringField } from "../../internal/Json.ts"

type Json = Readonly<Record<string, unknown>>

/**
 * Writes the paths in an agent's messages relative to the task's folder: where the service keeps that folder is of no use
 * to people. What a person allows keeps its bytes: commands, changed texts, raw inputs and forms stay as they are.
 */
export interface RelativePaths {
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
  const withPaths = (list: unknown): unknown =>
    Array.isArray(list) ? list.map((each) => changed(each, "path", inPath)) : list
  /** Some agents title the end of a call by a path from the root of the file system, without its slash and the kind. */
  const withoutRoot = (title: unknown): unknown => {
    const start = folders
      .map((path) => path.slice(1))
      .find((path) => typeof title === "string" && title.startsWith(path))
    return typeof title === "string" && start !== undefined ? title.slice(start.length) : title
  }
  const inToolCall = (call: Json): Json => {
    const paths = changed(changed(call, "locations", withPaths), "content", withPaths)
    // The title of any other kind may be a command.
    const isOfFile = fileKinds.has(stringField(call, "kind") ?? "")
    return isOfFile ? changed(paths, "title", (title) => inText(withoutRoot(title), "")) : paths
  }
  return {
    inWords,
    inUpdate: (update) => {
      switch (update["sessionUpdate"]) {
        case "tool_call":
        case "tool_call_update": {
          const told = inToolCall(update)
          return "kind" in update ? told : changed(told, "title", withoutRoot)
        }
        default:
          return update
      }
    },
    inPermission: (params) => {
      const call = changed(params, "toolCall", (toolCall) => (isRecord(toolCall) ? inToolCall(toolCall) : toolCall))
      return changed(call, "options", (options) =>
        Array.isArray(options)
          ? options.map((option) => changed(option, "name", (name) => inText(name, "./")))
          : options
      )
    }
  }
}

/** The value with another member; any other value, and one without the member, as it is. */
const changed = <A>(value: A, name: string, change: (member: unknown) => unknown): A =>
  isRecord(value) && name in value ? { ...value, [name]: change(value[name]) } : value

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
