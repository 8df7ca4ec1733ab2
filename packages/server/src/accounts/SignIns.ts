import * as SqlClient from "@effect/sql/SqlClient"
import type { RateLimited, ServiceFailure } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Crypto from "node:crypto"
import { Accounts, type Account } from "./Accounts.ts"
import { Audit } from "../audit/Audit.ts"
import * as IpAddress from "../internal/IpAddress.ts"
import * as MonotonicClock from "@heddle/core/MonotonicClock"
import * as Attempts from "../limits/Attempts.ts"
import * as ApiError from "../internal/ApiError.ts"
import * as Secret from "../internal/Secret.ts"
import { MasterKey } from "../config/MasterKey.ts"

/** Browser sessions of the service's own pages. A session is a secret cookie, at first without an account. */
export class SignIns extends Context.Tag("@heddle/server/accounts/SignIns")<
  SignIns,
  {
    /** Makes a session without an account. */
    readonly open: Effect.Effect<Redacted.Redacted>
    /** The account that is signed in to a session. */
    readonly account: (session: Redacted.Redacted) => Effect.Effect<Option.Option<Account>>
    /**
     * Signs in and returns a new session, against session fixation. None if the name or password is wrong.
     * `RateLimited` after ten wrong tries in ten minutes for one account and network, or twenty tries in a minute from
     * one network. `ServiceFailure` while too many sign-ins wait.
     */
    readonly signIn: (attempt: {
      readonly name: string
      readonly password: Redacted.Redacted
      readonly address: string
      /** The application of the authorization request. */
      readonly clientId?: string | undefined
    }) => Effect.Effect<Option.Option<Redacted.Redacted>, RateLimited | ServiceFailure>
    readonly signOut: (session: Redacted.Redacted) => Effect.Effect<void>
    /** The CSRF token of a form: it proves that the service showed this form to this session. */
    readonly csrfToken: (session: Redacted.Redacted, question: string) => string
  }
>() {}

/** The numbers of passwords that are hashed at once, and that wait. */
const maxConcurrentHashes = 2
const maxWaitingHashes = 8

/** How long a person stays signed in. */
export const sessionTtl = Duration.hours(12)

export const layer: Layer.Layer<SignIns, never, SqlClient.SqlClient | Accounts | Audit | MasterKey> = Layer.effect(
  SignIns,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const accounts = yield* Accounts
    const audit = yield* Audit
    const csrfKey = (yield* MasterKey).derive("forms")
    const accountAttempts = Attempts.make({ limit: 10, windowMillis: Duration.toMillis("10 minutes") })
    const networkAttempts = Attempts.make({ limit: 20, windowMillis: Duration.toMillis("1 minute") })
    const hashPermits = yield* Effect.makeSemaphore(maxConcurrentHashes)
    let signInsInProgress = 0

    /** Password hashing is slow on purpose, so only a few run or wait at once. */
    const withHashPermit = <A, E>(verification: Effect.Effect<A, E>) =>
      Effect.suspend((): Effect.Effect<A, E | ServiceFailure> => {
        if (signInsInProgress >= maxConcurrentHashes + maxWaitingHashes) {
          return Effect.fail(ApiError.temporarilyUnavailable("Too many people are signing in at this moment.", 5))
        }
        signInsInProgress += 1
        return verification.pipe(
          hashPermits.withPermits(1),
          Effect.ensuring(Effect.sync(() => void (signInsInProgress -= 1)))
        )
      })

    return {
      open: Effect.sync(() => Redacted.make(Secret.generate("oa_ss_"))),

      account: Effect.fn("SignIns.account")(function* (session) {
        const now = yield* Clock.currentTimeMillis
        const rows = yield* sql<{ userId: string }>`SELECT user_id AS "userId" FROM sign_ins
          WHERE session_hash = ${Secret.hash(Redacted.value(session))} AND expires_at > ${now}`.pipe(Effect.orDie)
        return rows[0] === undefined ? Option.none() : yield* accounts.get(rows[0].userId)
      }),

      signIn: Effect.fn("SignIns.signIn")(function* ({ address, clientId, name, password }) {
        const triedAt = yield* MonotonicClock.now
        const key = JSON.stringify([name.trim().normalize("NFKC").toLowerCase(), IpAddress.network(address)])
        const pause = networkAttempts.begin(IpAddress.network(address), triedAt)
        if (pause !== undefined) {
          return yield* ApiError.rateLimited("Too many tries from your network.", Math.ceil(pause / 1000))
        }
        const account = yield* withHashPermit(
          Effect.suspend(() => {
            const wait = accountAttempts.begin(key, triedAt)
            return wait === undefined
              ? accounts.verify(name, password)
              : ApiError.rateLimited("Too many tries for this account.", Math.ceil(wait / 1000))
          })
        )
        if (Option.isNone(account)) {
          const userId = Option.getOrUndefined(yield* accounts.idOf(name))
          yield* audit.record({ action: "sign_in_failed", outcome: "access_denied", userId, clientId })
          return Option.none()
        }
        accountAttempts.succeed(key)
        const session = Secret.generate("oa_ss_")
        const { userId } = account.value
        yield* sql`INSERT INTO sign_ins (session_hash, user_id, expires_at)
          VALUES (${Secret.hash(session)}, ${userId}, ${(yield* Clock.currentTimeMillis) + Duration.toMillis(sessionTtl)})`.pipe(
          Effect.zipRight(audit.record({ action: "sign_in", outcome: "success", userId, clientId })),
          sql.withTransaction,
          Effect.orDie
        )
        return Option.some(Redacted.make(session))
      }),

      signOut: Effect.fn("SignIns.signOut")(function* (session) {
        yield* sql`DELETE FROM sign_ins WHERE session_hash = ${Secret.hash(Redacted.value(session))}`
      }, Effect.orDie),

      csrfToken: (session, question) =>
        Crypto.createHmac("sha256", csrfKey)
          .update(JSON.stringify([Redacted.value(session), question]))
          .digest("base64url")
    }
  })
)
