import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { AccessToken } from "./AccessToken.ts"
import { OpenApi } from "./api/OpenApi.ts"
import * as BaseUrl from "./BaseUrl.ts"
import * as CallOptions from "./CallOptions.ts"
import * as RateLimitPause from "./internal/RateLimitPause.ts"
import * as Metrics from "./Metrics.ts"
import { type InvalidToken, type OpenApiError, Reauthorize, Unreachable } from "./OpenApiError.ts"
import * as Operation from "./Operation.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import * as Transport from "./Transport.ts"

/** Where the service is, and who calls it. */
export interface Options {
  readonly baseUrl: string
  /** Allows `http` beyond this machine. */
  readonly allowInsecure?: boolean
  /** The name that requests carry; `heddle-core/<version>` by default, in browsers their own. */
  readonly userAgent?: string
}

/** The contract's derived client, one method per endpoint. */
export type Api = Effect.Effect.Success<ReturnType<typeof derive>>

/** The contract as a client, speaking for the user whose {@link AccessToken} it was built with. */
export class OpenApiClient extends Context.Tag("@heddle/core/OpenApiClient")<
  OpenApiClient,
  {
    /**
     * Sends one operation: bearer token in, renewal and waits by {@link RetryPolicy} and {@link CallOptions}, typed
     * error out. `idempotencyKey` is sent in the header of a keyed write, which makes it safe to repeat; it wins over
     * that of the call options.
     */
    readonly call: <A>(
      operation: Operation.Operation,
      send: (api: Api) => Effect.Effect<A, OpenApiError | Transport.DerivedError>,
      options?: { readonly idempotencyKey?: string | undefined }
    ) => Effect.Effect<A, OpenApiError>
  }
>() {}

/** The client of the service at `baseUrl`, on whatever HTTP client the platform gives. */
export const layer = (
  options: Options
): Layer.Layer<OpenApiClient, BaseUrl.InvalidBaseUrl, HttpClient.HttpClient | AccessToken> =>
  Layer.effect(
    OpenApiClient,
    Effect.flatMap(AccessToken, (accessToken) => Effect.map(makeForUsers(options), (clientOf) => clientOf(accessToken)))
  )

/**
 * Clients of the service at `baseUrl` for any number of users, each from that user's access token. The contract is
 * derived once for all of them, which is most of what a client costs.
 */
export const makeForUsers = Effect.fn("OpenApiClient.makeForUsers")(function* (
  options: Options
): Effect.fn.Return<
  (accessToken: Context.Tag.Service<AccessToken>) => Context.Tag.Service<OpenApiClient>,
  BaseUrl.InvalidBaseUrl,
  HttpClient.HttpClient
> {
  const httpClient = yield* HttpClient.HttpClient
  const baseUrl = yield* BaseUrl.make(options.baseUrl, options)
  const api = yield* derive(Transport.make({ httpClient, baseUrl, userAgent: options.userAgent }))
  return (accessToken) => make(api, accessToken)
})

const make = (api: Api, accessToken: Context.Tag.Service<AccessToken>): Context.Tag.Service<OpenApiClient> => {
  const pause = RateLimitPause.make()

  return OpenApiClient.of({
    call: Effect.fnUntraced(function* (declared, send, own) {
      const plan = yield* planOf(declared, own)
      const { endsAt, operation } = plan
      let used: Redacted.Redacted | undefined

      const token = (after: OpenApiError | undefined) =>
        after?._tag === "InvalidToken" && used !== undefined
          ? Effect.zipRight(Metrics.count(Metrics.renewals, operation.name), because(accessToken.renew(used), after))
          : accessToken.current

      const attempt = Effect.fnUntraced(function* ({ after, number }: RetryPolicy.Try) {
        const waited = yield* pause.awaitEnd(endsAt)
        if (waited > 0) yield* Metrics.waited(operation.name, waited)
        const current = yield* inTime(operation, endsAt, token(after))
        used = current
        const left = endsAt - (yield* Clock.currentTimeMillis)
        if (left <= 0) return yield* unsent(operation, "its deadline had passed before it was sent")
        return yield* Transport.run(operation, send(api), {
          timeout: Duration.min(plan.timeout, Duration.millis(left)),
          headers: plan.headers,
          onResponse: plan.onResponse,
          number,
          retry: after?._tag
        }).pipe(Effect.provideService(Transport.BearerToken, Option.some(current)))
      })

      return yield* RetryPolicy.apply({ operation, tries: plan.tries, endsAt, onLimited: pause.extend })(attempt)
    })
  })
}

const derive = (httpClient: Transport.Transport) => HttpApiClient.makeWith(OpenApi, { httpClient })

/** How this call of an operation is made: what its caller says first, then the call options, then the defaults. */
const planOf = Effect.fnUntraced(function* (
  declared: Operation.Operation,
  own: Parameters<Context.Tag.Service<OpenApiClient>["call"]>[2] = {}
) {
  const options = yield* CallOptions.CallOptions
  const idempotencyKey = own.idempotencyKey ?? options.idempotencyKey
  return {
    operation: Operation.withKey(declared, idempotencyKey),
    timeout: Duration.decode(options.timeout ?? Transport.attemptTimeout),
    endsAt: (yield* Clock.currentTimeMillis) + Duration.toMillis(options.deadline ?? defaultDeadline),
    onResponse: options.onResponse,
    tries: CallOptions.triesOf(options) ?? RetryPolicy.defaultTries,
    headers: {
      ...CallOptions.extraHeaders(options),
      ...(declared.key === "header" && idempotencyKey !== undefined ? { "idempotency-key": idempotencyKey } : {})
    }
  }
})

/** How long one call may take by default, with all its attempts and waits. */
const defaultDeadline = Duration.minutes(2)

/**
 * The access token, while there is time for it. What goes wrong with it goes wrong before the operation is sent:
 * that a renewal was lost does not make a write uncertain.
 */
const inTime = (
  operation: Operation.Operation,
  endsAt: number,
  token: Effect.Effect<Redacted.Redacted, OpenApiError>
): Effect.Effect<Redacted.Redacted, OpenApiError> =>
  // A token that is there already needs no clock.
  Exit.isExit(token)
    ? token
    : Effect.flatMap(Clock.currentTimeMillis, (now) =>
        token.pipe(
          Effect.catchTag("OutcomeUnknown", ({ reason, requestId, status }) =>
            Effect.fail(
              unsent(operation, `its access token could not be renewed (${reason})`, {
                ...(status === undefined ? {} : { status }),
                ...(requestId === undefined ? {} : { requestId })
              })
            )
          ),
          Effect.disconnect,
          Effect.timeoutFail({
            duration: Duration.millis(endsAt - now),
            onTimeout: () => unsent(operation, "there was no access token in time")
          })
        )
      )

const unsent = (
  operation: Operation.Operation,
  reason: string,
  answer: { readonly status?: number; readonly requestId?: string } = {}
) => new Unreachable({ operation: operation.name, reason, ...answer })

/** A renewal whose `Reauthorize` has the details of the refused access token, unless it has its own. */
const because = (
  renewal: Effect.Effect<Redacted.Redacted, OpenApiError>,
  { description, requestId, status }: InvalidToken
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
