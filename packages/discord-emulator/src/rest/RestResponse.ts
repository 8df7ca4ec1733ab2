import type { ServerResponse } from "node:http"
import type { Reply } from "./routing/Router.ts"

/** The response to a request, with its headers. */
export interface RestResponse {
  readonly reply: Reply
  /** The JSON of the request. */
  readonly sent?: unknown
  readonly headers: Readonly<Record<string, string>>
  /** Replaces the JSON body. */
  readonly html?: string
}

/** Writes a response. */
export const sendResponse = (response: ServerResponse, { headers, html, reply }: RestResponse): void => {
  if (response.destroyed) return
  if (html !== undefined)
    return void response.writeHead(reply.status, { ...headers, "content-type": "text/html; charset=UTF-8" }).end(html)
  // With a content type, clients would parse an empty body as JSON.
  if (reply.body === undefined) return void response.writeHead(reply.status, headers).end()
  const text = Buffer.from(JSON.stringify(reply.body))
  response
    .writeHead(reply.status, { ...headers, "content-type": "application/json", "content-length": text.length })
    .end(text)
}
