import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import type { InvalidBaseUrl } from "@heddle/core/BaseUrl"
import type { Refusal } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as AuthorizationRequest from "./AuthorizationRequest.ts"
import * as AuthorizationResponse from "./AuthorizationResponse.ts"
import type { EncryptionKey } from "./EncryptionKey.ts"
import * as ConfirmationCode from "./internal/ConfirmationCode.ts"
import { retryBusyDatabase } from "./internal/DatabaseRetry.ts"
import * as PendingConfirmations from "./internal/PendingConfirmations.ts"
import * as PendingRequests from "./internal/PendingRequests.ts"
import type { TokenStoreUnavailable } from "./TokenStore.ts"

/** An authorization code with the request that it answers, and the user that the request belongs to. */
export interface CompletedAuthorization {
  readonly code: Redacted.Redacted
  readonly request: AuthorizationRequest.AuthorizationRequest
  readonly userId: string
}

/** How a callback is checked. */
export interface CallbackOptions extends AuthorizationResponse.Options {
  /**
   * The user who is signed in where the callback arrives: a request of another user is refused, and stays open.
   * Undefined only where users cannot sign in. Then a person who follows another user's link connects their account to
   * that user. Prevent that by another confirmation, such as `holdForConfirmation` and `confirm`.
   */
  readonly userId: string | undefined
}

/** An authorization that waits for its user to enter the one-time code, which only the callback's page shows. */
export interface PendingConfirmation extends PendingRequests.Requester {
  /** As it is shown: `ABCD-EFGH`. */
  readonly confirmationCode: Redacted.Redacted
  /** When it expires, in epoch milliseconds. */
  readonly expiresAt: number
}

/** An authorization request that waits for its callback. */
export type PendingRequest = PendingRequests.PendingRequest

/**
 * A one-time code was rejected. `wrong`: it may be tried again `triesLeft` times. `tooOften`: that was the last try,
 * and the authorization is deleted. `none`: no authorization waits for a code.
 */
export class ConfirmationRejected extends Schema.TaggedError<ConfirmationRejected>()("ConfirmationRejected", {
  reason: Schema.Literal("wrong", "tooOften", "none"),
  triesLeft: Schema.Number
}) {
  override get message(): string {
    switch (this.reason) {
      case "wrong":
        return `The code is wrong. It can be tried ${this.triesLeft} times more.`
      case "tooOften":
        return "The code was wrong too often. Nothing was connected. Start the connection again."
      case "none":
        return "Nothing waits for a code. Start the connection again."
    }
  }
}

/**
 * The authorization requests under way, shared by every process: each belongs to one user, for one callback and ten
 * minutes.
 */
export class AuthorizationRequests extends Context.Tag("@heddle/oauth/AuthorizationRequests")<
  AuthorizationRequests,
  {
    /**
     * Creates a request and stores it for its callback. `userId` is the user's id at the caller; `userLabel` is any text
     * about them, such as their name, which comes back with the request.
     */
    readonly begin: (
      options: AuthorizationRequest.Options & { readonly userId: string; readonly userLabel?: string }
    ) => Effect.Effect<AuthorizationRequest.AuthorizationRequest, InvalidBaseUrl | TokenStoreUnavailable>
    /**
     * Uses up the request that a callback answers, whatever the answer is, and returns its authorization code.
     * Of two callbacks with one `state` exactly one succeeds; the other fails as `stateUsed`.
     */
    readonly finish: (
      params: URLSearchParams,
      options: CallbackOptions
    ) => Effect.Effect<CompletedAuthorization, AuthorizationResponse.CallbackRejected | Refusal | TokenStoreUnavailable>
    /**
     * Like `finish`, for callbacks where users cannot sign in: keeps the authorization code until {@link confirm}.
     * A repeated callback returns the same pending confirmation.
     */
    readonly holdForConfirmation: (
      params: URLSearchParams,
      options?: AuthorizationResponse.Options
    ) => Effect.Effect<PendingConfirmation, AuthorizationResponse.CallbackRejected | Refusal | TokenStoreUnavailable>
    /**
     * Finds the request that a callback answers while it is unanswered, and leaves it as it is. Its user can then
     * be informed of a refusal; it proves nothing about the sender of the callback.
     */
    readonly find: (params: URLSearchParams) => Effect.Effect<Option.Option<PendingRequest>, TokenStoreUnavailable>
    /**
     * Completes the authorization that waits for this user and this one-time code: once, within
     * {@link confirmationTime}, and with five tries. After those it is deleted, and its code is never exchanged.
     */
    readonly confirm: (entered: {
      readonly userId: string
      readonly confirmationCode: Redacted.Redacted
    }) => Effect.Effect<CompletedAuthorization, ConfirmationRejected | TokenStoreUnavailable>
  }
>() {}

/**
 * How long a one-time code is valid in milliseconds: a little less than the authorization code may live (section 8).
 */
export const confirmationTime = 9.5 * 60_000

interface Stores {
  readonly requests: PendingRequests.PendingRequests
  readonly confirmations: PendingConfirmations.PendingConfirmations
  /** Makes all changes of an effect permanent, or none of them where it fails. */
  readonly atomically: <A>(effect: Effect.Effect<A, TokenStoreUnavailable>) => Effect.Effect<A, TokenStoreUnavailable>
}

const make = (stores: Stores): Context.Tag.Service<AuthorizationRequests> => ({
  begin: Effect.fn("AuthorizationRequests.begin")(function* ({ userId, userLabel, ...options }) {
    const request = yield* AuthorizationRequest.make(options)
    yield* stores.requests.add(request, { userId, userLabel })
    return request
  }),
  finish: Effect.fn("AuthorizationRequests.finish")(function* (params, { userId: expected, ...options }) {
    const { request, userId } = yield* useUp(stores, params, expected)
    const { code } = yield* AuthorizationResponse.read(params, request, options)
    return { code, request, userId }
  }),
  holdForConfirmation: Effect.fn("AuthorizationRequests.holdForConfirmation")(function* (params, options) {
    // A refusal comes out as a value, so that the request is used up whatever the answer is.
    const outcome = yield* hold(stores, params, options).pipe(
      Effect.catchIf(
        (error) => error._tag === "CallbackRejected" && error.reason === "stateUsed",
        () => findRepeated(stores, params)
      ),
      Effect.map(Either.right),
      Effect.catchIf(isNotOfStore, (refusal) => Effect.succeed(Either.left(refusal))),
      stores.atomically
    )
    const { confirmationCode, expiresAt, userId, userLabel } = yield* outcome
    return { confirmationCode, expiresAt, userId, userLabel }
  }),
  find: Effect.fn("AuthorizationRequests.find")(function* (params) {
    const state = yield* Effect.option(AuthorizationResponse.stateOf(params))
    return Option.isNone(state) ? Option.none() : Option.fromNullable(yield* stores.requests.find(state.value))
  }),
  confirm: Effect.fn("AuthorizationRequests.confirm")((entered) => confirm(stores.confirmations, entered))
})

const isNotOfStore = <E extends { readonly _tag: string }>(error: E): error is Exclude<E, TokenStoreUnavailable> =>
  error._tag !== "TokenStoreUnavailable"

const useUp = Effect.fnUntraced(function* (
  { requests }: Stores,
  params: URLSearchParams,
  expectedUser: string | undefined
) {
  const used = yield* requests.take(yield* AuthorizationResponse.stateOf(params), expectedUser)
  if (used === "unknown") return yield* new AuthorizationResponse.CallbackRejected({ reason: "stateForeign" })
  if (used === "used") return yield* new AuthorizationResponse.CallbackRejected({ reason: "stateUsed" })
  return used
})

const hold = Effect.fnUntraced(function* (
  stores: Stores,
  params: URLSearchParams,
  options: AuthorizationResponse.Options | undefined
) {
  const { request, userId, userLabel } = yield* useUp(stores, params, undefined)
  const { code } = yield* AuthorizationResponse.read(params, request, options)
  const pending = new PendingConfirmations.StoredConfirmation({
    userId,
    ...(userLabel === undefined ? {} : { userLabel }),
    code,
    request,
    confirmationCode: Redacted.make(yield* ConfirmationCode.make),
    expiresAt: (yield* Clock.currentTimeMillis) + confirmationTime
  })
  yield* stores.confirmations.add(pending)
  return pending
})

/** The pending confirmation of an identical earlier callback, as after a reload of its page. */
const findRepeated = Effect.fnUntraced(function* ({ confirmations }: Stores, params: URLSearchParams) {
  const before = yield* confirmations.find(yield* AuthorizationResponse.stateOf(params))
  const [code = "", ...more] = params.getAll("code")
  const isSame = before !== undefined && more.length === 0 && code === Redacted.value(before.code)
  return isSame ? before : yield* new AuthorizationResponse.CallbackRejected({ reason: "stateUsed" })
})

const confirm = Effect.fnUntraced(function* (
  confirmations: PendingConfirmations.PendingConfirmations,
  { confirmationCode, userId }: { readonly userId: string; readonly confirmationCode: Redacted.Redacted }
) {
  const attempts = yield* confirmations.attempt(userId)
  const entered = Redacted.value(confirmationCode)
  const match = attempts.find(({ pending }) =>
    ConfirmationCode.equals(entered, Redacted.value(pending.confirmationCode))
  )
  if (match !== undefined) {
    const { code, request } = match.pending
    return (yield* confirmations.remove(request.state)) ? { code, request, userId } : yield* rejected("none")
  }
  const exhausted = attempts.filter(({ tries }) => tries >= PendingConfirmations.maxTries)
  yield* Effect.forEach(exhausted, ({ pending }) => confirmations.remove(pending.request.state))
  const triesLeft = Math.max(0, ...attempts.map(({ tries }) => PendingConfirmations.maxTries - tries))
  if (attempts.length === 0) return yield* rejected("none")
  return yield* rejected(triesLeft === 0 ? "tooOften" : "wrong", triesLeft)
})

const rejected = (reason: ConfirmationRejected["reason"], triesLeft = 0) =>
  new ConfirmationRejected({ reason, triesLeft })

/** Requests in memory. */
export const layerMemory: Layer.Layer<AuthorizationRequests> = Layer.sync(AuthorizationRequests, () =>
  make({
    requests: PendingRequests.makeMemory(),
    confirmations: PendingConfirmations.makeMemory(),
    atomically: (effect) => effect
  })
)

/** Requests in the SQL database, verifiers and codes encrypted; needs the tables that {@link migrate} creates. */
export const layerSql: Layer.Layer<AuthorizationRequests, never, SqlClient.SqlClient | EncryptionKey> = Layer.effect(
  AuthorizationRequests,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return make({
      requests: yield* PendingRequests.makeSql,
      confirmations: yield* PendingConfirmations.makeSql,
      atomically: (effect) => retryBusyDatabase(sql.withTransaction(effect))
    })
  })
)

/** Creates the tables `oauth_authorization_requests` and `oauth_pending_confirmations` unless they are there. */
export const migrate: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = Effect.zipRight(
  PendingRequests.migrate,
  PendingConfirmations.migrate
)
