/// <reference lib="esnext.disposable" preserve="true" />
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { v7 } from "uuid"
import * as Assistant from "./Assistant.ts"
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
export { textOf } from "./domain/MessageText.ts"
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
  const { close, ...runner } = Runner.make(options)
  return { ...Groups.make(servicesOf(options), runner), close, [asyncDispose]: close }
}

/** Makes an idempotency key, a UUID of version 7. Store it before the write to repeat the write after a restart. */
export const newIdempotencyKey = (): string => v7()

const servicesOf = ({ accessToken, ...options }: ClientOptions): Groups.Services => {
  const { allowInsecure = false, assistantVariant = "auto", baseUrl, idempotencyKeys = "auto", userAgent } = options
  const platformFetch: typeof fetch = (...request) => globalThis.fetch(...request)
  const clientOf = Effect.runSync(
    Effect.either(
      OpenApiClient.makeOnFetch(
        { baseUrl, allowInsecure, idempotencyKeys, ...(userAgent === undefined ? {} : { userAgent }) },
        options.fetch ?? platformFetch
      )
    )
  )
  if (Either.isLeft(clientOf)) throw clientOf.left
  const client = clientOf.right(Token.make(accessToken))
  return {
    users: Users.make(client),
    credits: Credits.make(client),
    assistant: Assistant.make(client, assistantVariant),
    tasks: Tasks.make(client),
    redemptions: Redemptions.make(client)
  }
}

/** Older engines lack this symbol; a symbol of the same name is harmless there. */
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")
