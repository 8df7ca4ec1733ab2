import { imageSize } from "image-size"
import mime from "mime"
import { createHash } from "node:crypto"
import { constants, type Stats } from "node:fs"
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
 * Rejects when it is no regular file of the folder or cannot be read.
 */
export const describe = async (root: string, path: string): Promise<MediaFile> => {
  const { file } = await open(root, path)
  try {
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

/**
 * Opens a regular file inside an agent's folder, through no symbolic link anywhere below it, and waits for no pipe.
 * The agent may put a link in a folder's place at any moment: only where the open file really is can be trusted.
 */
export const open = async (root: string, path: string): Promise<{ file: Fs.FileHandle; stat: Stats }> => {
  const full = Path.join(root, path)
  const expected = Path.join(await Fs.realpath(Path.dirname(root)), Path.basename(root), path)
  const file = await Fs.open(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const place = process.platform === "linux" ? Fs.readlink(`/proc/self/fd/${file.fd}`) : Fs.realpath(full)
    if ((await place) !== expected) throw new Error("outside of the folder")
    const stat = await file.stat()
    if (!stat.isFile()) throw new Error("not a regular file")
    return { file, stat }
  } catch (error) {
    await file.close()
    throw error
  }
}

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
