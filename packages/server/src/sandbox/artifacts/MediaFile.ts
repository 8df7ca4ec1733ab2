import { fileTypeFromBuffer, supportedMimeTypes } from "file-type"
import { imageSize } from "image-size"
import mime from "mime"
import { createHash } from "node:crypto"
import * as Path from "node:path"
import type { OwnFile } from "./OwnFile.ts"
import { videoSize, type Size } from "./VideoSize.ts"

/** What is known of one file that an agent left for people. */
export interface MediaFile {
  readonly mimeType: string
  readonly contentType: "image" | "video" | "audio" | "document" | "other"
  readonly size: number
  /** Of all bytes, in hex; missing where they were not to be read. */
  readonly md5?: string
  /** Pixels, of images and videos whose headers tell them. */
  readonly width?: number
  readonly height?: number
}

/** A file as it was at one moment. */
export interface Described {
  readonly file: MediaFile
  /** Its beginning. */
  readonly head: Buffer
  /** False when it changed while it was read; then it has no hash, which would be that of no content it ever had. */
  readonly steady: boolean
}

/**
 * Reads an open file once: its hash if that is wanted, and its type by content where that is clear, else by its name.
 */
export const describe = async (
  { file, stat }: OwnFile,
  path: string,
  options: { readonly hash: boolean; readonly signal: AbortSignal }
): Promise<Described> => {
  const size = Number(stat.size)
  const hash = createHash("md5")
  const start: Array<Buffer> = []
  let seen = 0
  const end = Math.min(size, options.hash ? size : headBytes) - 1
  if (end >= 0) {
    for await (const chunk of file.createReadStream({ autoClose: false, start: 0, end, highWaterMark: headBytes })) {
      options.signal.throwIfAborted()
      const part: Buffer = chunk
      if (options.hash) hash.update(part)
      if (seen < headBytes) start.push(part)
      seen += part.length
    }
  }
  const head = Buffer.concat(start).subarray(0, headBytes)
  const mimeType = await typeOf(path, head)
  const pixels = mimeType.startsWith("image/")
    ? imagePixels(head, mimeType === "image/svg+xml")
    : mimeType.startsWith("video/")
      ? await videoSize(reader(file), size, mimeType)
      : undefined
  const after = await file.stat({ bigint: true })
  const steady = after.size === stat.size && after.ctimeNs === stat.ctimeNs && seen === end + 1
  return {
    file: {
      mimeType,
      contentType: categoryOf(mimeType),
      size,
      ...(options.hash && steady ? { md5: hash.digest("hex") } : {}),
      ...pixels
    },
    head,
    steady
  }
}

/** A larger file has no hash. */
export const maxHashed = 1024 ** 3

/** How much of the beginning of a file is read to detect its type. */
export const headBytes = 256 * 1024

const reader = (file: OwnFile["file"]) => async (position: number, length: number) => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

const imagePixels = (head: Buffer, isSvgType: boolean): Size | undefined => {
  try {
    const { width, height, orientation = 1 } = imageSize(isSvgType ? head.subarray(0, svgBytes) : head)
    if (!(width > 0 && height > 0)) return undefined
    // From the fifth on, the orientations of Exif lie on their side.
    return orientation >= 5 ? { width: height, height: width } : { width, height }
  } catch {
    // Not an image after all, or one whose header is cut off.
    return undefined
  }
}

const typeOf = async (path: string, head: Buffer): Promise<string> => {
  // A file that the library cannot read counts as one of unknown type.
  const found = (await fileTypeFromBuffer(head).catch(() => undefined))?.mime.split(";")[0]
  const named = mime.getType(Path.basename(path)) ?? undefined
  // A name cannot make a file what would have shown in its bytes; a page that shows it would only break.
  const promised = named === undefined || recognised.has(named) ? undefined : named
  if (found !== undefined && found !== "application/xml") {
    return found.startsWith("application/") && containers.has(found) ? (promised ?? found) : found
  }
  if (!looksLikeText(head)) return isTextual(promised) && head.includes(0) ? unknown : (promised ?? unknown)
  if (isSvg(head.toString("latin1", 0, svgBytes))) return "image/svg+xml"
  if (promised !== undefined && promised !== "image/svg+xml") return promised
  return found ?? "text/plain"
}

/** The size of a drawing stands in its first element. */
const svgBytes = 4096

const unknown = "application/octet-stream"

/** Types that hold files of other types; a name may tell which. */
const containers = new Set(["application/zip", "application/gzip", "application/x-cfb", "application/x-sqlite3"])

const recognised: ReadonlySet<string> = new Set(
  [...supportedMimeTypes].filter((type) => type !== "application/xml" && !type.startsWith("text/"))
)

/** Tells whether a text is an SVG document: past declarations and comments, its first element says so. */
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
