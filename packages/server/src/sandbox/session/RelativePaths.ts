import { realpathSync } from "node:fs"
import { isRecord } from "../../internal/Json.ts"

/**
 * Writes the paths in an agent's messages relative to the task's folder. Where the service keeps that folder is of no use
 * to people, and buttons have little room. Raw inputs and outputs, `_meta` and addresses stay as the agent sent them.
 */
export const make = (folder: string): (<A>(value: A) => A) => {
  const folders = [...new Set([folder, realpathSync(folder)])]
  const within = folders.map((path) => new RegExp(`(?<![\\w.:/-])${escape(path)}/(?=[^/\\s])`, "g"))
  const shorten = (value: unknown): unknown => {
    if (typeof value === "string") {
      return folders.some((path) => value.includes(path))
        ? within.reduce((text, pattern) => text.replace(pattern, ""), value)
        : value
    }
    if (Array.isArray(value)) return value.map(shorten)
    if (!isRecord(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, untouched.has(name) ? member : shorten(member)])
    )
  }
  return <A>(value: A) => shorten(value) as A
}

const untouched: ReadonlySet<string> = new Set(["rawInput", "rawOutput", "_meta", "uri", "data", "blob", "optionId"])

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
