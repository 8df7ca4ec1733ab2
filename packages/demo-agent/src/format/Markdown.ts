import { markdownTable } from "markdown-table"

/** Escapes text that comes from data so that it cannot become markup, and caps its length. */
export const cell = (text: string, cap = 40): string => {
  const flat = text
    .slice(0, cap * 8)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
  return truncate(flat, cap)
    .replace(/[\\`*|<[\]]|~(?=~)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&")
    .replace(/^([#>+-])(?=[\s#>]|$)/, "\\$1")
    .replace(/@/g, "@\u200b")
    .replace(/:\/\//g, ":\u200b//")
}

/** A text of at most this many characters; "…" stands for the rest. */
export const truncate = (text: string, limit: number): string => {
  const characters = Array.from(text.slice(0, limit * 4))
  return characters.length > limit ? `${characters.slice(0, limit - 1).join("")}…` : characters.join("")
}

/** The name of a column or file, in bold, safe. */
export const bold = (name: string): string => `**${cell(name, 60)}**`

/** A note whose quoted values come from data and so must not become markup. */
export const note = (text: string): string => text.replace(/“([^”]*)”/g, (_, value: string) => `“${cell(value)}”`)

/** A Markdown table; the cells must be escaped already. */
export const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  markdownTable([header, ...rows], { alignDelimiters: false })

/** A count with thousands separators and its noun: "1 row", "12,000 rows". */
export const plural = (n: number, one: string, many = `${one}s`): string => `${whole(n)} ${n === 1 ? one : many}`

/** A whole number with thousands separators. */
export const whole = (n: number): string => n.toLocaleString("en-US", { maximumFractionDigits: 0 })

/** A number with as many digits as a reader needs; "–" when there is none. */
export const number = (value: number, unit?: string): string => {
  if (!Number.isFinite(value)) return "–"
  const size = Math.abs(value)
  let text: string
  if (size !== 0 && (size >= 1e15 || size < 1e-4)) text = value.toExponential(2)
  else if (Number.isInteger(value)) text = whole(value)
  else text = value.toLocaleString("en-US", { maximumFractionDigits: size >= 1 ? 2 : 4 })
  if (unit === undefined) return text
  return /^[$£€¥₹₽₩]$/.test(unit) && !text.startsWith("-")
    ? `${unit}${text}`
    : unit === "%"
      ? `${text}%`
      : `${text} ${unit}`
}

/** A date, with its time of day where the column has one. */
export const date = (ms: number, timed = false): string => {
  if (!Number.isFinite(ms)) return "–"
  const iso = new Date(ms).toISOString()
  return timed ? iso.slice(0, 16).replace("T", " ") : iso.slice(0, 10)
}

/** A share as a percentage. */
export const percent = (part: number, total: number): string =>
  total === 0
    ? "0%"
    : `${((part / total) * 100).toLocaleString("en-US", { maximumFractionDigits: part / total < 0.01 ? 2 : 1 })}%`

/** A file size in decimal units: 12 B, 3.4 KB, 10 MB. */
export const size = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 999_500) return `${(bytes / 1000).toFixed(bytes < 9950 ? 1 : 0)} KB`
  return `${(bytes / 1_000_000).toFixed(bytes < 9_950_000 ? 1 : 0)} MB`
}

/** Words joined for reading: "a, b and c". */
export const list = (items: ReadonlyArray<string>, last: "and" | "or" = "and"): string => LISTS[last].format(items)

const LISTS = {
  and: new Intl.ListFormat("en-GB", { type: "conjunction" }),
  or: new Intl.ListFormat("en-GB", { type: "disjunction" })
}
