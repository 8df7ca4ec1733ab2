import mime from "mime"
import * as Path from "node:path"
import * as Attachment from "./Attachment.ts"

/**
 * The name under which a file is stored: valid on every system, never hidden, without a path, and safe to quote in a
 * shell. A file without a name is called after its kind.
 */
export const of = ({ mimeType, uri }: Attachment.Attachment): string => {
  const name = uri === undefined ? "" : toSafeName(lastPart(Attachment.nameOf(uri)).slice(-maxCharacters))
  if (name !== "") return name
  const [kind = ""] = (mimeType ?? "").split("/")
  const extension = mimeType === undefined ? null : mime.getExtension(mimeType)
  return `${namedKinds.has(kind) ? kind : "file"}${extension === null ? "" : `.${extension}`}`
}

/** The name with a number before its extension, for all but the first file of a name. */
export const withNumber = (name: string, number: number): string => {
  if (number === 1) return name
  const extension = Path.extname(name)
  return `${name.slice(0, name.length - extension.length)}-${number}${extension}`
}

/** A percent-encoded name can contain separators. */
const lastPart = (name: string): string => name.split(/[/\\]/).at(-1) ?? ""

const toSafeName = (name: string): string => {
  const safe = name
    .normalize("NFC")
    .replace(/\s+/g, " ")
    .replace(/[^\p{L}\p{M}\p{N} ._+=@(),-]+/gu, "_")
    .replace(/^[ .-]+|[ .]+$/g, "")
  return deviceNames.test(safe) ? `_${safe}` : shorten(safe)
}

/** Cuts the stem of a long name, so that the extension stays. */
const shorten = (name: string): string => {
  const extension = Path.extname(name)
  if (extension.length > maxExtension) return cut(name, maxBytes).trimEnd()
  const stem = name.slice(0, name.length - extension.length)
  return cut(stem, maxBytes - Buffer.byteLength(extension)).trimEnd() + extension
}

/** The longest beginning of a text that has at most this many bytes. */
const cut = (text: string, bytes: number): string => {
  const kept: Array<string> = []
  let left = bytes
  for (const character of text) {
    left -= Buffer.byteLength(character)
    if (left < 0) break
    kept.push(character)
  }
  return kept.join("")
}

const namedKinds: ReadonlySet<string> = new Set(["image", "audio", "video"])

/** Names that Windows gives to devices. */
const deviceNames = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/** File systems take 255 bytes; a number and other programs' endings need some of them. */
const maxBytes = 150

/** Of a name that is made safe, because that takes quadratic time. */
const maxCharacters = 1000

const maxExtension = 16
