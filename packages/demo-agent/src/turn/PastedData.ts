import { looksPasted } from "../data/Csv.ts"
import { findCourtesy } from "../question/Courtesy.ts"
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

/** Guesses where data begins in a text without fences: JSON, a table, or a long text; undefined for a request only. */
const findPastedData = (text: string): { request: string; data: string; mimeType?: string } | undefined => {
  // A list of words within a sentence, such as ["price"], belongs to the request.
  const start = text.search(/(?<=^|[\s:])(?:\{|\[\s*[[{])/)
  const end = Math.max(text.lastIndexOf("]"), text.lastIndexOf("}")) + 1
  if (start >= 0 && start <= MAX_REQUEST_LENGTH && end > start && isJson(text.slice(start, end))) {
    const request = `${text.slice(0, start)} ${text.slice(end)}`.trim()
    return { request, data: text.slice(start, end), mimeType: "application/json" }
  }
  const lines = text.split("\n")
  for (let i = 0; i < Math.min(4, lines.length - 1); i++) {
    const [request, data] = [lines.slice(0, i).join("\n").trim(), lines.slice(i).join("\n").trim()]
    if (request.length > MAX_REQUEST_LENGTH) break
    if (/^\|.*\|[ \t]*\n\|[ :|-]+\|/.test(data)) return { request, data, mimeType: "text/markdown" }
    if (!isAboveData(lines[i], lines[i + 1]) && looksPasted(data)) return { request, data, mimeType: "text/csv" }
    if (/^[[{]\s*["[{\]}\d-]/.test(data)) return { request, data, mimeType: "application/json" }
  }
  if (text.length <= MAX_REQUEST_LENGTH) return undefined
  const [first = "", ...others] = lines
  return /[?:]\s*$/.test(first) && others.length > 0 && first.length <= MAX_REQUEST_LENGTH
    ? { request: first.trim(), data: others.join("\n").trim() }
    : { request: "", data: text.trim() }
}

/** Tells whether a line is words above data, and no header: it ends as a sentence or with a courtesy behind a comma. */
const isAboveData = (line = "", next = ""): boolean =>
  /[.!?:。！？：]\s*$/.test(line) ||
  (!/\d/.test(next) &&
    (/[,，]\s*(?:please|thanks|thank you|谢谢)\s*$/i.test(line) ||
      (/[,，]\s*$/.test(line) && findCourtesy(line) === "greeting")))

const isJson = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && Object.keys(value).length > 0
  } catch {
    // A text that does not parse is simply not JSON.
    return false
  }
}
