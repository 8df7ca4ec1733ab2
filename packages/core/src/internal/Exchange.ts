import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { ParentSpan } from "effect/Tracer"
import type { BaseUrl } from "../BaseUrl.ts"
import { type OpenApiError, Unreachable } from "../OpenApiError.ts"
import type { Operation } from "../Operation.ts"
import type { Attempt } from "./Attempt.ts"
import * as Deprecations from "./Deprecations.ts"
import type { Request, Response, Send, SendFailure, SentRequest } from "./Request.ts"
import * as ResponseErrors from "./ResponseErrors.ts"
import * as ResponseReader from "./ResponseReader.ts"
import * as Timeout from "./Timeout.ts"
import * as TransportFailure from "./TransportFailure.ts"
import { version } from "./Version.ts"

/**
 * Sends one request and reads its answer, within the timeout of the attempt: the JSON of a success, which is `undefined`
 * if it is not JSON, or the error of the operation.
 */
export type Exchange = (
  attempt: Attempt,
  token: Redacted.Redacted | undefined,
  request: Request
) => Effect.Effect<unknown, OpenApiError>

export interface Options {
  readonly send: Send
  readonly baseUrl: BaseUrl
  readonly userAgent?: string | undefined
  /** Sees the status and headers of every answer. */
  readonly observe?: ((answer: Pick<Response, "status" | "headers">) => void) | undefined
}

/** The `User-Agent` of requests, unless the client has another one. */
export const defaultUserAgent = `heddle-core/${version}`

export const make = ({ baseUrl, observe, send, ...options }: Options): Exchange => {
  const userAgent = options.userAgent ?? (isBrowser() ? undefined : defaultUserAgent)
  const userAgentHeader = userAgent === undefined ? {} : { "user-agent": userAgent }
  const reportDeprecation = Deprecations.make()

  return (attempt, token, { body, headers, method, path }) =>
    Effect.suspend(() => {
      for (const name in attempt.headers) {
        if (!isHeader(name, attempt.headers[name] ?? "")) {
          return ResponseErrors.invalidRequest(`its header ${JSON.stringify(name.slice(0, 64))}`)
        }
      }
      const { operation, span, timeout } = attempt
      const request: SentRequest = {
        method,
        url: baseUrl + path,
        headers: {
          ...headers,
          ...userAgentHeader,
          ...attempt.headers,
          ...(token === undefined ? {} : { authorization: `Bearer ${Redacted.value(token)}` })
        },
        body
      }
      const answer = Effect.matchEffect(send(request), {
        onFailure: (failure) => Effect.fail(toTransportError(operation, failure)),
        onSuccess: (response) => {
          observe?.(response)
          const report = reportDeprecation(operation.name, request, response)
          const read = ResponseReader.read(attempt, request, response)
          return report === undefined ? read : Effect.zipRight(report, read)
        }
      })
      return Timeout.within(answer, {
        duration: timeout,
        onTimeout: () => ResponseErrors.lostResponse(operation, `no answer within ${Duration.format(timeout)}`),
        context: (context) => (span === undefined ? context : Context.add(context, ParentSpan, span))
      })
    })
}

const toTransportError = (operation: Operation, { cause, isInvalid }: SendFailure): OpenApiError => {
  if (isInvalid) return ResponseErrors.invalidRequest("what it should carry")
  const { neverSent, reason } = TransportFailure.read(cause)
  return neverSent
    ? new Unreachable({ operation: operation.name, reason })
    : ResponseErrors.lostResponse(operation, reason)
}

const isHeader = (name: string, value: string): boolean =>
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

/** Browsers set their own `User-Agent`; another one needs a CORS permission that the service may not give. */
const isBrowser = (): boolean => "document" in globalThis || "WorkerGlobalScope" in globalThis
