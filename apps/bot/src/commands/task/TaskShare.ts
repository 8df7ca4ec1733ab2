import { ApplicationCommandOptionType } from "../../discord/ApplicationCommands.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Members } from "../../access/Members.ts"
import { Shares } from "../../store/Shares.ts"
import { TaskHeaders } from "../../outbox/TaskHeaders.ts"
import { DiscordApi } from "../../discord/DiscordApi.ts"
import { messagesFor, type Languages } from "../../store/Languages.ts"
import type { Messages } from "../../messages/Messages.ts"
import { type Thread, Threads } from "../../store/Threads.ts"
import { oneLine } from "../../text/Truncate.ts"
import { type CommandHandler, ownAccount, say } from "../Command.ts"
import { aboutTask, taskOption, threadOf } from "./TaskOption.ts"

type Requirements = DiscordApi | Languages | Members | Shares | TaskHeaders | Threads

/** `/task share`: the owner lets a person write to the task, or answer the agent's requests. */
export const TaskShare: CommandHandler<Requirements> = {
  path: "task share",
  describe: ({ commands: { taskShare } }) => ({
    description: taskShare.description,
    options: [
      { type: ApplicationCommandOptionType.User, name: "member", description: taskShare.member, required: true },
      {
        type: ApplicationCommandOptionType.String,
        name: "may",
        description: taskShare.may,
        choices: [
          { name: taskShare.reply, value: "reply" },
          { name: taskShare.approve, value: "approve" },
          { name: taskShare.both, value: "both" }
        ]
      }
    ]
  }),
  answers: "privately",
  action: aboutTask("Share"),
  handle: Effect.fn("TaskShare.handle")(function* ({ bots, options, reply }, messages) {
    const thread = yield* (yield* Threads).find(reply.channelId)
    if (Option.isNone(thread)) return Option.some(say(messages.noTaskHere))
    const userId = String(options["member"] ?? "")
    const capability = String(options["may"] ?? "reply")
    if (userId === thread.value.ownerId) return Option.some(say(messages.access.shareSelf))
    if (bots.includes(userId)) return Option.some(say(messages.access.shareBot(userId)))
    const { _tag } = yield* (yield* Members).find(thread.value.guildId, userId, 0)
    // Discord also accepts ids of people who are not in the server.
    if (_tag === "NotMember") return Option.some(say(messages.access.shareNotMember(userId)))
    if (_tag === "NotKnown") return Option.some(say(messages.indeterminate))
    const share = { userId, reply: capability !== "approve", approve: capability !== "reply" }
    const by = { eventId: reply.id, userId: reply.userId, at: yield* Clock.currentTimeMillis }
    yield* (yield* Shares).add(thread.value, share, by)
    yield* announce(reply.id, thread.value, ({ access }) => access.sharedHere(thread.value.ownerId, share))
    return Option.some(say(messages.access.shared(share)))
  })
}

/** `/task unshare`: ends a share, in the task's thread or in any channel. */
export const TaskUnshare: CommandHandler<Requirements> = {
  path: "task unshare",
  describe: ({ commands: { taskUnshare } }) => ({
    description: taskUnshare.description,
    options: [
      { type: ApplicationCommandOptionType.User, name: "member", description: taskUnshare.member, required: true },
      taskOption(taskUnshare.task)
    ]
  }),
  suggest: {
    action: ownAccount,
    handle: Effect.fn("TaskShare.suggestUnshare")(function* ({ focused, reply }) {
      const query = focused.value.trim().toLowerCase()
      return (yield* (yield* Shares).tasksOf(reply.userId))
        .map(({ name, taskId }) => ({ name: oneLine(name, 100), value: taskId }))
        .filter(({ name, value }) => value.length <= 100 && name.toLowerCase().includes(query))
    })
  },
  answers: "privately",
  action: aboutTask("Share"),
  handle: Effect.fn("TaskShare.unshare")(function* (event, messages) {
    const { options, reply } = event
    const thread = yield* threadOf(event)
    if (Option.isNone(thread)) return Option.some(say(messages.noTaskHere))
    const userId = String(options["member"] ?? "")
    const by = { eventId: reply.id, userId: reply.userId, at: yield* Clock.currentTimeMillis }
    const hasEnded = yield* (yield* Shares).end(thread.value, userId, by)
    if (hasEnded) yield* announce(reply.id, thread.value, ({ access }) => access.unsharedHere(userId))
    return Option.some(say(hasEnded ? messages.access.unshared(userId) : messages.access.wasNotShared(userId)))
  })
}

/** The task header shows who may write; the thread gets a message. */
const announce = Effect.fnUntraced(function* (
  eventId: string,
  { guildId, threadId }: Thread,
  textOf: (messages: Messages) => string
) {
  yield* (yield* TaskHeaders).refresh
  const content = textOf(yield* messagesFor(guildId))
  yield* (yield* DiscordApi).create(threadId, { content }, { nonce: `h${eventId}`.slice(0, 25) }).pipe(
    // The task header says the same.
    Effect.catchAll((error) => Effect.logInfo("The thread could not be informed of a share", error.message))
  )
})
