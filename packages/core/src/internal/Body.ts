/** A body as text. `isComplete` is false if it exceeds the limit or breaks off; `isBroken` only if it breaks off. */
export interface Body {
  readonly text: string
  readonly isComplete: boolean
  readonly isBroken: boolean
}

/** Collects a body up to `limit` bytes. If the body of a refusal breaks off, the part that arrived is kept. */
export const pieces = (limit: number) => {
  const parts: Array<Uint8Array> = []
  let bytes = 0
  return {
    /** Adds a piece; whether the next one is wanted. */
    add: (piece: Uint8Array): boolean => {
      bytes += piece.length
      parts.push(piece)
      return bytes <= limit
    },
    end: ({ isBroken }: { readonly isBroken: boolean }): Body => ({
      text: decoder.decode(joined(parts, bytes)),
      isComplete: !isBroken && bytes <= limit,
      isBroken
    })
  }
}

/** Decodes whole bodies only: it keeps no state, and one for each body would cost more than decoding. */
const decoder = /* @__PURE__ */ new TextDecoder()

const joined = (parts: ReadonlyArray<Uint8Array>, bytes: number): Uint8Array => {
  const [first] = parts
  if (first !== undefined && parts.length === 1) return first
  const whole = new Uint8Array(bytes)
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

/** The payload of a success, and the request id of its envelope; or an envelope that reports a failure. */
export type Payload =
  | { readonly _tag: "Payload"; readonly value: unknown; readonly requestId?: string }
  | { readonly _tag: "Failure" }

/**
 * The payload of a success: `data` of an envelope, else the body itself (contract decisions 7, 59).
 */
export const unwrap = (body: unknown): Payload => {
  const wholeBody = { _tag: "Payload", value: body } as const
  if (typeof body !== "object" || body === null || !("code" in body) || !("data" in body || "msg" in body)) {
    return wholeBody
  }
  if (!isSuccess(body.code)) return { _tag: "Failure" }
  const requestId = "request_id" in body && typeof body.request_id === "string" ? { requestId: body.request_id } : {}
  return "data" in body ? { _tag: "Payload", value: body.data, ...requestId } : { ...wholeBody, ...requestId }
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

/** Puts a payload into the contract's envelope, which a server may leave out (contract decision 59). */
export const wrap = (payload: unknown): unknown => ({ code: 0, msg: "success", request_id: "", data: payload })

const isSuccess = (code: unknown): boolean =>
  code === undefined || code === null || code === 0 || code === "0" || code === "success"
