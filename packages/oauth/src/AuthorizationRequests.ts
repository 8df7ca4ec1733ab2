import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import type { InvalidBaseUrl } from "@heddle/core/BaseUrl"
import type { Refusal } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as AuthorizationRequest from "./AuthorizationRequest.ts"
import * as AuthorizationResponse from "./AuthorizationResponse.ts"
import type { EncryptionKey } from "./EncryptionKey.ts"
import * as Confirmation from "./internal/Confirmation.ts"
import * as HeldAnswers from "./internal/HeldAnswers.ts"
import { retryBusyDatabase } from "./internal/DatabaseRetry.ts"
import * as PendingRequests from "./internal/PendingRequests.ts"
import type { TokenStoreUnavailable } from "./TokenStore.ts"

/** An authorization code with the request that it answers, and who asked. */
export interface Answered {
  readonly code: Redacted.Redacted
  readonly request: AuthorizationRequest.AuthorizationRequest
  readonly askedBy: string
}

/** How a callback is checked. */
export interface Expectation extends AuthorizationResponse.Options {
  /**
   * Who is signed in where the callback arrives: a request that somebody else made is refused, and stays open.
   * Undefined only where nobody can be: then whoever follows a link that was meant for another connects their account
   * to that other, unless it is confirmed in another way, such as `hold` and `confirm`.
   */
  readonly askedBy: string | undefined
}

/** An answer that belongs to nobody until who asked has said the one-time code, which only the callback's page shows. */
export interface Held extends PendingRequests.Asker {
  /** As it is shown: `ABCD-EFGH`. */
  readonly confirmation: Redacted.Redacted
  /** Until when it can be said, in epoch milliseconds. */
  readonly expiresAt: number
}

/** An authorization that was asked for, by whom, and as what people know them. */
export type Asked = PendingRequests.Asked

/**
 * A one-time code was not taken. `wrong`: it may be tried again `triesLeft` times; `tooOften`: that was the last try, and
 * what waited is forgotten; `none`: nothing waits for a code.
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
 * The authorizations that are under way, shared by every process: each is bound to whoever asked for it, good for one
 * callback and ten minutes.
 */
export class AuthorizationRequests extends Context.Tag("@heddle/oauth/AuthorizationRequests")<
  AuthorizationRequests,
  {
    /**
     * Makes a request and keeps it for its callback; `askedBy` names the user in the caller's own words, `askedAs` as
     * people know them.
     */
    readonly begin: (
      options: AuthorizationRequest.Options & { readonly askedBy: string; readonly askedAs?: string }
    ) => Effect.Effect<AuthorizationRequest.AuthorizationRequest, InvalidBaseUrl | TokenStoreUnavailable>
    /**
     * Takes the request that a callback answers out of use, whatever the answer is, and returns its authorization code.
     * Of two callbacks with one `state` exactly one succeeds; the other fails as `stateUsed`.
     */
    readonly finish: (
      params: URLSearchParams,
      expected: Expectation
    ) => Effect.Effect<Answered, AuthorizationResponse.CallbackRejected | Refusal | TokenStoreUnavailable>
    /**
     * For callbacks where nobody is signed in: like `finish`, but the authorization code is kept and belongs to nobody
     * until {@link confirm}. The same callback again gives the same, as long as it waits.
     */
    readonly hold: (
      params: URLSearchParams,
      options?: AuthorizationResponse.Options
    ) => Effect.Effect<Held, AuthorizationResponse.CallbackRejected | Refusal | TokenStoreUnavailable>
    /**
     * Whose request a callback answers, as long as nothing has answered it; it stays as it is. It tells whom to inform
     * when the answer is a refusal, and proves nothing of whoever brings the callback.
     */
    readonly askedFor: (params: URLSearchParams) => Effect.Effect<Option.Option<Asked>, TokenStoreUnavailable>
    /**
     * Takes what is held for this user, when they say its one-time code: once, within {@link confirmationTime}, and with
     * five tries, after which it is forgotten and the authorization code is never exchanged.
     */
    readonly confirm: (said: {
      readonly askedBy: string
      readonly confirmation: Redacted.Redacted
    }) => Effect.Effect<Answered, ConfirmationRejected | TokenStoreUnavailable>
  }
>() {}

/** How long a one-time code can be said: a little less than the authorization code may live (section 8). */
export const confirmationTime = 9.5 * 60_000

const make = (stores: Stores): Context.Tag.Service<AuthorizationRequests> => {
  const { atomically, held, pending } = stores

  const take = Effect.fnUntraced(function* (params: URLSearchParams, askedBy: string | undefined) {
    const state = yield* AuthorizationResponse.stateOf(params)
    const taken = yield* pending.take(state, askedBy)
    if (taken === "unknown" || taken === "used") {
      const reason = taken === "used" ? "stateUsed" : "stateForeign"
      return yield* new AuthorizationResponse.CallbackRejected({ reason })
    }
    return taken
  })

  /** The same callback as before, as after a reload of its page. */
  const again = Effect.fnUntraced(function* (params: URLSearchParams) {
    const before = yield* held.find(yield* AuthorizationResponse.stateOf(params))
    const [code = "", ...more] = params.getAll("code")
    const same = before !== undefined && more.length === 0 && code === Redacted.value(before.code)
    return same ? before : yield* new AuthorizationResponse.CallbackRejected({ reason: "stateUsed" })
  })

  return {
    begin: Effect.fn("AuthorizationRequests.begin")(function* ({ askedAs, askedBy, ...options }) {
      const request = yield* AuthorizationRequest.make(options)
      yield* pending.add(request, { askedAs, askedBy })
      return request
    }),
    finish: Effect.fn("AuthorizationRequests.finish")(function* (params, { askedBy: expected, ...options }) {
      const { askedBy, request } = yield* take(params, expected)
      const { code } = yield* AuthorizationResponse.read(params, request, options)
      return { code, request, askedBy }
    }),
    hold: Effect.fn("AuthorizationRequests.hold")(function* (params, options) {
      // A failure comes out as a value, so that the request is used up whatever the answer is.
      const outcome = yield* Effect.gen(function* () {
        const { askedAs, askedBy, request } = yield* take(params, undefined)
        const { code } = yield* AuthorizationResponse.read(params, request, options)
        const answer = new HeldAnswers.HeldAnswer({
          askedBy,
          ...(askedAs === undefined ? {} : { askedAs }),
          code,
          request,
          confirmation: Redacted.make(yield* Confirmation.make),
          expiresAt: (yield* Clock.currentTimeMillis) + confirmationTime
        })
        yield* held.add(answer)
        return answer
      }).pipe(
        Effect.catchIf(
          (error) => error._tag === "CallbackRejected" && error.reason === "stateUsed",
          () => again(params)
        ),
        Effect.either,
        atomically
      )
      const { askedAs, askedBy, confirmation, expiresAt } = yield* outcome
      return { askedAs, askedBy, confirmation, expiresAt }
    }),
    askedFor: Effect.fn("AuthorizationRequests.askedFor")(function* (params) {
      const state = yield* Effect.option(AuthorizationResponse.stateOf(params))
      return Option.isNone(state) ? Option.none() : Option.fromNullable(yield* pending.find(state.value))
    }),
    confirm: Effect.fn("AuthorizationRequests.confirm")(function* ({ askedBy, confirmation }) {
      const attempts = yield* held.attempt(askedBy)
      const typed = Redacted.value(confirmation)
      const meant = attempts.find(({ answer }) => Confirmation.fits(typed, Redacted.value(answer.confirmation)))
      if (meant !== undefined) {
        const { code, request } = meant.answer
        return (yield* held.remove(request.state)) ? { code, request, askedBy } : yield* rejected("none")
      }
      const left = attempts.map(({ tries }) => HeldAnswers.mostTries - tries)
      yield* Effect.forEach(attempts, ({ answer, tries }) =>
        tries < HeldAnswers.mostTries ? Effect.void : held.remove(answer.request.state)
      )
      const triesLeft = Math.max(0, ...left)
      return yield* attempts.length === 0
        ? rejected("none")
        : rejected(triesLeft === 0 ? "tooOften" : "wrong", triesLeft)
    })
  }
}

interface Stores {
  readonly pending: PendingRequests.PendingRequests
  readonly held: HeldAnswers.HeldAnswers
  /** Makes everything that an effect changes last, or nothing of it. */
  readonly atomically: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | TokenStoreUnavailable>
}

const rejected = (reason: ConfirmationRejected["reason"], triesLeft = 0) =>
  new ConfirmationRejected({ reason, triesLeft })

/** Requests that end with the process. */
export const layerMemory: Layer.Layer<AuthorizationRequests> = Layer.sync(AuthorizationRequests, () =>
  make({ pending: PendingRequests.makeMemory(), held: HeldAnswers.makeMemory(), atomically: (effect) => effect })
)

/** Requests in the SQL database, their verifiers and answers encrypted; needs the tables that {@link migrate} creates. */
export const layerSql: Layer.Layer<AuthorizationRequests, never, SqlClient.SqlClient | EncryptionKey> = Layer.effect(
  AuthorizationRequests,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return make({
      pending: yield* PendingRequests.makeSql,
      held: yield* HeldAnswers.makeSql,
      atomically: (effect) => Effect.flatten(retryBusyDatabase(sql.withTransaction(Effect.either(effect))))
    })
  })
)

/** Creates the tables `oauth_authorization_requests` and `oauth_held_answers` unless they are there. */
export const migrate: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = Effect.zipRight(
  PendingRequests.migrate,
  HeldAnswers.migrate
)
