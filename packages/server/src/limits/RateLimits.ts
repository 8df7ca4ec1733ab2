import type { RateLimited } from "@heddle/core/OpenApiError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as IpAddress from "../internal/IpAddress.ts"
import * as Attempts from "./Attempts.ts"
import * as KeyHash from "./KeyHash.ts"
import * as RateLimiter from "./RateLimiter.ts"
import * as ApiError from "../internal/ApiError.ts"
import * as Metrics from "../observability/Metrics.ts"
import { ServerConfig, type Rates } from "../config/ServerConfig.ts"

/**
 * The rate limits of requests (contract decision 17). Every check is synchronous and in memory, because it runs first;
 * it returns the refusal, or undefined if the request is allowed. A restart resets all counts; a step of the time of day
 * changes nothing.
 */
export class RateLimits extends Context.Tag("@heddle/server/limits/RateLimits")<
  RateLimits,
  {
    /** Any request, by its network. */
    readonly address: (address: string) => RateLimited | undefined
    /** A request to an endpoint without a bearer token. */
    readonly open: (endpoint: "token" | "authorize", address: string) => RateLimited | undefined
    /** A request with a valid token: by application, by user, and for writes also by endpoint. */
    readonly granted: (caller: Caller, endpoint: string) => RateLimited | undefined
    /** The refusal after too many wrong credentials of this client; {@link tokenFailed} counts them. */
    readonly tokenBlocked: (clientId: string, address: string) => RateLimited | undefined
    readonly tokenFailed: (clientId: string, address: string) => void
    /** A request of a local assistant, by its credential. */
    readonly assistant: (assistantId: string) => RateLimited | undefined
    /** A phone number that is about to be compared (contract decision 57). */
    readonly phone: (caller: Caller) => RateLimited | undefined
  }
>() {}

/** The application and user of a token. */
export interface Caller {
  readonly clientId: string
  readonly userId: string
}

export const layer: Layer.Layer<RateLimits, never, ServerConfig> = Layer.effect(
  RateLimits,
  Effect.map(ServerConfig, ({ limits }) => (limits.rate === "off" ? unlimited : limited(limits.rate)))
)

const unlimited: Context.Tag.Service<RateLimits> = {
  address: () => undefined,
  open: () => undefined,
  granted: () => undefined,
  tokenBlocked: () => undefined,
  tokenFailed: () => {},
  assistant: () => undefined,
  phone: () => undefined
}

const limited = (rates: Rates): Context.Tag.Service<RateLimits> => {
  const address = RateLimiter.make(rates.address)
  const application = RateLimiter.make(rates.application)
  const user = RateLimiter.make(rates.user)
  const open = { token: RateLimiter.make(rates.token), authorize: RateLimiter.make(rates.authorize) }
  const tokenFailure = RateLimiter.make(rates.tokenFailure)
  const assistant = RateLimiter.make(rates.assistant)
  const write = RateLimiter.make(rates.write)
  // A sliding window, because a refilling limiter would allow nearly twice as many guesses in the first hour.
  const phone = Attempts.make({ limit: rates.phone.requests, windowMillis: rates.phone.seconds * 1000 })

  return {
    address: (from) => refusal("address", address.take(networkKey(from), now())),
    open: (endpoint, from) => refusal(endpoint, open[endpoint].take(networkKey(from), now())),
    granted: ({ clientId, userId }, endpoint) => {
      const at = now()
      const caller = `${clientId} ${userId}`
      return (
        refusal("application", application.take(clientId, at)) ??
        refusal("user", user.take(caller, at)) ??
        (endpoint.startsWith("POST ") ? refusal("write", write.take(`${caller} ${endpoint}`, at)) : undefined)
      )
    },
    tokenBlocked: (clientId, from) => refusal("tokenFailure", tokenFailure.wait(clientKey(clientId, from), now())),
    tokenFailed: (clientId, from) => void tokenFailure.take(clientKey(clientId, from), now()),
    assistant: (assistantId) => refusal("assistant", assistant.take(assistantId, now())),
    phone: ({ clientId, userId }) => refusal("phone", phone.begin(`${clientId} ${userId}`, now()))
  }
}

// A proxy's header names the address, and a caller names the client. The ids of a token or credential are the service's own.
const networkKey = (address: string): string => KeyHash.of(IpAddress.network(address))
const clientKey = (clientId: string, address: string): string => KeyHash.of(`${clientId} ${IpAddress.network(address)}`)

/** Whole milliseconds: the limiters' sums have to come out exactly. */
const now = (): number => Math.floor(performance.now())

const refusal = (limit: keyof Rates, wait: number | undefined): RateLimited | undefined => {
  if (wait === undefined) return undefined
  Metrics.countRateLimited(limit)
  return ApiError.rateLimited(messages[limit], Math.max(1, Math.ceil(wait / 1000)))
}

const messages: Readonly<Record<keyof Rates, string>> = {
  address: "Too many requests from this address.",
  application: "The application sends too many requests.",
  user: "Too many requests for this user.",
  write: "Too many requests of this kind for this user.",
  token: "Too many token requests from this address.",
  tokenFailure: "Too many wrong credentials for this application from this address.",
  authorize: "Too many requests for these pages from this address.",
  assistant: "Too many requests of this local assistant.",
  phone: "Too many phone numbers were tried for this user."
}
