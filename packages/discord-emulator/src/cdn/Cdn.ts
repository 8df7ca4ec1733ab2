import type { ServerResponse } from "node:http"
import type { Files } from "../storage/Files.ts"
import { contentTypeOf } from "./FileType.ts"

/** The media types that a browser may show; others are downloads. */
const inlineTypes = /^(image\/(png|jpeg|gif|webp)|video\/|audio\/|text\/plain|application\/pdf)/

/** A request for a file. */
interface Download {
  readonly path: string
  /** A HEAD request gets no bytes. */
  readonly isHead: boolean
  /** Such as `bytes=0-99`. */
  readonly range: string | undefined
  readonly bytesPerSecond: number | undefined
}

/** Serves `/attachments/:channel/:attachment/:filename`. An uploaded file never runs as a page of this origin. */
export const serveAttachment = (
  files: Files,
  typeOf: (attachmentId: string) => string | undefined,
  response: ServerResponse,
  { bytesPerSecond, isHead, path, range }: Download
): void => {
  const [, , , attachmentId = "", name = ""] = path.split("/")
  const file = files.get(attachmentId)
  if (file === undefined)
    return void response.writeHead(404, { "content-type": "text/plain" }).end("This content is no longer available.")
  const type = typeOf(attachmentId) ?? contentTypeOf(name)
  const size = file.byteLength
  const part = parseRange(range, size)
  if (part === "unsatisfiable") return void response.writeHead(416, { "content-range": `bytes */${size}` }).end()
  const bytes = part === undefined ? file : file.subarray(part.from, part.to + 1)
  response.writeHead(part === undefined ? 200 : 206, {
    "content-type": type,
    "content-length": bytes.byteLength,
    "accept-ranges": "bytes",
    ...(part === undefined ? {} : { "content-range": `bytes ${part.from}-${part.to}/${size}` }),
    "content-disposition": inlineTypes.test(type) ? "inline" : "attachment",
    "content-security-policy":
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'",
    "x-content-type-options": "nosniff",
    "cache-control": "private, max-age=31536000, immutable"
  })
  if (isHead) return void response.end()
  if (bytesPerSecond === undefined) return void response.end(bytes)
  sendThrottled(response, bytes, bytesPerSecond)
}

/**
 * The requested byte range, both ends included; `undefined` for the whole file, also when several ranges are
 * requested.
 */
const parseRange = (
  range: string | undefined,
  size: number
): { from: number; to: number } | "unsatisfiable" | undefined => {
  const [match, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(range ?? "") ?? []
  if (match === undefined || (first === "" && last === "")) return undefined
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first)
  const to = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined
  return from > to ? "unsatisfiable" : { from, to }
}

/** The pause between two chunks of a throttled download. */
const throttleIntervalMs = 50

const sendThrottled = (response: ServerResponse, bytes: Uint8Array, bytesPerSecond: number): void => {
  const chunkBytes = Math.max(1, Math.ceil((bytesPerSecond * throttleIntervalMs) / 1000))
  let offset = 0
  const timer = setInterval(() => {
    response.write(bytes.subarray(offset, offset + chunkBytes))
    offset += chunkBytes
    if (offset < bytes.byteLength) return
    clearInterval(timer)
    response.end()
  }, throttleIntervalMs)
  response.on("close", () => clearInterval(timer))
}
