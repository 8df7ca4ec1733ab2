import type { ServerResponse } from "node:http"
import type { Files } from "../state/Files.ts"
import { contentTypeOf } from "./FileType.ts"

const inline = /^(image\/(png|jpeg|gif|webp)|video\/|audio\/|text\/plain|application\/pdf)/

/** Serves `/attachments/:channel/:attachment/:filename`. What people upload never runs as a page of this origin. */
export const serveAttachment = (
  files: Files,
  typeOf: (attachmentId: string) => string | undefined,
  response: ServerResponse,
  path: string
): void => {
  const [, , , attachmentId = "", name = ""] = path.split("/")
  const bytes = files.get(attachmentId)
  if (bytes === undefined)
    return void response.writeHead(404, { "content-type": "text/plain" }).end("This content is no longer available.")
  const type = typeOf(attachmentId) ?? contentTypeOf(name)
  response
    .writeHead(200, {
      "content-type": type,
      "content-length": bytes.byteLength,
      "content-disposition": inline.test(type) ? "inline" : "attachment",
      "content-security-policy":
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'",
      "x-content-type-options": "nosniff",
      "cache-control": "private, max-age=31536000, immutable"
    })
    .end(bytes)
}
