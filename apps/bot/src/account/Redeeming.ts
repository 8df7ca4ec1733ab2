import * as CallOptions from "@heddle/core/CallOptions"
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
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { ReplyTo } from "../discord/DiscordEvent.ts"
import { untilAnswered } from "../discord/Retry.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import { failedFor } from "./ConnectFailure.ts"
import { Languages } from "../store/Languages.ts"
import * as ReplyToken from "../store/database/ReplyToken.ts"
import { DirectMessages } from "./DirectMessages.ts"
import { isFinal, isNews, type RedemptionOutcome } from "../model/RedemptionOutcome.ts"
import * as Outcome from "./RedemptionOutcome.ts"
import { type RedemptionRow, Redemptions, type RedemptionSecret } from "../store/account/Redemptions.ts"

/**
 * Redeems what people typed, at most once: a row is written before the service is asked, under whose id it is asked
 * again until the outcome is known, over restarts, too. What is found out is told by itself: in the private answer while
 * Discord allows that, then directly.
 */
export class Redeeming extends Context.Tag("@heddle/bot/Redeeming")<
  Redeeming,
  {
    /**
     * Redeems what was typed in a form and tells the person. The same form, or the same secret while it is not settled,
     * is the redemption that there was before: then its outcome is returned, for whoever asked again.
     */
    readonly redeem: (
      asked: { readonly formId: string; readonly reply: ReplyTo },
      secret: RedemptionSecret
    ) => Effect.Effect<Option.Option<RedemptionOutcome>>
  }
>() {}

export const layer: Layer.Layer<Redeeming, never, Accounts | DiscordApi | Languages | DirectMessages | Redemptions> =
  Layer.scoped(
    Redeeming,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const api = yield* DiscordApi
      const languages = yield* Languages
      const directMessages = yield* DirectMessages
      const rows = yield* Redemptions
      const following = yield* FiberMap.make<string>()
      const oneAtATime = yield* Effect.makeSemaphore(1)
      /** The first answers that are waited for. */
      const first = new Map<string, Deferred.Deferred<RedemptionOutcome>>()

      const heard = (requestId: string, outcome: RedemptionOutcome) =>
        Effect.suspend(() => {
          const waiter = first.get(requestId)
          first.delete(requestId)
          return waiter === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(waiter, outcome))
        })

      /** Says what is known in the private answer; what is final is said elsewhere when that is over. */
      const tell = Effect.fnUntraced(function* (row: RedemptionRow, body: MessageBody) {
        const { reply, replyToken, requestId } = row
        const inTime = (yield* Clock.currentTimeMillis) - row.createdAt < ReplyToken.life
        const said =
          inTime && replyToken !== undefined
            ? yield* Effect.match(untilAnswered(api.editReply({ token: Redacted.value(replyToken) }, body)), {
                onFailure: () => false,
                onSuccess: () => true
              })
            : false
        const barred = row.outcome._tag === "Barred" ? ` ${row.outcome.scopes.join()}` : undefined
        if (!row.settled && barred === undefined) return
        if (!said) yield* directMessages.send(`redemption ${requestId}${barred ?? ""}`, reply.userId, body)
        if (row.settled) yield* rows.told(requestId)
      })

      /** Asks the service once and notes what it says. */
      const ask = Effect.fnUntraced(function* (row: RedemptionRow, secret: RedemptionSecret) {
        const { createdAt, openId, reply, requestId } = row
        const messages = yield* languages.ofPerson(reply)
        // Counted before: after a crash nobody knows whether the service was asked.
        const before = yield* rows.attempt(requestId)
        const options = { idempotencyKey: requestId }
        const answer = yield* accounts
          .use(
            reply.userId,
            ({ redemptions }) =>
              secret._tag === "Code"
                ? redemptions.redeem(secret.code, options)
                : redemptions.redeemVoucher(secret, options),
            openId
          )
          .pipe(CallOptions.with({ timeout: "10 seconds", deadline: "20 seconds", retry: 2 }), Effect.either)
        const another =
          answer._tag === "Left" &&
          answer.left._tag === "Reauthorize" &&
          (yield* accounts.isAnother(reply.userId, openId))
        const outcome: RedemptionOutcome =
          answer._tag === "Right"
            ? { _tag: "Redeemed", flowNo: answer.right.flowNo, credits: answer.right.credits }
            : another
              ? { _tag: "OtherAccount", unclear: before > 0 }
              : Outcome.fromError(answer.left, before > 0, messages)
        const now = yield* Clock.currentTimeMillis
        const open = !isFinal(outcome)
        const late = open && now - createdAt > patience
        const known = {
          outcome: late ? ({ _tag: "GivenUp" } as const) : outcome,
          settled: !open || late,
          nextAt: now + (outcome._tag === "Barred" ? longestWait : Math.min(shortestWait * 2 ** before, longestWait))
        }
        yield* rows.note(requestId, known)
        const body =
          known.outcome._tag === "Failed" && answer._tag === "Left" && isOpenApiError(answer.left)
            ? yield* Effect.provideService(failedFor(reply.userId, messages, answer.left, "redeem"), Accounts, accounts)
            : Outcome.body(known.outcome, messages)
        return { row: { ...row, ...known }, body }
      })

      /** Asks until the outcome is known, and tells it; where that needs something of the person, once they did it. */
      const follow = (requestId: string, connected?: Effect.Effect<void>): Effect.Effect<void> =>
        Effect.gen(function* () {
          const found = yield* rows.find(requestId)
          if (Option.isNone(found)) return
          const row = found.value
          if (row.settled) {
            const messages = yield* languages.ofPerson(row.reply)
            return yield* row.told ? Effect.void : tell(row, Outcome.body(row.outcome, messages))
          }
          const secret = yield* rows.secret(requestId)
          if (Option.isNone(secret)) return
          const { userId } = row.reply
          const due = Effect.sleep(Math.max(0, row.nextAt - (yield* Clock.currentTimeMillis)))
          const since =
            row.outcome._tag === "Barred"
              ? yield* Effect.raceFirst(
                  Effect.as(due, "time"),
                  Effect.as(connected ?? accounts.awaitNextConnection(userId), "connection")
                )
              : yield* Effect.as(due, "time")
          // They may connect while the service is asked.
          const next = yield* Effect.fork(accounts.awaitNextConnection(userId))
          const { body, row: now } = yield* ask(row, secret.value)
          yield* heard(requestId, now.outcome)
          // What has changed nothing is said again: the answer may say only that the account is connected.
          if (since === "connection" || isNews(now.outcome, row.outcome)) yield* tell(now, body)
          if (now.outcome._tag !== "Barred") yield* Fiber.interrupt(next)
          if (!now.settled) yield* follow(requestId, Fiber.join(next))
        })

      const start = (requestId: string) =>
        FiberMap.run(
          following,
          requestId,
          follow(requestId).pipe(
            Effect.catchAllDefect((defect) => Effect.logError("A redemption could not be followed", defect)),
            Effect.ensuring(heard(requestId, { _tag: "Asked" }))
          ),
          { onlyIfMissing: true }
        )

      /** The redemption that this is again, if it is one. */
      const same = Effect.fnUntraced(function* (
        requestId: string,
        formId: string,
        userId: string,
        openId: string | undefined,
        typed: RedemptionSecret
      ) {
        for (const row of yield* rows.related(userId, formId)) {
          const { _tag } = row.outcome
          if (row.requestId === requestId) return row
          // Of what was refused, the same form may be sent again, corrected.
          if (row.settled && (_tag === "Redeemed" || _tag === "Untold" || _tag === "GivenUp")) return row
          // On another account it is another redemption.
          if (
            !row.settled &&
            row.openId === openId &&
            Option.exists(yield* rows.secret(row.requestId), (secret) => isSame(secret, typed))
          )
            return row
        }
        return undefined
      })

      yield* Effect.forEach(yield* rows.unfinished, ({ requestId }) => start(requestId), { discard: true })

      return Redeeming.of({
        redeem: Effect.fn("Redeeming.redeem")(function* ({ formId, reply }, secret) {
          const requestId = reply.id
          const before = yield* oneAtATime.withPermits(1)(
            Effect.gen(function* () {
              const openId = yield* accounts.openIdOf(reply.userId)
              const known = yield* same(requestId, formId, reply.userId, openId, secret)
              if (known !== undefined) return known
              first.set(requestId, yield* Deferred.make<RedemptionOutcome>())
              const replyToken = Redacted.make(reply.token)
              const createdAt = yield* Clock.currentTimeMillis
              yield* rows.add({ requestId, formId, openId, reply, replyToken, createdAt }, secret)
              yield* start(requestId)
              return undefined
            })
          )
          if (before === undefined) return Option.none()
          const waiter = first.get(before.requestId)
          return Option.some(yield* waiter === undefined ? Effect.succeed(before.outcome) : Deferred.await(waiter))
        })
      })
    })
  )

const isOpenApiError = <E extends { readonly _tag: string }>(
  error: E
): error is Exclude<
  E,
  {
    readonly _tag:
      | "AlreadyHandled"
      | "InvalidRedemption"
      | "RedemptionOutcomeUnknown"
      | "RedemptionPending"
      | "RefusedAfterLostAnswer"
  }
> =>
  ![
    "AlreadyHandled",
    "InvalidRedemption",
    "RedemptionOutcomeUnknown",
    "RedemptionPending",
    "RefusedAfterLostAnswer"
  ].includes(error._tag)

const isSame = (a: RedemptionSecret, b: RedemptionSecret): boolean => {
  const parts = (secret: RedemptionSecret) =>
    (secret._tag === "Code" ? [secret.code] : [secret.key, secret.code]).map((part) => Redacted.value(part).trim())
  return a._tag === b._tag && parts(a).join("\n") === parts(b).join("\n")
}

/** The waits until an unknown outcome is asked for again: each twice the one before. */
const shortestWait = 2000
const longestWait = 15 * 60_000

/** How long an outcome may stay unknown. */
const patience = 24 * 3_600_000
