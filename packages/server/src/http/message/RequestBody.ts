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
 * The request with a body that is read on demand, as the contract says. It has at most the platform's `MaxBodySize`
 * bytes of UTF-8 without a Content-Encoding. Only its Content-Type decides between JSON and a form. What is wrong with
 * it dies as the refusal that the caller gets, because the platform offers no other way out of its own reading.
 */
export const checked = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest => {
  const isForm = formType.test(request.headers["content-type"] ?? "")
  let kept: string | undefined
  const text = Effect.suspend(() =>
    kept === undefined ? Effect.map(readText(request), (body) => (kept = body)) : Effect.succeed(kept)
  )
  const json = Effect.flatMap(text, (body) => {
    if (body === "") return Effect.die(ApiError.invalidRequest("The body is missing."))
    return jsonType.test(request.headers["content-type"] ?? "") ? parse(body) : wrongType
  })
  return Object.create(request, {
    json: { value: json },
    // The platform reads by whatever type the request names; only one of them is right for each endpoint.
    text: { value: isForm ? SmallBody.limited(text) : wrongType },
    urlParamsBody: { value: wrongType },
    arrayBuffer: { value: wrongType },
    multipart: { value: wrongType }
  })
}

const jsonType = /^application\/json\s*(;|$)/i
const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i

const wrongType = Effect.die(ApiError.unexpected(415, "The Content-Type of the body is missing or not supported here."))

const tooLarge = Effect.die(ApiError.unexpected(413, "The body is too large."))

/** Takes the body to its end before it refuses how it is coded: a caller who still sends would miss the answer. */
const readText = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string> =>
  Effect.flatMap(HttpIncomingMessage.MaxBodySize, (size) => {
    const coding = BodyCoding.refusal(request.headers)
    const limit = Option.match(size, { onNone: () => Number.POSITIVE_INFINITY, onSome: Number })
    return Number(request.headers["content-length"] ?? 0) > limit
      ? tooLarge
      : Effect.flatMap(readBytes(NodeHttpServerRequest.toIncomingMessage(request), limit), (bytes) =>
          coding === undefined ? decode(bytes) : Effect.die(ApiError.unexpected(415, coding))
        )
  })

/**
 * Reads up to the limit. Of what is longer the rest is taken and dropped for a while, so that the caller reads the
 * answer.
 */
const readBytes = (message: IncomingMessage, limit: number) =>
  Effect.async<Buffer>((resume) => {
    const pieces: Array<Buffer> = []
    let size = 0
    message.on("data", (piece: Buffer) => {
      size += piece.length
      if (size <= limit) pieces.push(piece)
      else if (size - piece.length <= limit) {
        pieces.length = 0
        resume(tooLarge)
      } else if (size > patience * limit) message.destroy()
    })
    message.once("end", () =>
      resume(Effect.sync(() => (pieces.length === 1 ? (pieces[0] ?? none) : Buffer.concat(pieces))))
    )
    message.once("close", () => resume(Effect.die(ApiError.invalidRequest("The request broke off."))))
    message.once("error", () => resume(Effect.die(ApiError.invalidRequest("The request broke off."))))
  })

const patience = 32
const none = Buffer.alloc(0)

const decode = (bytes: Buffer): Effect.Effect<string> => {
  try {
    return Effect.succeed(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return Effect.die(ApiError.invalidRequest("The body is not valid UTF-8."))
  }
}

const parse = (text: string): Effect.Effect<unknown> => {
  if (deeperThan(text, maxDepth)) {
    return Effect.die(ApiError.invalidRequest(`The body is nested more than ${maxDepth} levels deep.`))
  }
  try {
    return Effect.succeed(JSON.parse(text))
  } catch {
    // Where it broke off would quote the body.
    return Effect.die(ApiError.invalidRequest("The body is not valid JSON."))
  }
}

/** Tells by counting brackets outside of strings, before anything is built from the text. */
const deeperThan = (text: string, limit: number): boolean => {
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at)
    if (quoted) {
      if (letter === backslash) at++
      else if (letter === quote) quoted = false
    } else if (letter === quote) quoted = true
    else if (letter === brace || letter === bracket) {
      depth++
      if (depth > limit) return true
    } else if (letter === brace + 2 || letter === bracket + 2) depth--
  }
  return false
}

const quote = 0x22
const backslash = 0x5c
const bracket = 0x5b
const brace = 0x7b
