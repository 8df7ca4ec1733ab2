import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** A body as text; `whole` is false where it is longer than the limit or broke off. */
export interface Body {
  readonly text: string
  readonly whole: boolean
  readonly broken: boolean
}

/** Reads at most `limit` bytes of a body; what has arrived of a refusal before a break is kept. */
export const read = (response: HttpClientResponse.HttpClientResponse, limit: number): Effect.Effect<Body> =>
  isBoundedSuccess(response, limit) ? atOnce(response) : inPieces(response, limit)

/**
 * Whether the length that HTTP itself holds the body to is within the limit: a packed body may unfold to any length.
 */
const isBoundedSuccess = ({ headers, status }: HttpClientResponse.HttpClientResponse, limit: number): boolean => {
  const length = headers["content-length"] ?? ""
  const isPacked = headers["content-encoding"] !== undefined || headers["transfer-encoding"] !== undefined
  return status >= 200 && status < 300 && /^\d+$/.test(length) && Number(length) <= limit && !isPacked
}

/** Far less work than a stream, for what nearly every answer is. */
const atOnce = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<Body> =>
  Effect.match(response.text, {
    onFailure: () => ({ text: "", whole: false, broken: true }),
    onSuccess: (text) => ({ text, whole: true, broken: false })
  })

const inPieces = (response: HttpClientResponse.HttpClientResponse, limit: number): Effect.Effect<Body> =>
  Effect.suspend(() => {
    const decoder = new TextDecoder()
    const parts: Array<string> = []
    let size = 0
    const result = (broken: boolean): Body => ({
      text: parts.join("") + decoder.decode(),
      whole: !broken && size <= limit,
      broken
    })
    return Stream.runForEachWhile(response.stream, (chunk) =>
      Effect.sync(() => {
        size += chunk.length
        parts.push(decoder.decode(chunk, { stream: true }))
        return size <= limit
      })
    ).pipe(
      Effect.map(() => result(false)),
      Effect.catchAll((error) => Effect.sync(() => result(error.reason !== "EmptyBody")))
    )
  })

/** The payload of a success as JSON text, and the request id of its envelope; or an envelope that reports a failure. */
export type Payload =
  | { readonly _tag: "Payload"; readonly json: string; readonly requestId?: string }
  | { readonly _tag: "Failure" }

/**
 * Takes the payload of a success: `data` where the body is an envelope, else the body itself (contract decisions 7,
 * 59).
 */
export const unwrap = (text: string): Payload => {
  const bare: Payload = { _tag: "Payload", json: text }
  if (!/^\s*\{/.test(text) || !/"code"\s*:/.test(text)) return bare
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== "object" || body === null || !("code" in body) || !("data" in body || "msg" in body)) {
      return bare
    }
    if (!isSuccess(body.code)) return { _tag: "Failure" }
    const trace = "request_id" in body && typeof body.request_id === "string" ? { requestId: body.request_id } : {}
    return "data" in body ? { _tag: "Payload", json: JSON.stringify(body.data), ...trace } : { ...bare, ...trace }
  } catch {
    // No JSON, or nested too deeply to be written again: the decoder above reports the broken contract.
    return bare
  }
}

/** A body as JSON, or nothing where it is none. */
export const json = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // HTML pages and truncated responses are no JSON; the decoder of the body reports that.
    return undefined
  }
}

/** A payload in the envelope that the contract gives it, whether or not the server sent one (contract decision 59). */
export const wrap = (payload: string): string =>
  `{"code":0,"msg":"success","request_id":"","data":${payload.trim() === "" ? "null" : payload}}`

const isSuccess = (code: unknown): boolean =>
  code === undefined || code === null || code === 0 || code === "0" || code === "success"
