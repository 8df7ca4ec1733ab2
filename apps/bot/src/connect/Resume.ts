import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { Pressed } from "../discord/DiscordEvent.ts"
import { Accounts } from "./Accounts.ts"
import { Languages } from "../messages/Languages.ts"
import { type Request, Requests } from "../thread/Requests.ts"
import * as TaskStart from "../thread/TaskStart.ts"

/** What resuming needs. */
export type Requirements = Accounts | DiscordApi | Languages | Requests | TaskStart.Requirements

/**
 * Starts what a person asked for before their account was connected; returns the commands and messages that asked.
 * `here` is what the person has just used: where it is on the answer of such a command, that says `words`.
 */
export const resume = Effect.fn("Resume.resume")(function* (
  userId: string,
  here: Pick<Pressed, "cardId" | "reply">,
  words: string
) {
  const api = yield* DiscordApi
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
  return waiting.map(({ requestId }) => requestId)
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
