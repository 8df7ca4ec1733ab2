import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Redemptions } from "../store/account/Redemptions.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { Pressed } from "../discord/DiscordEvent.ts"
import { retryWhileUnavailable } from "../discord/RetryPolicy.ts"
import { Accounts } from "../access/Accounts.ts"
import { Languages } from "../store/Languages.ts"
import { type Request, Requests } from "../store/Requests.ts"
import * as TaskStart from "../intake/TaskStart.ts"

/** What resuming needs. */
export type Requirements = Accounts | DiscordApi | Languages | Redemptions | Requests | TaskStart.Requirements

/**
 * Has everything go on that waits for the account that a person has just connected; returns the commands, forms and
 * messages that asked for it. `here` is what the person has just used: where it is on the answer to one of those, that
 * says `words`, and then what comes of it.
 */
export const resume = Effect.fn("Resume.resume")(function* (
  userId: string,
  here: Pick<Pressed, "cardId" | "reply">,
  words: string
) {
  const api = yield* DiscordApi
  const barred = (yield* (yield* Redemptions).related(userId, "")).filter(
    ({ outcome, settled }) => !settled && outcome._tag === "Barred"
  )
  if (barred.some(({ requestId }) => requestId === here.cardId)) {
    // Said before it goes on, so that the last words are what came of it.
    yield* retryWhileUnavailable(api.editReply(here.reply, { content: words })).pipe(
      Effect.timeoutOption("5 seconds"),
      Effect.catchAll((error) => Effect.logDebug("A private answer could not be changed", error.message))
    )
  }
  yield* (yield* Accounts).connected(userId)
  const waiting = yield* (yield* Requests).resume(userId, yield* (yield* Accounts).openIdOf(userId))
  for (const { attempt, guildId, locale, replyToken, requestId } of waiting) {
    const isHere = requestId === here.cardId
    const token = isHere ? here.reply.token : replyToken && Redacted.value(replyToken)
    if (token !== undefined) {
      const { connectedStarting } = yield* (yield* Languages).ofPerson({ guildId, locale: locale ?? "" })
      yield* api.editReply({ token }, { content: isHere ? words : connectedStarting }).pipe(
        // After 15 minutes the private answer is closed; the thread itself tells that the task runs.
        Effect.catchAll((error) => Effect.logDebug("A private answer could not be changed any more", error.message))
      )
    }
    yield* TaskStart.enqueue(requestId, attempt)
  }
  yield* Effect.forEach(waiting, takeBack, { discard: true, concurrency: 5 })
  return [...waiting, ...barred].map(({ requestId }) => requestId)
})

/** Takes away what was said in public to a message whose author had to connect first. */
const takeBack = ({ channelId, replyToken, requestId, threadId }: Request) =>
  Effect.gen(function* () {
    if (replyToken !== undefined) return
    const api = yield* DiscordApi
    const place = threadId ?? channelId
    const reply = (yield* api.messagesAfter(place, requestId)).find(
      ({ own, repliesTo }) => own === "reply" && repliesTo === requestId
    )
    if (reply !== undefined) yield* api.removeMessage(place, reply.id)
  }).pipe(
    Effect.timeoutOption("5 seconds"),
    // It stays, and whoever presses it gets a link of their own.
    Effect.catchAll((error) => Effect.logDebug("Public words about connecting stay", error.message))
  )
