import * as CallOptions from "@heddle/core/CallOptions"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Accounts } from "../access/Accounts.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import { retryWhileUnavailable } from "../discord/RetryPolicy.ts"
import { isFinal, type RedemptionOutcome } from "../model/RedemptionOutcome.ts"
import { type RedemptionRow, Redemptions, type RedemptionSecret } from "../store/account/Redemptions.ts"
import * as ReplyToken from "../store/database/ReplyToken.ts"
import { Languages } from "../store/Languages.ts"
import { failedFor } from "./ConnectFailure.ts"
import { DirectMessages } from "./DirectMessages.ts"
import * as Outcome from "./RedemptionOutcome.ts"

/** The services that an attempt at a redemption needs. */
export type Requirements = Accounts | DirectMessages | DiscordApi | Languages | Redemptions

/** Sends one request and stores its outcome. Returns the updated row and the message for its person. */
export const attempt = Effect.fn("RedemptionAttempt.attempt")(function* (row: RedemptionRow, secret: RedemptionSecret) {
  const rows = yield* Redemptions
  const messages = yield* (yield* Languages).ofPerson(row.reply)
  // Count the try first: after a crash it is unknown whether the request was sent.
  const before = yield* rows.attempt(row.requestId)
  const answer = yield* Effect.either(redeemOnce(row, secret))
  const outcome: RedemptionOutcome =
    answer._tag === "Right"
      ? { _tag: "Redeemed", flowNo: answer.right.flowNo, credits: answer.right.credits }
      : answer.left._tag === "Reauthorize" && (yield* (yield* Accounts).isAnother(row.reply.userId, row.openId))
        ? { _tag: "OtherAccount", unclear: before > 0 }
        : Outcome.fromError(answer.left, before > 0, messages)
  const known = settle(outcome, before, row.createdAt, yield* Clock.currentTimeMillis)
  yield* rows.note(row.requestId, known)
  const body =
    known.outcome._tag === "Failed" && answer._tag === "Left" && isOpenApiError(answer.left)
      ? yield* failedFor(row.reply.userId, messages, answer.left, "redeem")
      : Outcome.body(known.outcome, messages)
  return { row: { ...row, ...known }, body }
})

const redeemOnce = Effect.fnUntraced(function* ({ openId, reply, requestId }: RedemptionRow, secret: RedemptionSecret) {
  const options = { idempotencyKey: requestId }
  return yield* (yield* Accounts)
    .use(
      reply.userId,
      ({ redemptions }) =>
        secret._tag === "Code" ? redemptions.redeem(secret.code, options) : redemptions.redeemVoucher(secret, options),
      openId
    )
    .pipe(CallOptions.with({ timeout: "10 seconds", deadline: "20 seconds", retry: 2 }))
})

/** Whether this outcome is final, and otherwise when the next request is due. */
const settle = (outcome: RedemptionOutcome, before: number, createdAt: number, now: number) => {
  const open = !isFinal(outcome)
  const givenUp = open && now - createdAt > longestUnknown
  const wait = outcome._tag === "Barred" ? longestWait : Math.min(shortestWait * 2 ** before, longestWait)
  return {
    outcome: givenUp ? ({ _tag: "GivenUp" } as const) : outcome,
    settled: !open || givenUp,
    nextAt: now + wait
  }
}

/**
 * Shows the outcome in the private answer. When that can no longer be edited, a final outcome is sent as a direct
 * message.
 */
export const show = Effect.fn("RedemptionAttempt.show")(function* (row: RedemptionRow, body: MessageBody) {
  const { reply, replyToken, requestId } = row
  const inTime = (yield* Clock.currentTimeMillis) - row.createdAt < ReplyToken.life
  const shown =
    inTime && replyToken !== undefined
      ? yield* Effect.match(
          retryWhileUnavailable((yield* DiscordApi).editReply({ token: Redacted.value(replyToken) }, body)),
          {
            onFailure: () => false,
            onSuccess: () => true
          }
        )
      : false
  const barred = row.outcome._tag === "Barred" ? ` ${row.outcome.scopes.join()}` : undefined
  if (!row.settled && barred === undefined) return
  if (!shown) yield* (yield* DirectMessages).send(`redemption ${requestId}${barred ?? ""}`, reply.userId, body)
  if (row.settled) yield* (yield* Redemptions).told(requestId)
})

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

/** The waits between requests for an unknown outcome; each is twice the one before. */
const shortestWait = 2000
const longestWait = 15 * 60_000

/** The longest time that an outcome may stay unknown, in milliseconds. */
const longestUnknown = 24 * 3_600_000
