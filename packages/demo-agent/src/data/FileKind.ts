import * as Language from "../format/Language.ts"
import { looksDelimited } from "./Csv.ts"

/** The kind of a piece of data, detected from its bytes first, then its MIME type, then its name. */
export type FileKind =
  | {
      readonly kind: "table" | "json" | "json-lines" | "text"
      readonly utf8: Uint8Array
      readonly notes: ReadonlyArray<string>
    }
  | { readonly kind: "empty" }
  | { readonly kind: "binary"; readonly description: string }

/** Detects the kind of a file or a pasted text. */
export const detectFileKind = (bytes: Uint8Array, name: string, mimeType?: string | null): FileKind => {
  if (bytes.length === 0) return { kind: "empty" }
  const binaryFormat = detectBinaryFormat(bytes)
  if (binaryFormat !== undefined) return { kind: "binary", description: binaryFormat }
  const decoded = decode(bytes)
  if (decoded === undefined)
    return { kind: "binary", description: Language.text("binary data of no kind I know", "我不认识的二进制数据") }
  const { text, notes } = decoded
  if (text.trim() === "") return { kind: "empty" }
  const utf8 = notes.length === 0 && !decoded.isReencoded ? bytes : Buffer.from(text)
  return { kind: detectTextKind(text, name.toLowerCase(), mimeType ?? ""), utf8, notes }
}

const detectTextKind = (text: string, name: string, mimeType: string): "table" | "json" | "json-lines" | "text" => {
  if (/\.(csv|tsv|tab)$/.test(name) || /csv|tab-separated/.test(mimeType)) return "table"
  if (/\.(jsonl|ndjson)$/.test(name)) return "json-lines"
  if (name.endsWith(".json") || /json/.test(mimeType)) return "json"
  if (/\.(md|markdown)$/.test(name) || /markdown/.test(mimeType)) return "text"
  const start = text.slice(0, 200).trimStart()
  if (/^[[{]/.test(start) && looksJson(text)) return looksJsonLines(text) ? "json-lines" : "json"
  return looksDelimited(text) ? "table" : "text"
}

/** The first bytes of a format, in hex digits, and its description. */
const SIGNATURES: ReadonlyArray<readonly [magic: string, english: string, chinese: string]> = [
  ["89504e470d0a1a0a", "a PNG image", "PNG 图片"],
  ["ffd8ff", "a JPEG image", "JPEG 图片"],
  ["47494638", "a GIF image", "GIF 图片"],
  ["25504446", "a PDF document", "PDF 文档"],
  ["504b0304", "a ZIP archive or an Office document such as .xlsx", "ZIP 压缩包或 .xlsx 等 Office 文档"],
  ["d0cf11e0a1b11ae1", "an old Office document such as .xls", ".xls 等旧版 Office 文档"],
  ["1f8b08", "gzip-compressed data", "gzip 压缩数据"],
  ["53514c69746520666f726d6174203300", "an SQLite database", "SQLite 数据库"]
]

const detectBinaryFormat = (bytes: Uint8Array): string | undefined => {
  const start = Buffer.from(bytes.subarray(0, 16)).toString("hex")
  const signature = SIGNATURES.find(([magic]) => start.startsWith(magic))
  return signature === undefined ? undefined : Language.text(signature[1], signature[2])
}

const isText = (bytes: Uint8Array): boolean => {
  let controls = 0
  for (const byte of bytes) {
    if (byte === 0) return false
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13 && byte !== 12 && byte !== 27) controls++
  }
  return controls <= bytes.length / 50
}

const decode = (
  bytes: Uint8Array
): { readonly text: string; readonly notes: ReadonlyArray<string>; readonly isReencoded: boolean } | undefined => {
  const [a, b] = bytes
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) {
    const label = a === 0xff ? "utf-16le" : "utf-16be"
    const text = new TextDecoder(label).decode(bytes)
    return {
      text,
      notes: [Language.text(`The text is encoded in ${label.toUpperCase()}.`, `文本的编码是 ${label.toUpperCase()}。`)],
      isReencoded: true
    }
  }
  if (!isText(bytes.subarray(0, 1 << 16))) return undefined
  const lenient = new TextDecoder("utf-8").decode(bytes)
  if (!lenient.includes("\ufffd")) return { text: lenient, notes: [], isReencoded: false }
  const invalidCount = lenient.split("\ufffd").length - 1
  const count = invalidCount.toLocaleString("en-US")
  const note = Language.text(
    `The text is not valid UTF-8 (${count} broken ${invalidCount === 1 ? "place" : "places"}); I read it as Windows-1252, so a few characters may look wrong.`,
    `文本不是有效的 UTF-8（${count} 处损坏）；我按 Windows-1252 读取，所以个别字符可能不对。`
  )
  return { text: new TextDecoder("windows-1252").decode(bytes), notes: [note], isReencoded: true }
}

const looksJson = (text: string): boolean => {
  const end = text.slice(-200).trimEnd()
  return /[\]}]$/.test(end) || /^\s*[[{]\s*["[{\]}\d-]/.test(text.slice(0, 500))
}

const looksJsonLines = (text: string): boolean => {
  const lines = text
    .slice(0, 50_000)
    .split("\n", 4)
    .filter((line) => line.trim() !== "")
  return lines.length > 1 && lines.slice(0, -1).every((line) => /^\{.*\}\s*$/.test(line.trim()))
}
