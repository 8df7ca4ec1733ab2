import { fileTypeFromBuffer, supportedMimeTypes } from "file-type"
import { imageSize } from "image-size"
import mime from "mime"
import { createHash } from "node:crypto"
import * as Path from "node:path"
import type { OwnFile } from "./OwnFile.ts"
import { videoSize, type Size } from "./VideoSize.ts"

/** The facts about one file for people. */
export interface MediaFile {
  readonly mimeType: string
  readonly contentType: "image" | "video" | "audio" | "document" | "other"
  readonly size: number
  /** The md5 of all bytes in hex; missing where the file was not hashed. */
  readonly md5?: string
  /** Pixels of images and videos, where the headers have them. */
  readonly width?: number
  readonly height?: number
}

/** The facts about a file at one moment. */
export interface Description {
  readonly file: MediaFile
  /** Its beginning. */
  readonly head: Buffer
  /** False when the file changed during the read; then it has no hash, which would match no real content. */
  readonly isStable: boolean
}

/**
 * Reads an open file once: its hash where `hash` is set, and its type by content where that is clear, else by its name.
 */
export const describe = async (
  { file, stat }: OwnFile,
  path: string,
  options: { readonly hash: boolean; readonly signal: AbortSignal }
): Promise<Description> => {
  const size = Number(stat.size)
  const hash = createHash("md5")
  const start: Array<Buffer> = []
  let readBytes = 0
  const end = Math.min(size, options.hash ? size : headBytes) - 1
  if (end >= 0) {
    for await (const chunk of file.createReadStream({ autoClose: false, start: 0, end, highWaterMark: headBytes })) {
      options.signal.throwIfAborted()
      const part: Buffer = chunk
      if (options.hash) hash.update(part)
      if (readBytes < headBytes) start.push(part)
      readBytes += part.length
    }
  }
  const head = Buffer.concat(start).subarray(0, headBytes)
  const mimeType = await detectType(path, head)
  const pixels = mimeType.startsWith("image/")
    ? imagePixels(head, mimeType === "image/svg+xml")
    : mimeType.startsWith("video/")
      ? await videoSize(makeReader(file), size, mimeType)
      : undefined
  const statAfter = await file.stat({ bigint: true })
  const isStable = statAfter.size === stat.size && statAfter.ctimeNs === stat.ctimeNs && readBytes === end + 1
  return {
    file: {
      mimeType,
      contentType: categoryOf(mimeType),
      size,
      ...(options.hash && isStable ? { md5: hash.digest("hex") } : {}),
      ...pixels
    },
    head,
    isStable
  }
}

/** A larger file has no hash. */
export const maxHashedBytes = 1024 ** 3

/** The bytes at the beginning of a file that are read to detect its type. */
export const headBytes = 256 * 1024

const makeReader = (file: OwnFile["file"]) => async (position: number, length: number) => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

const imagePixels = (head: Buffer, isSvgType: boolean): Size | undefined => {
  try {
    const { width, height, orientation = 1 } = imageSize(isSvgType ? head.subarray(0, svgBytes) : head)
    if (!(width > 0 && height > 0)) return undefined
    // The Exif orientations from 5 on are rotated by a quarter.
    return orientation >= 5 ? { width: height, height: width } : { width, height }
  } catch {
    // Not an image, or one with an incomplete header.
    return undefined
  }
}

const detectType = async (path: string, head: Buffer): Promise<string> => {
  // A file that the library cannot read counts as one of unknown type.
  const detected = (await fileTypeFromBuffer(head).catch(() => undefined))?.mime.split(";")[0]
  const typeByName = mime.getType(Path.basename(path)) ?? undefined
  // Ignore a type by name that the bytes would have shown: a client could not display the file.
  const usableName = typeByName === undefined || detectableTypes.has(typeByName) ? undefined : typeByName
  if (detected !== undefined && detected !== "application/xml") {
    return detected.startsWith("application/") && containers.has(detected) ? (usableName ?? detected) : detected
  }
  if (!looksLikeText(head)) return isTextual(usableName) && head.includes(0) ? unknown : (usableName ?? unknown)
  if (isSvg(head.toString("latin1", 0, svgBytes))) return "image/svg+xml"
  if (usableName !== undefined && usableName !== "image/svg+xml") return usableName
  return detected ?? "text/plain"
}

/** Enough for the first element of an SVG, which has its size. */
const svgBytes = 4096

const unknown = "application/octet-stream"

/** Container types, for which a file name may give the more specific type. */
const containers = new Set(["application/zip", "application/gzip", "application/x-cfb", "application/x-sqlite3"])

const detectableTypes: ReadonlySet<string> = new Set(
  [...supportedMimeTypes].filter((type) => type !== "application/xml" && !type.startsWith("text/"))
)

/** Tells whether a text is an SVG document by its first element after declarations and comments. */
const isSvg = (text: string): boolean => {
  let rest = text.replace(/^\u00ef\u00bb\u00bf/, "").trimStart()
  while (rest.startsWith("<?") || rest.startsWith("<!")) {
    const end = rest.startsWith("<!--") ? "-->" : /^<![^>]*\[/.test(rest) ? "]>" : ">"
    const at = rest.indexOf(end)
    if (at < 0) return false
    rest = rest.slice(at + end.length).trimStart()
  }
  return /^<svg[\s/>]/i.test(rest)
}

const isTextual = (type: string | undefined): boolean =>
  type !== undefined && (type.startsWith("text/") || /[/+](json|xml)$|javascript$/.test(type))

const looksLikeText = (head: Buffer): boolean => {
  if (head.includes(0)) return false
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}

const categoryOf = (mimeType: string): MediaFile["contentType"] => {
  const [kind] = mimeType.split("/")
  if (kind === "image" || kind === "video" || kind === "audio") return kind
  return kind === "text" || documents.test(mimeType) ? "document" : "other"
}

const documents = /^application\/(pdf|json|xml|rtf|msword|epub\+zip|vnd\.(openxml|oasis|ms-))/
