import * as Language from "../format/Language.ts"
import { looksDelimited } from "./Csv.ts"

/** The kind of a piece of data, detected from its bytes first, then its name and its MIME type. */
export type FileKind =
  | {
      readonly kind: "table" | "json" | "text"
      readonly text: string
      readonly notes: ReadonlyArray<string>
    }
  | { readonly kind: "empty" }
  | { readonly kind: "binary"; readonly description: string }

/** Detects the kind of a file or a pasted text. */
export const detectFileKind = (bytes: Uint8Array, name: string, mimeType = ""): FileKind => {
  const start = Buffer.from(bytes.subarray(0, 16)).toString("hex")
  const signature = SIGNATURES.find(([magic]) => start.startsWith(magic))
  if (signature !== undefined) return { kind: "binary", description: Language.text(signature[1], signature[2]) }
  const encoding = encodingOf(bytes)
  if (encoding === undefined)
    return { kind: "binary", description: Language.text("binary data of no kind I know", "我不认识的二进制数据") }
  const text = new TextDecoder(encoding).decode(bytes)
  if (text.trim() === "") return { kind: "empty" }
  const note = Language.text(
    `The text is not valid UTF-8; I read it as ${encoding}, so some characters may look wrong.`,
    `文本不是有效的 UTF-8；我按 ${encoding} 读取，所以个别字符可能不对。`
  )
  return { kind: kindOf(text, name.toLowerCase(), mimeType), text, notes: encoding === "utf-8" ? [] : [note] }
}

const kindOf = (text: string, name: string, mimeType: string): "table" | "json" | "text" => {
  if (/\.(csv|tsv|tab)$/.test(name) || /csv|tab-separated/.test(mimeType)) return "table"
  if (/\.(json|jsonl|ndjson)$/.test(name) || /json/.test(mimeType)) return "json"
  if (/\.(md|markdown)$/.test(name) || /markdown/.test(mimeType)) return "text"
  if (/^\s*[[{]\s*["[{\]}\d-]/.test(text.slice(0, 500))) return "json"
  return looksDelimited(text) ? "table" : "text"
}

/** The first bytes of a format, in hex digits, and its description. */
const SIGNATURES: ReadonlyArray<readonly [magic: string, english: string, chinese: string]> = [
  ["89504e470d0a1a0a", "a PNG image", "PNG 图片"],
  ["ffd8ff", "a JPEG image", "JPEG 图片"],
  ["25504446", "a PDF document", "PDF 文档"],
  ["504b0304", "a ZIP archive or an Office document such as .xlsx", "ZIP 压缩包或 .xlsx 等 Office 文档"]
]

/** The encoding of a text; `undefined` for binary data. */
const encodingOf = (bytes: Uint8Array): "utf-8" | "utf-16le" | "windows-1252" | undefined => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le"
  const head = bytes.subarray(0, 1 << 16)
  const controls = head.filter((byte) => byte < 32 && !(byte > 8 && byte < 14) && byte !== 27).length
  if (head.includes(0) || controls > head.length / 50) return undefined
  return new TextDecoder("utf-8").decode(bytes).includes("\ufffd") ? "windows-1252" : "utf-8"
}
