import { looksDelimited } from "../data/Csv.ts"
import type { Attachment } from "../session/Attachment.ts"

const FENCE = /(?:^|\n)([^\n]*)\n?^(`{3,}|~{3,})([^\n`]*)\n([\s\S]*?)(?:\n\2[`~]*[ \t]*(?=\n|$)|$(?![\s\S]))/gm
const FILE_NAME = /([\p{L}\p{N}_.()-]+\.(?:csv|tsv|tab|json|jsonl|ndjson|md|markdown|txt|log))\b/iu

/**
 * Separates the request from data in fenced blocks or below a question. `hasData` is true when the prompt has other
 * data.
 */
export const splitText = (
  text: string,
  hasData: boolean
): { request: string; attachments: ReadonlyArray<Attachment> } => {
  const attachments: Array<Attachment> = []
  const normalized = text.replace(/\r\n?/g, "\n")
  if (/^(?:`{3,}|~{3,})/m.test(normalized)) {
    const request = normalized.replace(FENCE, (_, before: string, __: string, info: string, body: string) => {
      const name = FILE_NAME.exec(info)?.[1] ?? FILE_NAME.exec(before)?.[1] ?? ""
      const language = info.trim().split(/\s/)[0]?.toLowerCase() ?? ""
      attachments.push({ name, mimeType: LANGUAGES.get(language), bytes: Buffer.from(body) })
      return `\n${name !== "" && before.trim().replace(/[:*`]/g, "").trim() === name ? "" : before}\n`
    })
    return { request: request.trim(), attachments }
  }
  if (hasData) return { request: normalized.trim(), attachments }
  const pasted = findPastedData(normalized)
  return pasted === undefined
    ? { request: normalized.trim(), attachments }
    : {
        request: pasted.request,
        attachments: [{ name: "", mimeType: pasted.mimeType, bytes: Buffer.from(pasted.data) }]
      }
}

const LANGUAGES = new Map([
  ["csv", "text/csv"],
  ["tsv", "text/tab-separated-values"],
  ["json", "application/json"],
  ["md", "text/markdown"],
  ["markdown", "text/markdown"]
])

/** A longer text is no request but data, in UTF-16 units. */
const MAX_REQUEST_LENGTH = 600
/** The longest text after pasted JSON, in UTF-16 units. */
const MAX_LENGTH_AFTER_JSON = 100
/** Data begins in one of this many first lines. */
const MAX_START_LINES = 4
/** A shorter text, in lines that are not blank, is no data. */
const MIN_DATA_LINES = 6
/** The longest question above data, in UTF-16 units. */
const MAX_QUESTION_LENGTH = 200

/**
 * Guesses where data begins in a text without fences; undefined when the text is a request only. The first guess that
 * fits wins:
 * 1. valid JSON with a short text before and after it
 * 2. from one of the first lines on, a table or the beginning of JSON
 * 3. for a long text, the lines below a question or a colon
 * 4. for a long text, all of it
 */
const findPastedData = (text: string): { request: string; data: string; mimeType?: string } | undefined => {
  const start = text.search(/(?<=^|[\s:])[[{]/)
  const end = Math.max(text.lastIndexOf("]"), text.lastIndexOf("}")) + 1
  if (start >= 0 && start <= MAX_REQUEST_LENGTH && end > start && text.length - end <= MAX_LENGTH_AFTER_JSON) {
    const data = text.slice(start, end)
    if (isJson(data)) {
      const request = `${text.slice(0, start)} ${text.slice(end)}`.trim()
      return { request, data, mimeType: "application/json" }
    }
  }
  const lines = text.split("\n")
  for (let i = 0; i < Math.min(MAX_START_LINES, lines.length - 1); i++) {
    const rest = lines.slice(i).join("\n").trim()
    if (i > 0 && lines.slice(0, i).join("\n").length > MAX_REQUEST_LENGTH) break
    if (/^\|.*\|[ \t]*\n\|[ :|-]+\|/.test(rest))
      return { request: lines.slice(0, i).join("\n").trim(), data: rest, mimeType: "text/markdown" }
    if (looksDelimited(rest)) return { request: lines.slice(0, i).join("\n").trim(), data: rest, mimeType: "text/csv" }
    if (/^[[{]\s*["[{\]}\d-]/.test(rest))
      return { request: lines.slice(0, i).join("\n").trim(), data: rest, mimeType: "application/json" }
  }
  if (text.length <= MAX_REQUEST_LENGTH && lines.filter((line) => line.trim() !== "").length < MIN_DATA_LINES)
    return undefined
  const first = lines[0] ?? ""
  const endsAsQuestion = first.length <= MAX_QUESTION_LENGTH && /[?:]\s*$/.test(first) && lines.length > 1
  return endsAsQuestion
    ? { request: first.trim(), data: lines.slice(1).join("\n").trim() }
    : { request: "", data: text.trim() }
}

const isJson = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && Object.keys(value).length > 0
  } catch {
    // A text that does not parse is simply not JSON.
    return false
  }
}
