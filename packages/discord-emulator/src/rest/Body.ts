import type { IncomingMessage } from "node:http"
import type { UploadedFile } from "../state/Attachments.ts"
import { refuse } from "./DiscordError.ts"
import { isTooDeep } from "./validate/Depth.ts"

/** A request body: its JSON (also from `payload_json`), its files, and the plain fields of a form. */
export interface Body {
  readonly json: unknown
  readonly files: ReadonlyArray<UploadedFile>
  readonly fields: ReadonlyMap<string, string>
}

/** Largest request, in bytes. */
const requestLimit = 25 * 1024 * 1024

/** Reads a body; throws 40005 above 25 MiB, 50109 when the JSON is broken, 50035 when it nests without end. */
export const readBody = async (request: IncomingMessage): Promise<Body> => {
  const chunks: Array<Buffer> = []
  let size = 0
  // A larger body is read to its end, so that the client gets the refusal instead of a broken pipe.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= requestLimit) chunks.push(chunk)
  }
  if (size > requestLimit) throw refuse.tooLarge()
  const bytes = Buffer.concat(chunks)
  const type = request.headers["content-type"] ?? ""
  if (bytes.length === 0) return { json: undefined, files: [], fields: new Map() }
  if (type.startsWith("multipart/form-data")) return readForm(bytes, type)
  return { json: parse(bytes.toString("utf8")), files: [], fields: new Map() }
}

const readForm = async (bytes: Buffer, type: string): Promise<Body> => {
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData().catch(() => {
    throw refuse.badJson()
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
  const payload = fields.get("payload_json")
  return { json: payload === undefined ? undefined : parse(payload), files, fields }
}

const parse = (text: string): unknown => {
  const value = parseJson(text)
  if (isTooDeep(value)) throw refuse.tooDeep()
  return value
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's words would quote the body; Discord does not either.
    throw refuse.badJson()
  }
}
