import type { Messages } from "./Messages.ts"

/** A server's command ids, by the first word of the command. */
export type CommandIds = Readonly<Record<string, string>>

/** Turns each command in backticks into a clickable mention when the server's id is known. */
export const mentionCommands = (text: string, ids: CommandIds): string =>
  text.replace(command, (written, path: string) => {
    const id = ids[path.split(" ")[0] ?? ""]
    return id === undefined ? written : `</${path}:${id}>`
  })

/** A language's texts with command mentions of one server. */
export const withMentions = (messages: Messages, ids: CommandIds): Messages => {
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return mentionCommands(value, ids)
    if (typeof value === "function") return (...args: ReadonlyArray<unknown>) => walk(Reflect.apply(value, null, args))
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner)]))
  }
  return walk(messages) as Messages
}

/** Backticks of people and agents are escaped, so their text never matches. */
const command = /(?<![\\`])`\/([a-z][a-z-]*(?: [a-z][a-z-]*)?)`(?!`)/g
