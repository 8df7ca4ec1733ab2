import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { AccessToken } from "./AccessToken.ts"
import * as BaseUrl from "./BaseUrl.ts"
import * as CallOptions from "./CallOptions.ts"
import { type Api, type ApiOf, make as makeApi } from "./internal/Api.ts"
import * as Attempt from "./internal/Attempt.ts"
import * as Exchange from "./internal/Exchange.ts"
import * as FetchSend from "./internal/FetchSend.ts"
import * as HttpClientSend from "./internal/HttpClientSend.ts"
import * as IdempotencyKeys from "./internal/IdempotencyKeys.ts"
import type { Send } from "./internal/Request.ts"
import * as Span from "./internal/Span.ts"
import * as RateLimitPause from "./RateLimitPause.ts"
import * as Metrics from "./Metrics.ts"
import * as MonotonicClock from "./MonotonicClock.ts"
import { type OpenApiError, Reauthorize, Unreachable } from "./OpenApiError.ts"
import * as Operation from "./Operation.ts"
import * as RetryPolicy from "./RetryPolicy.ts"

/** Where the service is, and who calls it. */
export interface Options {
  readonly baseUrl: string
  /** Allows `http` beyond this machine. */
  readonly allowInsecure?: boolean
  /** The `User-Agent` of requests; `heddle-core/<version>` by default, in browsers the browser's own. */
  readonly userAgent?: string
  /**
   * Whether the service keeps idempotency keys, which the document does not promise. `auto`, the default: once an
   * answer carried `Accept-Idempotency-Key: true`. Without kept keys, a write whose answer was lost is not repeated.
   */
  readonly idempotencyKeys?: "auto" | boolean
}

export type { Api }

/** The contract as a client, speaking for the user whose {@link AccessToken} it was built with. */
export class OpenApiClient extends Context.Tag("@heddle/core/OpenApiClient")<
  OpenApiClient,
  {
    /**
     * Sends one operation: bearer token in, renewal and waits by {@link RetryPolicy} and {@link CallOptions}, typed
     * error out. `idempotencyKey` is sent in the header of a keyed write and overrides the one of the call options.
     * It makes the write safe to repeat where the service keeps keys.
     */
    readonly call: <A>(
      operation: Operation.Operation,
      send: (api: Api) => Effect.Effect<A, OpenApiError>,
      options?: KeyOption
    ) => Effect.Effect<A, OpenApiError>
    /**
     * Whether the service is known to keep idempotency keys, by {@link Options.idempotencyKeys}. Before the first
     * answer it reads the profile to find out, in one try of at most 10 s; `false` where that gets no answer.
     */
    readonly keepsIdempotencyKeys: Effect.Effect<boolean>
  }
>() {}

/** The client of the service at `baseUrl`, on the platform's HTTP client. */
export const layer = (
  options: Options
): Layer.Layer<OpenApiClient, BaseUrl.InvalidBaseUrl, HttpClient.HttpClient | AccessToken> =>
  Layer.effect(
    OpenApiClient,
    Effect.flatMap(AccessToken, (accessToken) => Effect.map(makeForUsers(options), (clientOf) => clientOf(accessToken)))
  )

/** Makes the client of each user from that user's access token. */
export type ClientOf = (accessToken: Context.Tag.Service<AccessToken>) => Context.Tag.Service<OpenApiClient>

/**
 * Clients of the service at `baseUrl` for any number of users, each from that user's access token. The contract is
 * derived once for all of them, which is most of what a client costs.
 */
export const makeForUsers = (
  options: Options
): Effect.Effect<ClientOf, BaseUrl.InvalidBaseUrl, HttpClient.HttpClient> =>
  Effect.flatMap(HttpClient.HttpClient, (httpClient) => makeOver(options, HttpClientSend.make(httpClient)))

/** {@link makeForUsers} on a `fetch` function alone, which in a browser is much less to load. */
export const makeOnFetch = (
  options: Options,
  fetch: typeof globalThis.fetch
): Effect.Effect<ClientOf, BaseUrl.InvalidBaseUrl> => makeOver(options, FetchSend.make(fetch))

const makeOver = (options: Options, send: Send): Effect.Effect<ClientOf, BaseUrl.InvalidBaseUrl> =>
  Effect.map(BaseUrl.make(options.baseUrl, options), (baseUrl) => {
    const keys = IdempotencyKeys.make(options.idempotencyKeys ?? "auto")
    const exchange = Exchange.make({ send, baseUrl, userAgent: options.userAgent, observe: keys.observe })
    const apiOf = makeApi(exchange)
    return (accessToken) => make(apiOf, accessToken, keys)
  })

const make = (
  apiOf: ApiOf,
  accessToken: Context.Tag.Service<AccessToken>,
  keys: IdempotencyKeys.IdempotencyKeys
): Context.Tag.Service<OpenApiClient> => {
  const pause = RateLimitPause.make()

  const client: Context.Tag.Service<OpenApiClient> = {
    call: <A>(
      contractOperation: Operation.Operation,
      send: (api: Api) => Effect.Effect<A, OpenApiError>,
      callOptions?: KeyOption
    ) =>
      Effect.withFiberRuntime<A, OpenApiError>((fiber) => {
        const plan = planOf(fiber, contractOperation, keys, callOptions)
        // `operation` is repeated only where an idempotency key makes that safe.
        const { endsAt, operation } = plan
        let lastToken: Redacted.Redacted | undefined
        let renewedToken: Redacted.Redacted | undefined

        const acquireToken = (previousError: OpenApiError | undefined) =>
          previousError !== undefined && RetryPolicy.isRefusedToken(previousError) && lastToken !== undefined
            ? Metrics.count(Metrics.renewals, operation.name).pipe(
                Effect.zipRight(withRefusalDetails(accessToken.renew(lastToken), previousError)),
                Effect.filterOrFail(isOtherThan(lastToken), () => previousError),
                Effect.tap((token) => Effect.sync(() => void (renewedToken = token)))
              )
            : accessToken.current

        const attempt = ({ number, previousError }: RetryPolicy.Try) => {
          const sendWith = (current: Redacted.Redacted) => {
            lastToken = current
            const remaining = endsAt - MonotonicClock.ofFiber(fiber)
            if (remaining <= 0) return unreachable(operation, "its deadline had passed before it was sent")
            const running: Attempt.Attempt = {
              operation,
              timeout: Duration.min(plan.timeout, Duration.millis(remaining)),
              headers: plan.headers,
              onResponse: plan.onResponse,
              info: undefined
            }
            return Attempt.run(running, send(apiOf(running, current)), {
              number,
              previousErrorTag: previousError?._tag
            })
          }
          const sent = Effect.suspend(() =>
            Effect.flatMap(withinDeadline(operation, endsAt, acquireToken(previousError)), sendWith)
          )
          return pause.isOver(MonotonicClock.ofFiber(fiber))
            ? sent
            : pause.awaitEnd(endsAt).pipe(
                Effect.tap((waited) => Metrics.recordRateLimitWait(operation.name, waited)),
                Effect.zipRight(sent)
              )
        }

        return RetryPolicy.apply({ operation, tries: plan.tries, endsAt, onRateLimited: pause.extend })(attempt).pipe(
          Effect.tapError((error) =>
            RetryPolicy.isRefusedToken(error) && renewedToken !== undefined && renewedToken === lastToken
              ? (accessToken.refusedAgain?.(renewedToken) ?? Effect.void)
              : Effect.void
          )
        )
      }),
    keepsIdempotencyKeys: Span.within(
      "OpenApiClient.keepsIdempotencyKeys",
      Effect.suspend(() =>
        keys.isDecided()
          ? Effect.void
          : // Even a refusal tells it.
            Effect.ignore(client.call(Operation.profile, (api) => api.user.profile({})))
      ).pipe(CallOptions.with({ retry: "none", deadline: "10 seconds" }), Effect.map(keys.areKept))
    )
  }
  return client
}

type KeyOption = { readonly idempotencyKey?: string | undefined }

/** The options of this call: those of the caller win over the fiber's call options, and these over the defaults. */
const planOf = (
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  contractOperation: Operation.Operation,
  keys: IdempotencyKeys.IdempotencyKeys,
  callOptions: KeyOption = {}
) => {
  const options = Context.get(fiber.currentContext, CallOptions.CallOptions)
  const idempotencyKey = callOptions.idempotencyKey ?? options.idempotencyKey
  const extraHeaders = CallOptions.extraHeaders(options)
  return {
    operation: Operation.withKey(contractOperation, keys.areKept() ? idempotencyKey : undefined),
    timeout: Duration.decode(options.timeout ?? Attempt.defaultTimeout),
    endsAt: MonotonicClock.ofFiber(fiber) + Duration.toMillis(CallOptions.deadlineOf(options)),
    onResponse: options.onResponse,
    tries: CallOptions.triesOf(options) ?? RetryPolicy.defaultTries,
    headers:
      contractOperation.keyIn === "header" && idempotencyKey !== undefined
        ? { ...extraHeaders, "idempotency-key": idempotencyKey }
        : extraHeaders
  }
}

/**
 * The access token, if it arrives before the deadline. Its errors occur before the operation is sent, so a lost
 * renewal does not make the outcome of a write unknown.
 */
const withinDeadline = (
  operation: Operation.Operation,
  endsAt: number,
  token: Effect.Effect<Redacted.Redacted, OpenApiError>
): Effect.Effect<Redacted.Redacted, OpenApiError> =>
  // A token that is already available needs no timeout.
  Exit.isExit(token)
    ? token
    : Effect.flatMap(MonotonicClock.now, (now) =>
        token.pipe(
          Effect.catchTag("OutcomeUnknown", ({ reason, requestId, status }) =>
            Effect.fail(
              unreachable(operation, `its access token could not be renewed (${reason})`, {
                ...(status === undefined ? {} : { status }),
                ...(requestId === undefined ? {} : { requestId })
              })
            )
          ),
          RetryPolicy.timeoutFailDisconnected({
            duration: Duration.millis(endsAt - now),
            onTimeout: () => unreachable(operation, "there was no access token in time")
          })
        )
      )

const unreachable = (
  operation: Operation.Operation,
  reason: string,
  response: { readonly status?: number; readonly requestId?: string } = {}
) => new Unreachable({ operation: operation.name, reason, ...response })

const isOtherThan = (refused: Redacted.Redacted) => (token: Redacted.Redacted) =>
  Redacted.value(token) !== Redacted.value(refused)

/** Adds the details of the refused access token to a `Reauthorize` without details. */
const withRefusalDetails = (
  renewal: Effect.Effect<Redacted.Redacted, OpenApiError>,
  { description, requestId, status }: RetryPolicy.RefusedToken
): Effect.Effect<Redacted.Redacted, OpenApiError> =>
  Effect.catchTag(renewal, "Reauthorize", (error) =>
    Effect.fail(
      error.status === undefined
        ? new Reauthorize({
            reason: error.reason,
            status,
            description,
            ...(requestId === undefined ? {} : { requestId })
          })
        : error
    )
  )
