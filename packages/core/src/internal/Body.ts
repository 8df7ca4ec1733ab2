import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** A body as text. `isComplete` is false if it exceeds the limit or breaks off; `isBroken` only if it breaks off. */
export interface Body {
  readonly text: string
  readonly isComplete: boolean
  readonly isBroken: boolean
}

/** Reads a body up to `limit` bytes. If the body of a refusal breaks off, the part that arrived is kept. */
export const read = (response: HttpClientResponse.HttpClientResponse, limit: number): Effect.Effect<Body> =>
  isBoundedSuccess(response, limit) ? readText(response) : readChunks(response, limit)

/**
 * Whether `Content-Length` keeps the body within the limit. A compressed body may have any length when decoded.
 */
const isBoundedSuccess = ({ headers, status }: HttpClientResponse.HttpClientResponse, limit: number): boolean => {
  const length = headers["content-length"] ?? ""
  const isEncoded = headers["content-encoding"] !== undefined || headers["transfer-encoding"] !== undefined
  return status >= 200 && status < 300 && /^\d+$/.test(length) && Number(length) <= limit && !isEncoded
}

/** Costs far less than a stream, and nearly every response qualifies. */
const readText = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<Body> =>
  Effect.match(response.text, {
    onFailure: () => ({ text: "", isComplete: false, isBroken: true }),
    onSuccess: (text) => ({ text, isComplete: true, isBroken: false })
  })

const readChunks = (response: HttpClientResponse.HttpClientResponse, limit: number): Effect.Effect<Body> =>
  Effect.suspend(() => {
    const decoder = new TextDecoder()
    const texts: Array<string> = []
    let bytes = 0
    const bodyWith = ({ isBroken }: { readonly isBroken: boolean }): Body => ({
      text: texts.join("") + decoder.decode(),
      isComplete: !isBroken && bytes <= limit,
      isBroken
    })
    return Stream.runForEachWhile(response.stream, (chunk) =>
      Effect.sync(() => {
        bytes += chunk.length
        texts.push(decoder.decode(chunk, { stream: true }))
        return bytes <= limit
      })
    ).pipe(
      Effect.map(() => bodyWith({ isBroken: false })),
      Effect.catchAll((error) => Effect.sync(() => bodyWith({ isBroken: error.reason !== "EmptyBody" })))
    )
  })

/** The payload of a success as JSON text, and the request id of its envelope; or an envelope that reports a failure. */
export type Payload =
  | { readonly _tag: "Payload"; readonly json: string; readonly requestId?: string }
  | { readonly _tag: "Failure" }

/**
 * Reads the payload of a success: `data` of an envelope, else the body itself (contract decisions 7,
 * 59).
 */
export const unwrap = (text: string): Payload => {
  const wholeBody: Payload = { _tag: "Payload", json: text }
  if (!/^\s*\{/.test(text) || !/"code"\s*:/.test(text)) return wholeBody
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== "object" || body === null || !("code" in body) || !("data" in body || "msg" in body)) {
      return wholeBody
    }
    if (!isSuccess(body.code)) return { _tag: "Failure" }
    const requestId = "request_id" in body && typeof body.request_id === "string" ? { requestId: body.request_id } : {}
    return "data" in body
      ? { _tag: "Payload", json: JSON.stringify(body.data), ...requestId }
      : { ...wholeBody, ...requestId }
  } catch {
    // Not JSON, or nested too deeply to serialize: the decoder of the response reports it.
    return wholeBody
  }
}

/** Parses a body as JSON; undefined if it is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // HTML pages and truncated responses are not JSON; the decoder of the body reports that.
    return undefined
  }
}

/** Wraps a payload in the contract's envelope, which a server may leave out (contract decision 59). */
export const wrap = (payload: string): string =>
  `{"code":0,"msg":"success","request_id":"","data":${payload.trim() === "" ? "null" : payload}}`

const isSuccess = (code: unknown): boolean =>
  code === undefined || code === null || code === 0 || code === "0" || code === "success"
