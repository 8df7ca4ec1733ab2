import { isRecord, stringField } from "../../internal/Json.ts"

/** A file that a block of a prompt carries. */
export interface Attachment {
  /** Where the client had it; most clients put its name there. */
  readonly uri: string | undefined
  readonly mimeType: string | undefined
  readonly content:
    | { readonly _tag: "Bytes"; readonly base64: string }
    | { readonly _tag: "Text"; readonly text: string }
}

/** Reads the file of an `image`, `audio` or `resource` block; undefined for other blocks and those without content. */
export const fromBlock = (block: Readonly<Record<string, unknown>>): Attachment | undefined => {
  const { type } = block
  if (type !== "image" && type !== "audio" && type !== "resource") return undefined
  const carrier = type === "resource" ? block["resource"] : block
  if (!isRecord(carrier)) return undefined
  const text = type === "resource" ? stringField(carrier, "text") : undefined
  const base64 = stringField(carrier, type === "resource" ? "blob" : "data")
  const content =
    text !== undefined
      ? { _tag: "Text" as const, text }
      : base64 !== undefined && base64Pattern.test(base64) && (type === "resource" || base64 !== "")
        ? { _tag: "Bytes" as const, base64 }
        : undefined
  if (content === undefined) return undefined
  return { uri: stringField(carrier, "uri"), mimeType: stringField(carrier, "mimeType"), content }
}

/** Tells whether a block should carry a file and has none that can be read. */
export const isUnreadable = (block: Readonly<Record<string, unknown>>): boolean =>
  ["image", "audio", "resource"].includes(String(block["type"])) && fromBlock(block) === undefined

export const bytesOf = ({ content }: Attachment): Buffer =>
  content._tag === "Text" ? Buffer.from(content.text) : Buffer.from(content.base64, "base64")

/** The size of the file in bytes. */
export const sizeOf = ({ content }: Attachment): number =>
  content._tag === "Text" ? Buffer.byteLength(content.text) : Buffer.byteLength(content.base64, "base64")

/** The last part of a uri as a name. */
export const nameOf = (uri: string): string => {
  const segment = uri.split(/[/\\]/).findLast((part) => part !== "") ?? uri
  try {
    return decodeURIComponent(segment)
  } catch {
    // A stray percent sign: the name as it stands.
    return segment
  }
}

/** Both alphabets, as Node decodes them. */
const base64Pattern = /^[A-Za-z0-9+/_-]*={0,2}$/
