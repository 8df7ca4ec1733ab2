import type { Messages } from "./Messages.ts"

/** The ids under which a server knows the commands, by their first word. */
export type CommandIds = Readonly<Record<string, string>>

/** Makes each command in backticks one that can be clicked, where the server's id of it is known. */
export const mentionCommands = (text: string, ids: CommandIds): string =>
  text.replace(command, (written, path: string) => {
    const id = ids[path.split(" ")[0] ?? ""]
    return id === undefined ? written : `</${path}:${id}>`
  })

/** All texts of a language with commands that can be clicked in one server. */
export const withMentions = (messages: Messages, ids: CommandIds): Messages => {
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return mentionCommands(value, ids)
    if (typeof value === "function")
      return (...given: ReadonlyArray<unknown>) => walk(Reflect.apply(value, null, given))
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner)]))
  }
  return walk(messages) as Messages
}

/** What people and agents write comes with its backticks escaped, so it is never taken for one. */
const command = /(?<![\\`])`\/([a-z][a-z-]*(?: [a-z][a-z-]*)?)`(?!`)/g
