import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { DiscordApi } from "../../discord/DiscordApi.ts"
import { type Languages, messagesFor } from "../../store/Languages.ts"
import { arrivedCard, resentCard } from "../../view/Turn.ts"
import type { Action } from "../../model/Access.ts"
import { type Store, transaction } from "../../store/database/Transaction.ts"
import { tell } from "../../messages/Explain.ts"
import { Inbox } from "../../store/Inbox.ts"
import { Threads } from "../../store/Threads.ts"
import { Turns } from "../../store/Turns.ts"
import * as ThreadOwner from "../../turn/ThreadOwner.ts"
import { type Component, removeControls, say } from "../Command.ts"

/** `s1:<turn>`: sends a message once more whose delivery is not known. The first click counts. */
export const ResendMessage: Component<
  DiscordApi | Inbox | Languages | Store | Threads | ThreadOwner.Requirements | Turns
> = {
  id: /^s1:\d{1,20}$/,
  answers: "quietly",
  action: Effect.fnUntraced(function* ({ reply }): Effect.fn.Return<Action, never, Threads> {
    const thread = yield* (yield* Threads).find(reply.channelId)
    return Option.match(
      Option.filter(thread, ({ closed }) => !closed),
      {
        onNone: () => ({ _tag: "NothingHere" }),
        onSome: (task) => ({ _tag: "Reply", task })
      }
    )
  }),
  orderingKey: ({ customId }) => customId,
  handle: Effect.fn("ResendMessage.handle")(function* ({ customId, reply }, { turnPosts }) {
    const turnId = customId.slice("s1:".length)
    const inbox = yield* Inbox
    const turns = yield* Turns
    const message = Option.filter(yield* inbox.find(turnId), ({ threadId }) => threadId === reply.channelId)
    if (Option.isNone(message)) {
      yield* removeControls(reply)
      return Option.some(say(turnPosts.cannotSendAgain))
    }
    const { attachments, content, threadId } = message.value
    const receivedAt = yield* Clock.currentTimeMillis
    const isStored = yield* transaction(
      Effect.if(turns.takeResend(turnId, reply.id), {
        onTrue: () =>
          inbox.add({
            eventId: reply.id,
            threadId,
            kind: "resent",
            authorId: reply.userId,
            authorName: reply.displayName,
            content,
            attachments,
            first: false,
            late: false,
            receivedAt
          }),
        onFalse: () => Effect.succeed(false)
      })
    )
    if (isStored) yield* ThreadOwner.deliver(threadId, reply.id)
    const { end, prompted } = yield* turns.begin(turnId, threadId, receivedAt)
    const messages = yield* messagesFor(reply.guildId ?? "")
    if (end?._tag === "Failed" && end.arrived === true) {
      yield* removeControls(reply, arrivedCard(messages))
      return Option.some(say(tell(messages, messages.turnPosts.arrived)))
    }
    yield* removeControls(reply, resentCard(messages, prompted || message.value.first))
    return isStored ? Option.none() : Option.some(say(turnPosts.sentAgainBefore))
  })
}
