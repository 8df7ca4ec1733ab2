import type { ServerResponse } from "node:http"
import type { Files } from "../state/Files.ts"
import { contentTypeOf } from "./FileType.ts"

const inline = /^(image\/(png|jpeg|gif|webp)|video\/|audio\/|text\/plain|application\/pdf)/

/** Serves `/attachments/:channel/:attachment/:filename`. What people upload never runs as a page of this origin. */
export const serveAttachment = (
  files: Files,
  typeOf: (attachmentId: string) => string | undefined,
  response: ServerResponse,
  path: string,
  bytesPerSecond?: number
): void => {
  const [, , , attachmentId = "", name = ""] = path.split("/")
  const bytes = files.get(attachmentId)
  if (bytes === undefined)
    return void response.writeHead(404, { "content-type": "text/plain" }).end("This content is no longer available.")
  const type = typeOf(attachmentId) ?? contentTypeOf(name)
  response.writeHead(200, {
    "content-type": type,
    "content-length": bytes.byteLength,
    "content-disposition": inline.test(type) ? "inline" : "attachment",
    "content-security-policy":
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'",
    "x-content-type-options": "nosniff",
    "cache-control": "private, max-age=31536000, immutable"
  })
  if (bytesPerSecond === undefined) return void response.end(bytes)
  drip(response, bytes, bytesPerSecond)
}

/** How often a slow download gets its next piece, in milliseconds. */
const dripMs = 50

const drip = (response: ServerResponse, bytes: Uint8Array, bytesPerSecond: number): void => {
  const piece = Math.max(1, Math.ceil((bytesPerSecond * dripMs) / 1000))
  let at = 0
  const timer = setInterval(() => {
    response.write(bytes.subarray(at, at + piece))
    at += piece
    if (at < bytes.byteLength) return
    clearInterval(timer)
    response.end()
  }, dripMs)
  response.on("close", () => clearInterval(timer))
}
