import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { guard } from "../access/Guard.ts"
import type { Action } from "../access/Policy.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { type IncomingMessage, personOf } from "../discord/DiscordEvent.ts"
import { languageOf } from "../messages/Languages.ts"
import { refused } from "../messages/Refused.ts"
import { Chatting } from "./Chatting.ts"
import { ChatRows } from "./ChatRows.ts"

/** Takes a message in the thread of a chat; tells whether it was in one. */
export const receive = guard({
  person: (message: IncomingMessage) => personOf(message, message.place?.guildId),
  action: Effect.fnUntraced(function* ({ channelId, fromPerson }): Effect.fn.Return<Action, never, ChatRows> {
    const chat = yield* (yield* ChatRows).find(channelId)
    return Option.isNone(chat) || !fromPerson
      ? { _tag: "NothingHere" }
      : { _tag: "Assistant", ownerId: chat.value.ownerId }
  }),
  allowed: Effect.fnUntraced(function* (message) {
    const chat = yield* (yield* ChatRows).find(message.channelId)
    if (Option.isNone(chat)) return false
    yield* (yield* Chatting).said(message)
    return true
  }),
  refused: Effect.fnUntraced(function* ({ channelId, id, place }, refusal, action) {
    const messages = yield* languageOf(place?.guildId ?? "")
    yield* (yield* DiscordApi)
      .create(channelId, { content: refused(messages, refusal, action) }, { nonce: `h${id}`.slice(0, 25), replyTo: id })
      .pipe(Effect.catchAll((error) => Effect.logWarning("A reply could not be sent", error.message)))
    return true
  })
})
