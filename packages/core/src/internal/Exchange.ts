import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import { ParentSpan } from "effect/Tracer"
import type { BaseUrl } from "../BaseUrl.ts"
import { type OpenApiError, Unreachable } from "../OpenApiError.ts"
import type { Operation } from "../Operation.ts"
import * as MonotonicClock from "../MonotonicClock.ts"
import type { Attempt } from "./Attempt.ts"
import * as Deprecations from "./Deprecations.ts"
import type { Request, Response, Running, Send, SendFailure, SentRequest } from "./Request.ts"
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
    Effect.withFiberRuntime((fiber, { runtimeFlags }) => {
      for (const name in attempt.headers) {
        if (!isHeader(name, attempt.headers[name] ?? "")) {
          return ResponseErrors.invalidRequest(`its header ${JSON.stringify(name.slice(0, 64))}`)
        }
      }
      const { operation, span, timeout } = attempt
      const sent: SentRequest = {
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
      const context = span === undefined ? fiber.currentContext : Context.add(fiber.currentContext, ParentSpan, span)
      const runtime = Runtime.make({ context, fiberRefs: fiber.getFiberRefs(), runtimeFlags })
      const endsAt = MonotonicClock.ofFiber(fiber) + Duration.toMillis(timeout)
      const onTimeout = () => ResponseErrors.lostResponse(operation, `no answer within ${Duration.format(timeout)}`)

      const receive = async (wait: Wait): Promise<Effect.Effect<unknown, OpenApiError>> => {
        const exit = await wait(send(sent, runtime))
        if (Exit.isFailure(exit)) {
          return Exit.failCause(Cause.map(exit.cause, (failure) => toTransportError(operation, failure)))
        }
        const response = exit.value
        observe?.(response)
        const reader = ResponseReader.make(attempt, sent, response)
        const result = reader.interpret(await wait(response.body(reader.limit)))
        const report = reportDeprecation(operation.name, sent, response)
        if (Exit.isExit(result) && report === undefined) return result
        const looked = Effect.zipRight(report ?? Effect.void, result)
        const duration = Duration.millis(endsAt - MonotonicClock.ofFiber(fiber))
        return Timeout.within(looked, { duration, onTimeout, context: () => context })
      }

      return Effect.async<unknown, OpenApiError>((resume) => {
        const work = begin(receive)
        const stopTimer = Timeout.after(
          Context.get(fiber.currentDefaultServices, Clock.Clock),
          timeout,
          runtime,
          () => {
            work.stop()
            resume(onTimeout())
          }
        )
        const onDefect = (defect: unknown) => {
          work.stop()
          return Effect.die(defect)
        }
        void work.result.catch(onDefect).then((result) => {
          stopTimer()
          resume(result)
        })
        return Effect.sync(() => {
          work.stop()
          stopTimer()
        })
      })
    })
}

/** Waits for one step of some work; stopping the work stops its current step. */
type Wait = <A>(step: Running<A>) => Promise<A>

const begin = <A>(work: (wait: Wait) => Promise<A>): Running<A> => {
  let isStopped = false
  let stopStep: () => void = () => undefined
  const wait: Wait = (step) => {
    stopStep = step.stop
    if (isStopped) step.stop()
    return step.result
  }
  return {
    result: work(wait),
    stop: () => {
      isStopped = true
      stopStep()
    }
  }
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
