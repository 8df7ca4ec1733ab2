import { realpathSync } from "node:fs"
import { isRecord, stringField } from "../../internal/Json.ts"

type Json = Readonly<Record<string, unknown>>

/**
 * Writes the paths in an agent's messages relative to the task's folder: where the service keeps that folder is of no use
 * to people. What a person allows keeps its bytes: commands, changed texts, raw inputs and forms stay as they are.
 */
export interface RelativePaths {
  /** In the `update` of a `session/update`. */
  readonly inUpdate: (update: Json) => Json
  /** In the params of a permission request. */
  readonly inPermission: (params: Json) => Json
}

export const make = (folder: string): RelativePaths => {
  const folders = [...new Set([folder, realpathSync(folder)])].map((path) => `${path}/`)
  const patterns = folders.map((path) => new RegExp(`(?<![\\w.:/-])${escape(path)}(?=[^/\\s])`, "g"))
  const inText = (text: unknown, replacement: string): unknown =>
    typeof text === "string" && folders.some((path) => text.includes(path))
      ? patterns.reduce((result, pattern) => result.replace(pattern, replacement), text)
      : text
  const inPath = (path: unknown): unknown => {
    const within = typeof path === "string" ? folders.find((start) => path.startsWith(start)) : undefined
    return typeof path === "string" && within !== undefined && path !== within ? path.slice(within.length) : path
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
    inUpdate: (update) => {
      switch (update["sessionUpdate"]) {
        case "agent_message_chunk":
        case "agent_thought_chunk":
          return changed(update, "content", (content) => changed(content, "text", (text) => inText(text, "./")))
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

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
