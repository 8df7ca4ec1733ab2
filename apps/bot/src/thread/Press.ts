import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { decide } from "../access/Policy.ts"
import { Connect } from "../connect/Connect.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { Pressed, ReplyTo } from "../discord/DiscordEvent.ts"
import { Languages } from "../messages/Languages.ts"
import type { Messages } from "../messages/Messages.ts"
import * as Ask from "../view/Ask.ts"
import * as Answering from "./Answering.ts"
import { type PermissionRow, Permissions } from "./Permissions.ts"
import * as ThreadOwner from "./ThreadOwner.ts"
import { Threads } from "./Threads.ts"

/** A control of the bot was used. Its id says which: one of a card, see {@link Answering.Act}, or `c1:connect`. */
export const handle = Effect.fn("Press.handle")(function* (event: Pressed) {
  const { customId, reply, values } = event
  const api = yield* DiscordApi
  const messages = yield* (yield* Languages).ofPerson(reply)
  const found = Answering.parse(customId, values)
  if (found !== undefined) {
    return yield* found.act._tag === "Write"
      ? write(reply, messages, found.permissionId, found.act.step)
      : use(reply, messages, found.permissionId, found.act)
  }
  if (customId.startsWith("c1:")) {
    yield* api.defer(reply)
    const { url } = yield* (yield* Connect).begin(reply.userId)
    return yield* api.editReply(reply, {
      content: messages.connectFirst.plainText,
      buttons: [[{ label: messages.connectFirst.button, style: "primary", url }]]
    })
  }
  yield* api.respond(reply, { content: messages.buttonUnknown })
})

/** Discord hears at once that the click arrived, whatever the store and the service are doing; words follow. */
const use = Effect.fnUntraced(function* (reply: ReplyTo, messages: Messages, permissionId: string, act: Answering.Act) {
  const api = yield* DiscordApi
  const acknowledged = yield* Effect.fork(api.deferUpdate(reply))
  // The store comes second, but no click waits for a Discord that does not answer.
  yield* Effect.timeoutOption(Fiber.await(acknowledged), "1 second")
  const words = yield* decideAbout(reply, messages, permissionId, act)
  // A click whose acknowledgement is lost counts all the same: the card shows it.
  const heard = yield* Fiber.await(acknowledged)
  if (heard._tag === "Failure") yield* Effect.logWarning("A click could not be acknowledged", heard.cause)
  if (words !== undefined) yield* api.followUp(reply, { content: words })
})

/** One of all clicks wins; what the others are told is returned. The card changes when its turn shows the row. */
const decideAbout = Effect.fnUntraced(function* (
  reply: ReplyTo,
  messages: Messages,
  permissionId: string,
  act: Answering.Act
) {
  const permissions = yield* Permissions
  const checked = yield* check(reply, messages, permissionId)
  if (typeof checked === "string") return checked
  const now = yield* Clock.currentTimeMillis
  const before = yield* permissions.draft(permissionId, (row) => {
    const outcome = Answering.apply(row, act)
    return outcome._tag === "Draft" ? outcome.draft : undefined
  })
  if (Option.isNone(before)) return messages.answerSettled
  const what = Answering.apply(before.value, act)
  if (what._tag === "Misfit") return messages.answerSettled
  if (what._tag === "Answer" && !(yield* permissions.answer(permissionId, what.answer, reply.userId, now))) {
    const row = yield* permissions.find(permissionId)
    return Option.match(row, { onNone: () => messages.answerSettled, onSome: (late) => settled(late, now, messages) })
  }
  yield* ThreadOwner.answered(checked.threadId)
  if (what._tag !== "Draft" || what.problem === undefined) return undefined
  const { nothingAnswered, misfit } = messages.asked
  return messages.answerInvalid(what.problem._tag === "NothingAnswered" ? nothingAnswered : misfit(what.problem))
})

/** Opens the form to write in. Nothing may come before it, so a store that is slow ends in words instead. */
const write = Effect.fnUntraced(function* (reply: ReplyTo, messages: Messages, permissionId: string, step: number) {
  const api = yield* DiscordApi
  const checked = yield* Effect.timeoutOption(check(reply, messages, permissionId), "1500 millis")
  if (Option.isNone(checked)) return yield* api.respond(reply, { content: messages.answerSlow })
  const row = checked.value
  if (typeof row === "string") return yield* api.respond(reply, { content: row })
  const question = row.questions[step]
  if (question === undefined) return yield* api.respond(reply, { content: messages.answerSettled })
  const before = Answering.ownWords(question, row.draft[question.id])
  yield* api.modal(reply, Ask.writing(permissionId, step, question, before, messages))
})

/** The row of a card that this person may answer now, or why not. */
const check = Effect.fnUntraced(function* (reply: ReplyTo, messages: Messages, permissionId: string) {
  const row = yield* (yield* Permissions).find(permissionId)
  const thread = Option.isNone(row) ? Option.none() : yield* (yield* Threads).find(row.value.threadId)
  if (Option.isNone(row) || Option.isNone(thread)) return messages.answerSettled
  const { ownerId } = thread.value
  if (decide(reply.userId, { _tag: "Approve", ownerId }) !== "allowed") return messages.notAllowedToAnswer(ownerId)
  const now = yield* Clock.currentTimeMillis
  return row.value.state !== "open" || row.value.deadlineAt <= now ? settled(row.value, now, messages) : row.value
})

const settled = (row: PermissionRow, now: number, messages: Messages): string => {
  if (row.state === "answered" && row.answeredBy !== undefined) return messages.answeredBefore(row.answeredBy)
  if (row.state === "expired" || row.deadlineAt <= now) return messages.answerTooLate
  return row.state === "withdrawn" ? messages.answerNotWaited : messages.answerSettled
}
