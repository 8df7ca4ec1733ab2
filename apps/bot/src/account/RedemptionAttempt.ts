import * as CallOptions from "@heddle/core/CallOptions"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Accounts } from "../access/Accounts.ts"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import { retryWhileUnavailable } from "../discord/RetryPolicy.ts"
import { isFinal, type RedemptionOutcome } from "../model/RedemptionOutcome.ts"
import { type Redemption, Redemptions, type RedemptionSecret } from "../store/account/Redemptions.ts"
import * as ReplyToken from "../store/database/ReplyToken.ts"
import { Languages } from "../store/Languages.ts"
import { failureBodyFor } from "./ConnectFailure.ts"
import { DirectMessages } from "./DirectMessages.ts"
import * as Outcome from "./RedemptionOutcome.ts"

/** The services that an attempt at a redemption needs. */
export type Requirements = Accounts | DirectMessages | DiscordApi | Languages | Redemptions

/** Sends one request and stores its outcome. Returns the updated row and the message for its person. */
export const attempt = Effect.fn("RedemptionAttempt.attempt")(function* (row: Redemption, secret: RedemptionSecret) {
  const rows = yield* Redemptions
  const messages = yield* (yield* Languages).ofPerson(row.recipient)
  // Count the try first: after a crash it is unknown whether the request was sent.
  const earlierAttempts = yield* rows.countAttempt(row.idempotencyKey)
  const answer = yield* Effect.either(redeemOnce(row, secret))
  const outcome: RedemptionOutcome =
    answer._tag === "Right"
      ? { _tag: "Redeemed", flowNo: answer.right.flowNo, credits: answer.right.credits }
      : answer.left._tag === "Reauthorize" && (yield* (yield* Accounts).isAnother(row.recipient.userId, row.openId))
        ? { _tag: "OtherAccount", unclear: earlierAttempts > 0 }
        : Outcome.fromError(answer.left, earlierAttempts > 0, messages)
  const requestedWait = answer._tag === "Left" ? RetryPolicy.requestedWait(answer.left) : Duration.zero
  const change = scheduleNext(
    { outcome, requestedWait },
    earlierAttempts,
    row.createdAt,
    yield* Clock.currentTimeMillis
  )
  yield* rows.recordOutcome(row.idempotencyKey, change)
  const body =
    change.outcome._tag === "Failed" && answer._tag === "Left" && isOpenApiError(answer.left)
      ? yield* failureBodyFor(row.recipient.userId, messages, answer.left, "redeem")
      : Outcome.body(change.outcome, messages)
  return { row: { ...row, ...change }, body }
})

const redeemOnce = Effect.fnUntraced(function* (
  { openId, recipient, idempotencyKey }: Redemption,
  secret: RedemptionSecret
) {
  const options = { idempotencyKey }
  return yield* (yield* Accounts)
    .use(
      recipient.userId,
      ({ redemptions }) =>
        secret._tag === "Code" ? redemptions.redeem(secret.code, options) : redemptions.redeemVoucher(secret, options),
      openId
    )
    .pipe(CallOptions.with({ timeout: "10 seconds", deadline: "20 seconds" }))
})

/** Whether this outcome is final, and otherwise when the next request is due. */
const scheduleNext = (
  { outcome, requestedWait }: { readonly outcome: RedemptionOutcome; readonly requestedWait: Duration.Duration },
  earlierAttempts: number,
  createdAt: number,
  now: number
) => {
  const isOpen = !isFinal(outcome)
  const hasGivenUp = isOpen && now - createdAt > maxUnknownMs
  const wait =
    outcome._tag === "Barred" ? RetrySchedules.maxRedemptionDelay : RetrySchedules.redemptionDelay(earlierAttempts)
  return {
    outcome: hasGivenUp ? ({ _tag: "GivenUp" } as const) : outcome,
    isFinal: !isOpen || hasGivenUp,
    nextRequestAt: now + Duration.toMillis(Duration.max(wait, requestedWait))
  }
}

/**
 * Shows the outcome in the private answer. When that can no longer be edited, a final outcome is sent as a direct
 * message.
 */
export const show = Effect.fn("RedemptionAttempt.show")(function* (row: Redemption, body: MessageBody) {
  const { recipient, interactionToken, idempotencyKey } = row
  const isTokenValid = (yield* Clock.currentTimeMillis) - row.createdAt < ReplyToken.life
  const isShown =
    isTokenValid && interactionToken !== undefined
      ? yield* Effect.match(
          retryWhileUnavailable((yield* DiscordApi).editReply({ token: Redacted.value(interactionToken) }, body)),
          {
            onFailure: () => false,
            onSuccess: () => true
          }
        )
      : false
  const requirement = row.outcome._tag === "Barred" ? ` ${row.outcome.scopes.join()}` : undefined
  if (!row.isFinal && requirement === undefined) return
  if (!isShown)
    yield* (yield* DirectMessages).send(`redemption ${idempotencyKey}${requirement ?? ""}`, recipient.userId, body)
  if (row.isFinal) yield* (yield* Redemptions).markReported(idempotencyKey)
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

/** The longest time that an outcome may stay unknown, in milliseconds. */
const maxUnknownMs = 24 * 3_600_000
