import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Redemptions } from "../store/account/Redemptions.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { ComponentOrModalSubmit } from "../discord/DiscordEvent.ts"
import { retryWhileUnavailable } from "../discord/RetryPolicy.ts"
import { Accounts } from "../access/Accounts.ts"
import { Languages } from "../store/Languages.ts"
import { type Request, Requests } from "../store/Requests.ts"
import * as TaskStart from "../intake/TaskStart.ts"

/** The services that resuming needs. */
export type Requirements = Accounts | DiscordApi | Languages | Redemptions | Requests | TaskStart.Requirements

/**
 * Continues all work that waits for the account that a person has just connected. Returns the commands, forms and
 * messages that asked for it. `current` is the current interaction: if it belongs to one of those answers, that answer
 * shows `words` first and the result after it.
 */
export const resume = Effect.fn("Resume.resume")(function* (
  userId: string,
  current: Pick<ComponentOrModalSubmit, "reply" | "sourceInteractionId">,
  words: string
) {
  const api = yield* DiscordApi
  const blockedRedemptions = (yield* (yield* Redemptions).findRelated(userId, "")).filter(
    ({ isFinal, outcome }) => !isFinal && outcome._tag === "Barred"
  )
  if (blockedRedemptions.some(({ idempotencyKey }) => idempotencyKey === current.sourceInteractionId)) {
    // Say it before the work continues, so that the result comes last.
    yield* retryWhileUnavailable(api.editReply(current.reply, { content: words })).pipe(
      Effect.timeoutOption("5 seconds"),
      Effect.catchAll((error) => Effect.logDebug("A private answer could not be changed", error.message))
    )
  }
  yield* (yield* Accounts).wakeWaiters(userId)
  const waiting = yield* (yield* Requests).resumeWaiting(userId, yield* (yield* Accounts).openIdOf(userId))
  for (const { attempt, guildId, locale, replyToken, requestId } of waiting) {
    const isCurrent = requestId === current.sourceInteractionId
    const token = isCurrent ? current.reply.token : replyToken && Redacted.value(replyToken)
    if (token !== undefined) {
      const { connectedStarting } = yield* (yield* Languages).ofPerson({ guildId, locale: locale ?? "" })
      yield* api.editReply({ token }, { content: isCurrent ? words : connectedStarting }).pipe(
        // The private answer closes after 15 minutes; the thread itself shows the running task.
        Effect.catchAll((error) => Effect.logDebug("A private answer could not be changed any more", error.message))
      )
    }
    yield* TaskStart.enqueue(requestId, attempt)
  }
  yield* Effect.forEach(waiting, removeConnectRequest, { discard: true, concurrency: 5 })
  return [
    ...waiting.map(({ requestId }) => requestId),
    ...blockedRedemptions.map(({ idempotencyKey }) => idempotencyKey)
  ]
})

/** Removes the public text that asked a message's author to connect first. */
const removeConnectRequest = ({ channelId, replyToken, requestId, threadId }: Request) =>
  Effect.gen(function* () {
    if (replyToken !== undefined) return
    const api = yield* DiscordApi
    const channel = threadId ?? channelId
    const reply = (yield* api.messagesAfter(channel, requestId)).find(
      ({ own, repliesTo }) => own === "reply" && repliesTo === requestId
    )
    if (reply !== undefined) yield* api.removeMessage(channel, reply.id)
  }).pipe(
    Effect.timeoutOption("5 seconds"),
    // The text stays; everyone who presses its button gets a link of their own.
    Effect.catchAll((error) => Effect.logDebug("Public words about connecting stay", error.message))
  )
