import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Tracer from "effect/Tracer"
import type { RawResponse } from "../CallOptions.ts"
import * as Metrics from "../Metrics.ts"
import type { OpenApiError } from "../OpenApiError.ts"
import type { Operation } from "../Operation.ts"
import type { ResponseInfo } from "./Request.ts"
import * as ResponseErrors from "./ResponseErrors.ts"
import * as Span from "./Span.ts"

/** One attempt at an operation. */
export interface Attempt {
  readonly operation: Operation
  /** How long it may take, from its first byte to the last byte of its answer. */
  readonly timeout: Duration.Duration
  /** Extra headers, besides those of the contract and the client. */
  readonly headers: Readonly<Record<string, string>>
  /** Receives the whole response. */
  readonly onResponse?: ((response: RawResponse) => Effect.Effect<void>) | undefined
  /** Set when the response arrives, first from its headers and then from its body. */
  info: ResponseInfo | undefined
  /** The span of the attempt, if somebody sees it; the fiber that sends the request has it as its parent. */
  span?: Tracer.Span
}

/** How long one attempt may take by default. */
export const defaultTimeout: Duration.Duration = Duration.seconds(30)

/** The current attempt, for the clients that the platform derives from the contract. */
export class CurrentAttempt extends Context.Reference<CurrentAttempt>()("@heddle/core/CurrentAttempt", {
  defaultValue: (): Attempt => ({
    operation: { name: "request", endpoint: "request", successStatus: 200, enveloped: false, repeat: "once" },
    timeout: defaultTimeout,
    headers: {},
    info: undefined
  })
}) {}

/**
 * Runs an attempt with a metric, and a span if somebody sees it. `number` counts attempts from 1. `previousErrorTag` names
 * the error of the previous one.
 */
export const run = <A, R>(
  attempt: Attempt,
  call: Effect.Effect<A, OpenApiError, R>,
  options: { readonly number?: number; readonly previousErrorTag?: string | undefined }
): Effect.Effect<A, OpenApiError, R> =>
  Effect.withFiberRuntime<A, OpenApiError, R>((fiber) => {
    const settled = Effect.matchEffect(call, {
      onSuccess: (value) => Effect.as(settle(attempt, "Success"), value),
      onFailure: (cause) => {
        const error = ResponseErrors.withResponse(cause, attempt.info)
        return Effect.zipRight(settle(attempt, error._tag), Effect.fail(error))
      }
    })
    if (!Span.areSeen(fiber)) return settled
    const spanOptions = {
      kind: "client",
      captureStackTrace: false,
      attributes: {
        operation: attempt.operation.name,
        attempt: options.number ?? 1,
        ...(options.previousErrorTag === undefined ? {} : { retry: options.previousErrorTag })
      }
    } as const
    return Effect.useSpan("OpenApi.attempt", spanOptions, (span) => {
      attempt.span = span
      return settled
    })
  })

const settle = ({ info, operation, span }: Attempt, outcome: string): Effect.Effect<void> => {
  if (info !== undefined) span?.attribute("status", info.status)
  if (info?.requestId !== undefined) span?.attribute("request_id", info.requestId)
  return Metrics.count(Metrics.attempts, operation.name, outcome)
}
