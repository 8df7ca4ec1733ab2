import { markdownTable } from "markdown-table"
import * as Language from "./Language.ts"

/** Escapes text from data so that it cannot become markup, in at most `limit` characters. */
export const escapeText = (text: string, limit = 40): string => {
  const singleLine = text
    .slice(0, limit * 8)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
  // A zero-width space after "@" and inside "://" keeps clients from showing mentions and links.
  return truncate(singleLine, limit)
    .replace(/[\\`*|<[\]]|~(?=~)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&")
    .replace(/^([#>+-])(?=[\s#>]|$)/, "\\$1")
    .replace(/@/g, "@\u200b")
    .replace(/:\/\//g, ":\u200b//")
}

/** Cuts a text to at most this many characters; "…" stands for the rest. */
export const truncate = (text: string, limit: number): string => {
  const characters = Array.from(text.slice(0, limit * 4))
  return characters.length > limit ? `${characters.slice(0, limit - 1).join("")}…` : characters.join("")
}

/** The name of a column or file in bold, escaped. */
export const bold = (name: string): string => `**${escapeText(name, 60)}**`

/** Escapes the quoted parts of a note, which come from data. */
export const escapeQuoted = (text: string): string =>
  text.replace(/“([^”]*)”/g, (_, value: string) => `“${escapeText(value)}”`)

/** A Markdown table of escaped cells. */
export const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  markdownTable([header, ...rows], { alignDelimiters: false })

/** A count with thousands separators and its noun: "1 row", "12,000 rows". */
export const plural = (n: number, one: string, many = `${one}s`): string => `${integer(n)} ${n === 1 ? one : many}`

/** A whole number with thousands separators. */
export const integer = (n: number): string => n.toLocaleString("en-US", { maximumFractionDigits: 0 })

/** A number with two to four decimals; "–" when there is none. */
export const number = (value: number, unit?: string): string => {
  if (!Number.isFinite(value)) return "–"
  const magnitude = Math.abs(value)
  let text: string
  if (magnitude !== 0 && (magnitude >= 1e15 || magnitude < 1e-4)) text = value.toExponential(2)
  else if (Number.isInteger(value)) text = integer(value)
  else text = value.toLocaleString("en-US", { maximumFractionDigits: magnitude >= 1 ? 2 : 4 })
  if (unit === undefined) return text
  return /^[^\p{L}\p{N}\s%°]|^[A-Z]{1,2}\$$/u.test(unit)
    ? text.replace(/^-?/, (sign) => `${sign}${unit}`)
    : unit === "%" || /^\p{Script=Han}/u.test(unit)
      ? `${text}${unit}`
      : `${text} ${unit}`
}

/** How much of a date is written. */
export type DatePrecision = "year" | "month" | "day" | "minute"

/** A date with this precision. */
export const date = (ms: number, precision: DatePrecision): string =>
  Number.isFinite(ms)
    ? new Date(ms).toISOString().slice(0, { year: 4, month: 7, day: 10, minute: 16 }[precision]).replace("T", " ")
    : "–"

/** A file size in decimal units: 12 B, 3.4 KB, 10 MB. */
export const fileSize = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 999_500) return `${(bytes / 1000).toFixed(bytes < 9950 ? 1 : 0)} KB`
  return `${(bytes / 1_000_000).toFixed(bytes < 9_950_000 ? 1 : 0)} MB`
}

/** Joins items to "a, b and c". */
export const joinWords = (items: ReadonlyArray<string>, conjunction: "and" | "or" = "and"): string =>
  Language.pick(LISTS)[conjunction].format(items)

const listsIn = (locale: string) => ({
  and: new Intl.ListFormat(locale, { type: "conjunction" }),
  or: new Intl.ListFormat(locale, { type: "disjunction" })
})

const LISTS = { english: listsIn("en-GB"), chinese: listsIn("zh-CN") }
