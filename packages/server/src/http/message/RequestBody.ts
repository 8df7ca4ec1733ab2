import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { IncomingMessage } from "node:http"
import * as BodyCoding from "./BodyCoding.ts"
import * as ApiError from "../../internal/ApiError.ts"
import * as SmallBody from "./SmallBody.ts"

/** How deep JSON may be nested. */
export const maxDepth = 100

/**
 * The request with a body that is read on demand and checked against the contract. The body has at most the platform's
 * `MaxBodySize` bytes of UTF-8 without a Content-Encoding. Only its Content-Type decides between JSON and a form. An
 * invalid body dies with the error for the caller, because the platform's readers have no other error channel.
 */
export const withCheckedBody = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest => {
  const isForm = formType.test(request.headers["content-type"] ?? "")
  let cachedText: string | undefined
  const text = Effect.suspend(() =>
    cachedText === undefined ? Effect.map(readText(request), (body) => (cachedText = body)) : Effect.succeed(cachedText)
  )
  const json = Effect.flatMap(text, (body) => {
    if (body === "") return Effect.die(ApiError.invalidRequest("The body is missing."))
    return jsonType.test(request.headers["content-type"] ?? "") ? parseJson(body) : unsupportedMediaType
  })
  return Object.create(request, {
    json: { value: json },
    // The platform reads any type that the request names; each endpoint supports one.
    text: { value: isForm ? SmallBody.withLimit(text) : unsupportedMediaType },
    urlParamsBody: { value: unsupportedMediaType },
    arrayBuffer: { value: unsupportedMediaType },
    multipart: { value: unsupportedMediaType }
  })
}

const jsonType = /^application\/json\s*(;|$)/i
const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i

const unsupportedMediaType = Effect.die(
  ApiError.unexpectedStatus(415, "The Content-Type of the body is missing or not supported here.")
)

const tooLarge = Effect.die(ApiError.unexpectedStatus(413, "The body is too large."))

const readText = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string> =>
  Effect.flatMap(HttpIncomingMessage.MaxBodySize, (size) => {
    const problem = BodyCoding.findProblem(request.headers)
    if (problem !== undefined) return Effect.die(ApiError.unexpectedStatus(415, problem))
    const limit = Option.match(size, { onNone: () => Number.POSITIVE_INFINITY, onSome: Number })
    return Number(request.headers["content-length"] ?? 0) > limit
      ? tooLarge
      : Effect.flatMap(readBytes(NodeHttpServerRequest.toIncomingMessage(request), limit), decode)
  })

/**
 * Reads up to the limit in bytes. It refuses a longer body at once and drops the rest.
 */
const readBytes = (message: IncomingMessage, limit: number) =>
  Effect.async<Buffer>((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    message.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else {
        chunks.length = 0
        resume(tooLarge)
      }
    })
    message.once("end", () =>
      resume(Effect.sync(() => (chunks.length === 1 ? (chunks[0] ?? emptyBuffer) : Buffer.concat(chunks))))
    )
    message.once("close", () => resume(Effect.die(ApiError.invalidRequest("The request broke off."))))
    message.once("error", () => resume(Effect.die(ApiError.invalidRequest("The request broke off."))))
  })

const emptyBuffer = Buffer.alloc(0)

const decode = (bytes: Buffer): Effect.Effect<string> => {
  try {
    return Effect.succeed(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return Effect.die(ApiError.invalidRequest("The body is not valid UTF-8."))
  }
}

const parseJson = (text: string): Effect.Effect<unknown> => {
  if (exceedsDepth(text, maxDepth)) {
    return Effect.die(ApiError.invalidRequest(`The body is nested more than ${maxDepth} levels deep.`))
  }
  try {
    return Effect.succeed(JSON.parse(text))
  } catch {
    // The parser's own message would quote the body.
    return Effect.die(ApiError.invalidRequest("The body is not valid JSON."))
  }
}

/** Counts brackets outside of strings, so that a deep text is refused before it is parsed, which takes seconds. */
export const exceedsDepth = (text: string, limit: number): boolean => {
  let depth = 0
  let isInString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (isInString) {
      if (code === backslash) index++
      else if (code === quote) isInString = false
    } else if (code === quote) isInString = true
    else if (code === brace || code === bracket) {
      depth++
      if (depth > limit) return true
    } else if (code === closingBrace || code === closingBracket) depth--
  }
  return false
}

const quote = 0x22
const backslash = 0x5c
const bracket = 0x5b
const closingBracket = 0x5d
const brace = 0x7b
const closingBrace = 0x7d
