import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as BaseUrl from "@heddle/core/BaseUrl"
import { type Scope, ScopeSet } from "@heddle/core/domain/Scope"
import { TokenResponse } from "@heddle/core/domain/Token"
import { optional, WireSeconds } from "@heddle/core/domain/Wire"
import * as MonotonicClock from "@heddle/core/MonotonicClock"
import { ExpiredToken, type OpenApiError } from "@heddle/core/OpenApiError"
import * as Operation from "@heddle/core/Operation"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Transport from "@heddle/core/Transport"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as FormPost from "./internal/FormPost.ts"
import { afterRateLimit } from "./internal/RateLimitRetry.ts"
import * as TokenEndpoint from "./TokenEndpoint.ts"
import * as TokenSet from "./TokenSet.ts"

/** Where the service issues device codes, which the document does not say (contract decision 47), and who asks. */
export interface Options extends TokenEndpoint.Options {
  /** The path under the base URL, `/openapi/v2/device_authorization` at Heddle's own service. */
  readonly deviceAuthorizationPath: string
  /** The `grant_type` of the polling; RFC 8628's by default. */
  readonly deviceGrantType?: string
}

/**
 * A device authorization that waits for its user (RFC 8628, 3.2): show `userCode` and `verificationUri`, or the
 * complete address as a link or QR code. `expiresIn` and `interval` are seconds.
 */
export class Pending extends Schema.Class<Pending>("@heddle/oauth/DeviceAuthorization")({
  deviceCode: Schema.propertySignature(Schema.Redacted(Schema.NonEmptyString)).pipe(Schema.fromKey("device_code")),
  userCode: Schema.propertySignature(Schema.NonEmptyString).pipe(Schema.fromKey("user_code")),
  verificationUri: Schema.propertySignature(Schema.NonEmptyString).pipe(Schema.fromKey("verification_uri")),
  verificationUriComplete: optional(Schema.String).pipe(Schema.fromKey("verification_uri_complete")),
  expiresIn: Schema.propertySignature(WireSeconds).pipe(Schema.fromKey("expires_in")),
  interval: optional(WireSeconds),
  /** The requested scopes, which are granted where the tokens do not say. */
  scope: optional(ScopeSet)
}) {}

/** Authorization on another device, for programs without a browser of their own; the service has to offer it. */
export class DeviceAuthorization extends Context.Tag("@heddle/oauth/DeviceAuthorization")<
  DeviceAuthorization,
  {
    /** Requests a code that the user then confirms on another device; repeated after 429, as the call options say. */
    readonly start: (scopes?: ReadonlySet<Scope>) => Effect.Effect<Pending, OpenApiError>
    /**
     * Polls until the user has confirmed it, at the service's interval: `slow_down` adds 5 seconds for good, polls
     * slow down while the service fails or does not answer. Ends with `AccessDenied` where the user refused, with
     * `ExpiredToken` where the code ran out, and with the service's last failure where it failed until then.
     */
    readonly tokens: (pending: Pending) => Effect.Effect<TokenSet.TokenSet, OpenApiError>
  }
>() {}

export const layer = (
  options: Options
): Layer.Layer<DeviceAuthorization, BaseUrl.InvalidBaseUrl, HttpClient.HttpClient> =>
  Layer.effect(
    DeviceAuthorization,
    Effect.gen(function* () {
      const httpClient = yield* HttpClient.HttpClient
      const baseUrl = yield* BaseUrl.make(options.baseUrl, options)
      const post = FormPost.make(Transport.make({ httpClient, baseUrl, userAgent: options.userAgent }), options)
      const grantType = options.deviceGrantType ?? "urn:ietf:params:oauth:grant-type:device_code"

      const ask = ({ deviceCode, scope }: Pending) =>
        Effect.gen(function* () {
          const sentAt = yield* Clock.currentTimeMillis
          const response = yield* post(
            Operation.deviceToken,
            TokenEndpoint.path,
            { grant_type: grantType, device_code: Redacted.value(deviceCode) },
            HttpClientResponse.schemaBodyJson(TokenResponse)
          )
          yield* TokenEndpoint.assertUsable(Operation.deviceToken, response)
          return TokenSet.fromResponse(response, { sentAt, requested: scope })
        })

      return DeviceAuthorization.of({
        start: Effect.fn("DeviceAuthorization.start")((scopes) =>
          post(
            Operation.startDevice,
            options.deviceAuthorizationPath,
            scopes === undefined ? {} : { scope: [...scopes].join(" ") },
            HttpClientResponse.schemaBodyJson(Pending)
          ).pipe(
            afterRateLimit,
            Effect.map((pending) => (scopes === undefined ? pending : new Pending({ ...pending, scope: scopes })))
          )
        ),
        tokens: Effect.fn("DeviceAuthorization.tokens")(function* (pending) {
          const { expiresIn, interval } = pending
          const deadline = (yield* MonotonicClock.now) + Math.min(expiresIn, maxLifetimeSeconds) * 1000
          const first = Math.max(interval ?? 5, 1) * 1000
          let pace: Pace = { interval: first, wait: first }
          let failure: OpenApiError | undefined
          for (;;) {
            if ((yield* MonotonicClock.now) + pace.wait > deadline) return yield* failure ?? notConfirmed()
            yield* Effect.sleep(pace.wait)
            const answer = yield* Effect.either(ask(pending))
            if (answer._tag === "Right") return answer.right
            const next = paceAfter(answer.left, pace)
            if (next === undefined) return yield* answer.left
            pace = next
            failure = isAnswer(answer.left) ? undefined : answer.left
          }
        })
      })
    })
  )

/** The service's interval between polls, and the wait before the next, in milliseconds. */
interface Pace {
  readonly interval: number
  readonly wait: number
}

/** The pace after a poll, or nothing where the error is final (RFC 8628, 3.5). */
const paceAfter = (error: OpenApiError, { interval, wait }: Pace): Pace | undefined => {
  switch (error._tag) {
    case "AuthorizationPending":
      return { interval, wait: interval }
    case "SlowDown":
      return { interval: interval + 5_000, wait: interval + 5_000 }
    // Only its tokens use up a device code: if they were lost, the next poll says so.
    case "RateLimited":
    case "ServiceFailure":
    case "OutcomeUnknown":
    case "Unreachable": {
      const requested = Duration.toMillis(RetryPolicy.requestedWait(error))
      return { interval, wait: Math.max(interval, Math.min(wait * 2, slowest), requested) }
    }
    default:
      return undefined
  }
}

const notConfirmed = () =>
  new ExpiredToken({ code: "expired_token", description: "The user did not confirm it in time" })

/** Whether the service said what became of the code. */
const isAnswer = ({ _tag }: OpenApiError): boolean => _tag === "AuthorizationPending" || _tag === "SlowDown"

const slowest = 60_000

/** The longest time to wait for the user, whatever the service says, in seconds: one day. */
const maxLifetimeSeconds = 86_400
