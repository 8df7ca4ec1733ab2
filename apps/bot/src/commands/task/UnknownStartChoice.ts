import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { DiscordApi } from "../../discord/DiscordApi.ts"
import type { ReplyTo } from "../../discord/DiscordEvent.ts"
import * as TaskStart from "../../intake/TaskStart.ts"
import type { Messages } from "../../messages/Messages.ts"
import type { Action } from "../../model/Access.ts"
import { type Languages, messagesFor } from "../../store/Languages.ts"
import { Requests } from "../../store/Requests.ts"
import * as UnknownStart from "../../view/UnknownStart.ts"
import { type Component, removeControls, say } from "../Command.ts"

/** The choices of a person whose task may or may not have been created: look again, send once more, or open a task. */
export const UnknownStartChoice: Component<DiscordApi | Languages | Requests | TaskStart.Requirements> = {
  id: UnknownStart.pattern,
  answers: "quietly",
  orderingKey: ({ customId }) => `start ${UnknownStart.parse(customId)?.requestId}`,
  action: Effect.fnUntraced(function* ({ customId, reply }): Effect.fn.Return<Action, never, Requests> {
    const parsed = UnknownStart.parse(customId)
    const request = yield* (yield* Requests).find(parsed?.requestId ?? "")
    if (Option.isNone(request) || request.value.userId !== reply.userId) return { _tag: "NothingHere" }
    return parsed?.choice === "send"
      ? { _tag: "StartTask", channelId: request.value.channelId, hidden: false }
      : { _tag: "OwnAccount" }
  }),
  handle: Effect.fn("UnknownStartChoice.handle")(function* ({ customId, inPrivate, reply, values }, messages) {
    const { unknownStart } = messages
    const requests = yield* Requests
    const parsed = UnknownStart.parse(customId)
    const request = yield* requests.find(parsed?.requestId ?? "")
    if (parsed === undefined || Option.isNone(request)) return yield* sayDecided(reply, messages)
    const { guildId, requestId, userId } = request.value
    if (userId !== reply.userId) return Option.some(say(unknownStart.onlyAuthor(userId)))
    const decided = yield* requests.decide(
      requestId,
      {
        replyToken: Redacted.make(reply.token),
        sendsAgain: parsed.choice === "send",
        taskId: parsed.choice === "task" ? values[0] : undefined
      },
      yield* Clock.currentTimeMillis
    )
    if (Option.isNone(decided)) return yield* sayDecided(reply, messages)
    const words = inPrivate === true ? messages : yield* messagesFor(guildId)
    yield* (yield* DiscordApi)
      .editReply(reply, say(progress(parsed.choice, words)))
      .pipe(Effect.catchAll((error) => Effect.logDebug("An answer could not be changed", error.message)))
    yield* TaskStart.enqueue(requestId, decided.value.attempt)
    return Option.none()
  })
}

/** Says that nothing is left to choose, and removes the choices. */
const sayDecided = (reply: ReplyTo, { unknownStart }: Messages) =>
  Effect.as(removeControls(reply), Option.some(say(unknownStart.decided)))

const progress = (choice: UnknownStart.Choice, { unknownStart }: Messages): string =>
  choice === "look" ? unknownStart.looking : choice === "send" ? unknownStart.sending : unknownStart.opening
