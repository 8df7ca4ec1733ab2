import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Accounts } from "../access/Accounts.ts"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"
import type { ReplyTo } from "../discord/DiscordEvent.ts"
import { isNews, type RedemptionOutcome } from "../model/RedemptionOutcome.ts"
import { type Redemption, Redemptions, type RedemptionSecret } from "../store/account/Redemptions.ts"
import { Languages } from "../store/Languages.ts"
import * as RedemptionAttempt from "./RedemptionAttempt.ts"
import * as Outcome from "./RedemptionOutcome.ts"

/**
 * Redeems codes and vouchers at most once. A row is written before the first request, and its id is the idempotency key
 * of every repetition, also after a restart. The private answer shows the outcome while Discord allows edits; later
 * outcomes come as a direct message.
 */
export class Redeeming extends Context.Tag("@heddle/bot/Redeeming")<
  Redeeming,
  {
    /**
     * Redeems the input of a form and informs the person. The same form or the same open secret continues the earlier
     * redemption and returns its outcome.
     */
    readonly redeem: (
      submission: { readonly commandInteractionId: string; readonly reply: ReplyTo },
      secret: RedemptionSecret
    ) => Effect.Effect<Option.Option<RedemptionOutcome>>
  }
>() {}

/** The waiters for first outcomes, by idempotency key. */
type Waiters = Map<string, Deferred.Deferred<RedemptionOutcome>>

export const layer: Layer.Layer<Redeeming, never, RedemptionAttempt.Requirements> = Layer.scoped(
  Redeeming,
  Effect.gen(function* () {
    const context = yield* Effect.context<RedemptionAttempt.Requirements>()
    const fibers = yield* FiberMap.make<string>()
    const oneSubmission = yield* Effect.makeSemaphore(1)
    const waiters: Waiters = new Map()
    const start = (idempotencyKey: string) =>
      FiberMap.run(
        fibers,
        idempotencyKey,
        follow(idempotencyKey, waiters).pipe(
          Effect.catchAllDefect((defect) => Effect.logError("A redemption could not be followed", defect)),
          Effect.ensuring(resolve(waiters, idempotencyKey, { _tag: "Requested" })),
          Effect.provide(context)
        ),
        { onlyIfMissing: true }
      )
    yield* Effect.forEach(yield* (yield* Redemptions).unfinished, ({ idempotencyKey }) => start(idempotencyKey), {
      discard: true
    })
    return Redeeming.of({
      redeem: Effect.fn("Redeeming.redeem")(
        function* ({ commandInteractionId, reply }, secret) {
          const existing = yield* oneSubmission.withPermits(1)(
            Effect.gen(function* () {
              const openId = yield* (yield* Accounts).openIdOf(reply.userId)
              const repeated = yield* findSame(
                { idempotencyKey: reply.id, commandInteractionId, userId: reply.userId, openId },
                secret
              )
              if (repeated !== undefined) return repeated
              waiters.set(reply.id, yield* Deferred.make<RedemptionOutcome>())
              yield* (yield* Redemptions).add(
                {
                  idempotencyKey: reply.id,
                  commandInteractionId,
                  openId,
                  recipient: reply,
                  interactionToken: Redacted.make(reply.token),
                  createdAt: yield* Clock.currentTimeMillis
                },
                secret
              )
              yield* start(reply.id)
              return undefined
            })
          )
          if (existing === undefined) return Option.none()
          const waiter = waiters.get(existing.idempotencyKey)
          return Option.some(yield* waiter === undefined ? Effect.succeed(existing.outcome) : Deferred.await(waiter))
        },
        (effect) => Effect.provide(effect, context)
      )
    })
  })
)

const resolve = (waiters: Waiters, idempotencyKey: string, outcome: RedemptionOutcome) =>
  Effect.suspend(() => {
    const waiter = waiters.get(idempotencyKey)
    waiters.delete(idempotencyKey)
    return waiter === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(waiter, outcome))
  })

/** Repeats the request until the outcome is known, and shows it. An outcome that needs the person waits for them. */
const follow = (
  idempotencyKey: string,
  waiters: Waiters,
  connected?: Effect.Effect<void>
): Effect.Effect<void, never, RedemptionAttempt.Requirements> =>
  Effect.gen(function* () {
    const rows = yield* Redemptions
    const found = yield* rows.find(idempotencyKey)
    if (Option.isNone(found)) return
    const row = found.value
    if (row.isFinal) return yield* row.outcomeReported ? Effect.void : showAgain(row)
    const secret = yield* rows.secret(idempotencyKey)
    if (Option.isNone(secret)) return
    const { awaitNextConnection } = yield* Accounts
    const { userId } = row.recipient
    const sleepUntilDue = Effect.sleep(RetrySchedules.redemptionWait(row.nextRequestAt, yield* Clock.currentTimeMillis))
    const wakeReason = yield* row.outcome._tag === "Barred"
      ? Effect.raceFirst(
          Effect.as(sleepUntilDue, "time"),
          Effect.as(connected ?? awaitNextConnection(userId), "connection")
        )
      : Effect.as(sleepUntilDue, "time")
    // The person may connect during the request.
    const nextConnection = yield* Effect.fork(awaitNextConnection(userId))
    const { body, row: updated } = yield* RedemptionAttempt.attempt(row, secret.value)
    yield* resolve(waiters, idempotencyKey, updated.outcome)
    // Show even the same outcome after a connection: the answer may still ask to connect.
    if (wakeReason === "connection" || isNews(updated.outcome, row.outcome))
      yield* RedemptionAttempt.show(updated, body)
    if (updated.outcome._tag !== "Barred") yield* Fiber.interrupt(nextConnection)
    if (!updated.isFinal) yield* follow(idempotencyKey, waiters, Fiber.join(nextConnection))
  })

const showAgain = Effect.fnUntraced(function* (row: Redemption) {
  const messages = yield* (yield* Languages).ofPerson(row.recipient)
  yield* RedemptionAttempt.show(row, Outcome.body(row.outcome, messages))
})

/** The earlier redemption that this one repeats, if any. */
const findSame = Effect.fnUntraced(function* (
  {
    commandInteractionId,
    idempotencyKey,
    openId,
    userId
  }: Pick<Redemption, "commandInteractionId" | "idempotencyKey" | "openId"> & { readonly userId: string },
  submittedSecret: RedemptionSecret
) {
  const rows = yield* Redemptions
  for (const row of yield* rows.findRelated(userId, commandInteractionId)) {
    const { _tag } = row.outcome
    if (row.idempotencyKey === idempotencyKey) return row
    // After a refusal the person may correct the same form and send it again.
    if (row.isFinal && (_tag === "Redeemed" || _tag === "HandledWithoutResult" || _tag === "GivenUp")) return row
    // A redemption on another account is a different one.
    const isOpen = !row.isFinal && row.openId === openId
    if (isOpen && Option.exists(yield* rows.secret(row.idempotencyKey), (secret) => isSame(secret, submittedSecret)))
      return row
  }
  return undefined
})

const isSame = (a: RedemptionSecret, b: RedemptionSecret): boolean => {
  const secretParts = (secret: RedemptionSecret) =>
    (secret._tag === "Code" ? [secret.code] : [secret.key, secret.code]).map((part) => Redacted.value(part).trim())
  return a._tag === b._tag && secretParts(a).join("\n") === secretParts(b).join("\n")
}
