import { imageSize } from "image-size"
import mime from "mime"
import { createHash } from "node:crypto"
import { constants } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

/** What is known of one file that an agent left for people. */
export interface MediaFile {
  readonly mimeType: string
  readonly contentType: "image" | "video" | "audio" | "document" | "other"
  readonly size: number
  readonly md5: string
  /** Pixels, of images whose header tells them. */
  readonly width?: number
  readonly height?: number
}

/**
 * Reads a file once: its hash, its type by content where that is clear and else by its name.
 * Rejects when it is no regular file or cannot be read.
 */
export const describe = async (path: string): Promise<MediaFile> => {
  const file = await Fs.open(path, readOnly)
  try {
    if (!(await file.stat()).isFile()) throw new Error("not a regular file")
    const hash = createHash("md5")
    const head: Array<Buffer> = []
    let size = 0
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      const bytes: Buffer = chunk
      hash.update(bytes)
      if (size < headBytes) head.push(bytes)
      size += bytes.length
    }
    const start = Buffer.concat(head).subarray(0, headBytes)
    const image = imageOf(start)
    const mimeType = image?.mimeType ?? typeByName(path, start)
    return {
      mimeType,
      contentType: categoryOf(mimeType),
      size,
      md5: hash.digest("hex"),
      ...(image === undefined ? {} : { width: image.width, height: image.height })
    }
  } finally {
    await file.close()
  }
}

/** Opens no symbolic link and waits for no pipe. */
export const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const headBytes = 256 * 1024

const imageTypes: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp"
}

const imageOf = (head: Buffer) => {
  try {
    const { type, width, height } = imageSize(head)
    const mimeType = type === undefined ? undefined : imageTypes[type]
    return mimeType === undefined ? undefined : { mimeType, width, height }
  } catch {
    // Not an image, or one whose header is cut off: its name decides.
    return undefined
  }
}

const typeByName = (path: string, head: Buffer): string => {
  const named = mime.getType(Path.basename(path))
  // A name that promises a picture which the content is not would only break the page that shows it.
  if (named !== null && !Object.values(imageTypes).includes(named)) return named
  return looksLikeText(head) ? "text/plain" : "application/octet-stream"
}

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

const documents = /^application\/(pdf|json|xml|rtf|msword|vnd\.(openxml|oasis|ms-))/
