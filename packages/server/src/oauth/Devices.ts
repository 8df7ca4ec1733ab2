import * as SqlClient from "@effect/sql/SqlClient"
import type { Scope } from "@heddle/core/domain/Scope"
import type { TokenResponse } from "@heddle/core/domain/Token"
import type {
  AccessDenied,
  AuthorizationPending,
  Conflict,
  ExpiredToken,
  InvalidGrant,
  NotFound,
  RateLimited,
  SlowDown
} from "@heddle/core/OpenApiError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { Applications, type Application } from "./Applications.ts"
import { Audit } from "../audit/Audit.ts"
import * as DeviceCodes from "./DeviceCodes.ts"
import { Grants } from "./Grants.ts"
import * as Attempts from "../limits/Attempts.ts"
import * as ApiError from "../internal/ApiError.ts"
import * as MonotonicClock from "@heddle/core/MonotonicClock"
import type { MasterKey } from "../config/MasterKey.ts"

/** The codes of a device: one to poll with, one for its user to type. */
export interface IssuedDeviceCodes {
  readonly deviceCode: Redacted.Redacted
  readonly userCode: string
}

/** The application and scopes that a device requests. */
export interface ConsentRequest {
  readonly application: Application
  readonly scopes: ReadonlySet<Scope>
}

/** A user code and the user who entered it. */
export interface CodeEntry {
  readonly userCode: string
  readonly userId: string
}

/** Authorization of devices that have no browser (RFC 8628): the device polls while its user decides elsewhere. */
export class Devices extends Context.Tag("@heddle/server/oauth/Devices")<
  Devices,
  {
    /** Makes a device code and a user code, both good for ten minutes. */
    readonly start: (request: {
      readonly clientId: string
      readonly scopes: ReadonlySet<Scope>
    }) => Effect.Effect<IssuedDeviceCodes>
    /**
     * Finds the request of a user code; `Conflict` if it was answered before. After ten wrong codes in ten minutes it
     * refuses all codes of this user.
     */
    readonly findRequest: (entry: CodeEntry) => Effect.Effect<ConsentRequest, NotFound | Conflict | RateLimited>
    /** Stores the user's decision, once. */
    readonly decide: (
      entry: CodeEntry & { readonly allow: boolean }
    ) => Effect.Effect<void, NotFound | Conflict | RateLimited>
    /**
     * Returns the tokens of a device, once, after its user allowed it. Until then it fails with the errors of RFC 8628
     * 3.5. Polling too early makes the interval of this code five seconds longer for good (contract decision 48).
     */
    readonly poll: (
      request: DeviceCodes.PresentedDeviceCode
    ) => Effect.Effect<TokenResponse, AuthorizationPending | SlowDown | ExpiredToken | InvalidGrant | AccessDenied>
  }
>() {}

export const layer: Layer.Layer<Devices, never, SqlClient.SqlClient | Applications | Audit | Grants | MasterKey> =
  Layer.effect(
    Devices,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const audit = yield* Audit
      const codes = yield* DeviceCodes.make
      const findRequest = yield* makeFindRequest(codes)

      return {
        start: Effect.fn("Devices.start")(
          function* ({ clientId, scopes }) {
            const started = yield* codes.insert(clientId, scopes)
            yield* audit.record({ action: "device_requested", outcome: "success", clientId })
            return started
          },
          sql.withTransaction,
          Effect.orDie
        ),

        findRequest,

        decide: Effect.fn("Devices.decide")(function* ({ allow, userCode, userId }) {
          const { application } = yield* findRequest({ userCode, userId })
          const decided = yield* Effect.gen(function* () {
            if (!(yield* codes.decide(userCode, userId, allow))) return false
            const outcome = allow ? "success" : "access_denied"
            yield* audit.record({ action: "device_decided", outcome, userId, clientId: application.clientId })
            return true
          }).pipe(sql.withTransaction, Effect.orDie)
          if (!decided) return yield* ApiError.conflict("This code was answered already.")
        }),

        poll: yield* makePoll(codes)
      }
    })
  )

type Codes = Effect.Effect.Success<typeof DeviceCodes.make>

const makeFindRequest = Effect.fnUntraced(function* (codes: Codes) {
  const applications = yield* Applications
  const attempts = Attempts.make({ limit: 10, windowMillis: Duration.toMillis("10 minutes") })

  const activeApplication = (clientId: string) =>
    Effect.map(
      applications.get(clientId),
      Option.filter(({ active }) => active)
    )

  return Effect.fn("Devices.findRequest")(function* ({ userCode, userId }: CodeEntry) {
    const now = yield* MonotonicClock.now
    const wait = attempts.wait(userId, now)
    if (wait !== undefined) return yield* ApiError.rateLimited("Too many wrong codes.", Math.ceil(wait / 1000))
    const request = yield* Effect.orDie(codes.find(userCode))
    const application = request === undefined ? Option.none() : yield* activeApplication(request.clientId)
    if (request === undefined || Option.isNone(application)) {
      attempts.fail(userId, now)
      return yield* ApiError.notFound("This code is unknown or has expired.")
    }
    if (request.decision !== null) return yield* ApiError.conflict("This code was answered already.")
    return { application: application.value, scopes: request.scopes }
  })
})

const makePoll = Effect.fnUntraced(function* (codes: Codes) {
  const sql = yield* SqlClient.SqlClient
  const audit = yield* Audit
  const grants = yield* Grants

  return Effect.fn("Devices.poll")(function* (presented: DeviceCodes.PresentedDeviceCode) {
    const { clientId } = presented
    // The write comes first, so that processes with the same database wait for each other.
    const tokens = yield* Effect.gen(function* () {
      const allowed = yield* codes.redeem(presented)
      if (allowed === undefined) return undefined
      const { userId } = allowed
      yield* audit.record({ action: "device_token_issued", outcome: "success", userId, clientId })
      return yield* grants.issue({ clientId, ...allowed })
    }).pipe(sql.withTransaction, Effect.orDie)
    if (tokens !== undefined) return tokens

    const pending = yield* Effect.orDie(codes.poll(presented))
    if (pending?.isTooEarly === true) {
      return yield* ApiError.slowDown(`Polled too early: wait ${pending.seconds} seconds from now on.`)
    }
    if (pending !== undefined) return yield* ApiError.authorizationPending("The user has not answered yet.")

    const row = yield* Effect.orDie(codes.decisionOf(presented))
    if (row === undefined) return yield* ApiError.invalidGrant("The device code is not valid.")
    if (row.decision === "denied") return yield* ApiError.accessDenied("The user did not allow it.")
    return yield* ApiError.expiredToken("The device code has expired or was used already.")
  })
})
