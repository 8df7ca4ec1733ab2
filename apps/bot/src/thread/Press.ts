import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { decide } from "../access/Policy.ts"
import { Connect } from "../connect/Connect.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { Pressed } from "../discord/DiscordEvent.ts"
import { forLocale } from "../messages/Messages.ts"
import { Permissions } from "./Permissions.ts"
import * as ThreadOwner from "./ThreadOwner.ts"
import { Threads } from "./Threads.ts"

/** A button of the bot was pressed. Its id says which: `p1:<permission>:<option>` or `c1:connect`. */
export const handle = Effect.fn("Press.handle")(function* (event: Pressed) {
  const api = yield* DiscordApi
  const messages = forLocale(event.reply.locale)
  const [kind, id, option] = event.customId.split(":")
  if (kind === "p1" && id !== undefined && /^\d{1,2}$/.test(option ?? "")) {
    return yield* answer(event, id, Number(option))
  }
  if (kind === "c1") {
    const { url } = yield* (yield* Connect).begin(event.reply.userId)
    return yield* api.respond(event.reply, {
      content: messages.connectFirst.plainText,
      buttons: [[{ label: messages.connectFirst.button, style: "primary", url }]]
    })
  }
  yield* api.respond(event.reply, { content: messages.buttonUnknown })
})

const answer = Effect.fnUntraced(function* ({ reply }: Pressed, permissionId: string, optionIndex: number) {
  const api = yield* DiscordApi
  const permissions = yield* Permissions
  const messages = forLocale(reply.locale)
  const row = yield* permissions.find(permissionId)
  const thread = Option.isNone(row) ? Option.none() : yield* (yield* Threads).find(row.value.threadId)
  if (Option.isNone(row) || Option.isNone(thread) || row.value.options[optionIndex] === undefined) {
    return yield* api.respond(reply, { content: messages.answerSettled })
  }
  const { ownerId } = thread.value
  if (decide(reply.userId, { _tag: "Approve", ownerId }) !== "allowed") {
    return yield* api.respond(reply, { content: messages.notAllowedToAnswer(ownerId) })
  }
  // One of all clicks wins; the others are told. The card changes when the turn shows the outcome.
  const won = yield* permissions.answer(permissionId, optionIndex, reply.userId, yield* Clock.currentTimeMillis)
  if (!won) return yield* api.respond(reply, { content: messages.answerSettled })
  yield* ThreadOwner.answered(row.value.threadId)
  yield* api.deferUpdate(reply)
})
