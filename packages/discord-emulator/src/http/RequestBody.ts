import type { IncomingMessage } from "node:http"
import type { UploadedFile } from "../resources/messages/Attachments.ts"
import { apiErrors } from "../model/DiscordError.ts"
import { isTooDeep } from "../validate/Depth.ts"
import { parseJson } from "../validate/ParseJson.ts"

/** A request body: its JSON (also from `payload_json`), its files, and the plain fields of a form. */
export interface Body {
  readonly json: unknown
  readonly files: ReadonlyArray<UploadedFile>
  readonly fields: ReadonlyMap<string, string>
}

/** The largest bodies; a form is the whole request with its files. */
const maxBodyBytes = { json: 1024 * 1024, form: 25 * 1024 * 1024 } as const
/** A message with all its files needs far fewer. */
const maxFormParts = 100

/**
 * Reads a body. Throws 40005 when it is larger than `maxJsonBytes` or 25 MiB with files, 50109 for broken JSON, and
 * 50035 for too deeply nested JSON.
 */
export const readBody = async (request: IncomingMessage, maxJsonBytes: number = maxBodyBytes.json): Promise<Body> => {
  const type = request.headers["content-type"] ?? ""
  const isForm = type.startsWith("multipart/form-data")
  const limit = isForm ? maxBodyBytes.form : maxJsonBytes
  const chunks: Array<Buffer> = []
  let size = 0
  // A larger body is read to its end, so that the client receives the error instead of a broken pipe.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= limit) chunks.push(chunk)
    else chunks.length = 0
  }
  if (size > limit) throw apiErrors.tooLarge()
  const bytes = Buffer.concat(chunks)
  if (bytes.length === 0) return { json: undefined, files: [], fields: new Map() }
  if (isForm) return readForm(bytes, type, maxJsonBytes)
  return { json: readJson(bytes.toString("utf8")), files: [], fields: new Map() }
}

const readForm = async (bytes: Buffer, type: string, maxJsonBytes: number): Promise<Body> => {
  requireFormPartLimit(bytes, type)
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData().catch(() => {
    throw apiErrors.badJson()
  })
  const fields = new Map<string, string>()
  const files: Array<UploadedFile> = []
  for (const [key, value] of form) {
    if (typeof value === "string") fields.set(key, value)
    else
      files.push({
        field: /^files\[(.*)\]$/.exec(key)?.[1] || String(files.length),
        name: value.name,
        data: new Uint8Array(await value.arrayBuffer()),
        contentType: value.type === "" ? undefined : value.type
      })
  }
  if (totalLength(fields.values()) > maxJsonBytes) throw apiErrors.tooLarge()
  const payload = fields.get("payload_json")
  return { json: payload === undefined ? undefined : readJson(payload), files, fields }
}

/** Throws 40005 for a form with too many parts: a part costs more to read than it contains. */
const requireFormPartLimit = (bytes: Buffer, type: string): void => {
  const boundary = /;\s*boundary=("?)([\w'()+,./:=?-]{1,70})\1\s*(?:;|$)/i.exec(type)?.[2]
  if (boundary === undefined) throw apiErrors.badJson()
  const delimiter = `--${boundary}`
  let parts = 0
  for (let at = bytes.indexOf(delimiter); at >= 0; at = bytes.indexOf(delimiter, at + delimiter.length))
    if (++parts > maxFormParts) throw apiErrors.tooLarge()
}

const totalLength = (texts: Iterable<string>): number => {
  let length = 0
  for (const text of texts) length += text.length
  return length
}

const readJson = (text: string): unknown => {
  const value = parseBody(text)
  if (isTooDeep(value)) throw apiErrors.tooDeep()
  return value
}

const parseBody = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    // The parser's message quotes the body; Discord's does not.
    throw apiErrors.badJson()
  }
}
