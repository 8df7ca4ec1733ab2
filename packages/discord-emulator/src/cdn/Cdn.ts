import type { ServerResponse } from "node:http"
import type { Files } from "../storage/Files.ts"
import { contentTypeOf } from "./FileType.ts"

const inline = /^(image\/(png|jpeg|gif|webp)|video\/|audio\/|text\/plain|application\/pdf)/

/** A request for a file. */
interface Download {
  readonly path: string
  /** Without the bytes. */
  readonly head: boolean
  /** Such as `bytes=0-99`. */
  readonly range: string | undefined
  readonly bytesPerSecond: number | undefined
}

/** Serves `/attachments/:channel/:attachment/:filename`. What people upload never runs as a page of this origin. */
export const serveAttachment = (
  files: Files,
  typeOf: (attachmentId: string) => string | undefined,
  response: ServerResponse,
  { bytesPerSecond, head, path, range }: Download
): void => {
  const [, , , attachmentId = "", name = ""] = path.split("/")
  const whole = files.get(attachmentId)
  if (whole === undefined)
    return void response.writeHead(404, { "content-type": "text/plain" }).end("This content is no longer available.")
  const type = typeOf(attachmentId) ?? contentTypeOf(name)
  const size = whole.byteLength
  const part = partOf(range, size)
  if (part === "none") return void response.writeHead(416, { "content-range": `bytes */${size}` }).end()
  const bytes = part === undefined ? whole : whole.subarray(part.from, part.to + 1)
  response.writeHead(part === undefined ? 200 : 206, {
    "content-type": type,
    "content-length": bytes.byteLength,
    "accept-ranges": "bytes",
    ...(part === undefined ? {} : { "content-range": `bytes ${part.from}-${part.to}/${size}` }),
    "content-disposition": inline.test(type) ? "inline" : "attachment",
    "content-security-policy":
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'",
    "x-content-type-options": "nosniff",
    "cache-control": "private, max-age=31536000, immutable"
  })
  if (head) return void response.end()
  if (bytesPerSecond === undefined) return void response.end(bytes)
  sendThrottled(response, bytes, bytesPerSecond)
}

/**
 * The requested byte range, both ends included; `undefined` for the whole file, also when several ranges are
 * requested.
 */
const partOf = (range: string | undefined, size: number): { from: number; to: number } | "none" | undefined => {
  const [found, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(range ?? "") ?? []
  if (found === undefined || (first === "" && last === "")) return undefined
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first)
  const to = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined
  return from > to ? "none" : { from, to }
}

/** How often a slow download gets its next piece, in milliseconds. */
const throttleIntervalMs = 50

const sendThrottled = (response: ServerResponse, bytes: Uint8Array, bytesPerSecond: number): void => {
  const piece = Math.max(1, Math.ceil((bytesPerSecond * throttleIntervalMs) / 1000))
  let at = 0
  const timer = setInterval(() => {
    response.write(bytes.subarray(at, at + piece))
    at += piece
    if (at < bytes.byteLength) return
    clearInterval(timer)
    response.end()
  }, throttleIntervalMs)
  response.on("close", () => clearInterval(timer))
}
