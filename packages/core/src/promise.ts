/// <reference lib="esnext.disposable" preserve="true" />
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Assistant from "./Assistant.ts"
import * as BaseUrl from "./BaseUrl.ts"
import * as Credits from "./Credits.ts"
import type { Client, ClientOptions } from "./internal/promise/Client.ts"
import * as Groups from "./internal/promise/Groups.ts"
import * as Runner from "./internal/promise/Runner.ts"
import * as Token from "./internal/promise/Token.ts"
import * as OpenApiClient from "./OpenApiClient.ts"
import * as Redemptions from "./Redemptions.ts"
import * as Tasks from "./Tasks.ts"
import * as Users from "./Users.ts"

export { AssistantOffline, PermissionResponseUnsupported } from "./Assistant.ts"
export { InvalidBaseUrl } from "./BaseUrl.ts"
export { textOf } from "./domain/AssistantMessage.ts"
export type { TaskStatus } from "./domain/TaskStatus.ts"
export type { Client, ClientOptions, WriteOptions } from "./internal/promise/Client.ts"
export { type ClientError, isClientError } from "./internal/promise/ClientError.ts"
export type * from "./internal/promise/Models.ts"
export { type CallOptions, ClientClosed } from "./internal/promise/Runner.ts"
export type { TokenSource } from "./internal/promise/Token.ts"
export {
  AccessDenied,
  Conflict,
  ContractViolation,
  EnvelopeError,
  Forbidden,
  InsufficientScope,
  InvalidClient,
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  InvalidToken,
  NotFound,
  OutcomeUnknown,
  PermissionDenied,
  PreconditionFailed,
  RateLimited,
  Reauthorize,
  ServiceFailure,
  SignInRequired,
  UnexpectedStatus,
  Unreachable
} from "./OpenApiError.ts"
export {
  AlreadyHandled,
  InvalidRedemption,
  RedemptionOutcomeUnknown,
  RedemptionPending,
  RefusedAfterLostAnswer
} from "./Redemptions.ts"
export { ChannelUnavailable } from "./Tasks.ts"

/** A client for one user's token, on fetch alone; throws `InvalidBaseUrl` for a base URL that would expose the token. */
export const createClient = (options: ClientOptions): Client => {
  const { close, ...runner } = Runner.make(layer(options), options)
  return { ...Groups.make(runner), close, [asyncDispose]: close }
}

/** Makes an idempotency key, a UUID of version 7. Store it before the write to repeat the write after a restart. */
export const newIdempotencyKey = (): string => Effect.runSync(Redemptions.newIdempotencyKey)

const layer = ({ accessToken, allowInsecure = false, ...options }: ClientOptions): Layer.Layer<Groups.Services> => {
  const baseUrl = Effect.runSync(Effect.either(BaseUrl.make(options.baseUrl, { allowInsecure })))
  if (Either.isLeft(baseUrl)) throw baseUrl.left
  const { idempotencyKeys = "auto", userAgent } = options
  const services = Layer.mergeAll(
    Users.layer,
    Credits.layer,
    Assistant.layerVariant(options.assistantVariant ?? "auto"),
    Tasks.layer,
    Redemptions.layer
  ).pipe(
    Layer.provide(
      OpenApiClient.layer({
        baseUrl: baseUrl.right,
        allowInsecure,
        idempotencyKeys,
        ...(userAgent === undefined ? {} : { userAgent })
      })
    ),
    Layer.provide(Token.layer(accessToken)),
    Layer.provide(FetchHttpClient.layer),
    // Only `InvalidBaseUrl` remains, and it cannot occur: the base URL was checked above.
    Layer.orDie
  )
  // The client reads `Fetch` from the context of each call, not when it is built, so the output must contain it.
  return options.fetch === undefined
    ? services
    : Layer.merge(services, Layer.succeed(FetchHttpClient.Fetch, options.fetch))
}

/** Older engines lack this symbol; a symbol of the same name is harmless there. */
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")
