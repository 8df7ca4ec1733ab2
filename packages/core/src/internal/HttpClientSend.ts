import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as FiberRefs from "effect/FiberRefs"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Body from "./Body.ts"
import * as BodySource from "./BodySource.ts"
import type { Response, Running, Send, SendFailure, SentRequest } from "./Request.ts"

/**
 * Sends requests with the platform's client: without its span, which would have URLs and headers, without trace
 * headers, and without redirects.
 */
export const make = (httpClient: HttpClient.HttpClient): Send => {
  // Without a scope, the platform aborts each request when its response is collected, even a finished one.
  const { execute } = HttpClient.withScope(httpClient)
  return (request, runtime) => {
    const scope = Effect.runSync(Scope.make())
    const abort = () => void Effect.runFork(Scope.close(scope, Exit.void))
    const { result, stop } = run(
      Runtime.make({
        ...runtime,
        context: runtime.context.pipe(Context.merge(noRedirects), Context.add(Scope.Scope, scope)),
        fiberRefs: FiberRefs.updateAs(runtime.fiberRefs, {
          fiberId: FiberId.none,
          fiberRef: HttpClient.currentTracerDisabledWhen,
          value: always
        })
      }),
      execute(toPlatform(request))
    )
    return {
      result: result.then((exit) => {
        // A layer of the caller's client may have given up a request that still runs.
        if (Exit.isFailure(exit)) abort()
        return Exit.mapBoth(exit, {
          onFailure: failureOf,
          onSuccess: (response) => responseOf(response, runtime, abort)
        })
      }),
      stop: () => {
        stop()
        abort()
      }
    }
  }
}

/** Runs an effect in a fiber of its own. */
const run = <A, E, R>(runtime: Runtime.Runtime<R>, effect: Effect.Effect<A, E, R>): Running<Exit.Exit<A, E>> => {
  // A caller that cannot be interrupted still has a timeout. An error that ends a fiber is logged, and this one has the token.
  const fiber = Runtime.runFork(runtime, Effect.exit(Effect.interruptible(effect)))
  return {
    result: new Promise((resolve) => fiber.addObserver((exit) => resolve(Exit.flatten(exit)))),
    stop: () => {
      if (fiber.unsafePoll() === null) fiber.unsafeInterruptAsFork(FiberId.none)
    }
  }
}

const noRedirects = Context.make(FetchHttpClient.RequestInit, { redirect: "manual" })
const always = () => true

const toPlatform = ({ body, headers, method, url }: SentRequest): HttpClientRequest.HttpClientRequest => {
  const request = HttpClientRequest.make(method)(url, { headers })
  return body === undefined ? request : HttpClientRequest.bodyText(request, body.text, body.contentType)
}

const failureOf = (error: HttpClientError.HttpClientError): SendFailure => ({
  _tag: "SendFailure",
  isInvalid: error._tag === "RequestError" && error.reason !== "Transport",
  cause: error.cause
})

const responseOf = (
  response: HttpClientResponse.HttpClientResponse,
  runtime: Runtime.Runtime<never>,
  abort: () => void
): Response => {
  const { headers, status } = response
  const source = BodySource.of(response)
  return {
    status,
    headers,
    body: (limit) =>
      source === undefined ? readStream(response, limit, runtime, abort) : BodySource.read(source, limit)
  }
}

const readStream = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number,
  runtime: Runtime.Runtime<never>,
  abort: () => void
): Running<Body.Body> => {
  const pieces = Body.pieces(limit)
  const isBroken = Stream.runForEachWhile(response.stream, (chunk) => Effect.sync(() => pieces.add(chunk))).pipe(
    Effect.match({ onFailure: ({ reason }) => reason !== "EmptyBody", onSuccess: () => false })
  )
  const { result, stop } = run(runtime, isBroken)
  return {
    result: result.then((exit) => {
      if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
      return pieces.end({ isBroken: exit.value })
    }),
    stop: () => {
      stop()
      abort()
    }
  }
}
