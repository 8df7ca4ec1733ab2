import { ApplicationCommandOptionType } from "discord.js"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Shares } from "../access/Shares.ts"
import { TaskCards } from "../access/TaskCards.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { ReplyTo } from "../discord/DiscordEvent.ts"
import { languageOf, type Languages } from "../messages/Languages.ts"
import type { Messages } from "../messages/Messages.ts"
import { Threads } from "../thread/Threads.ts"
import { type Command, say } from "./Command.ts"
import { aboutTask } from "./TaskOption.ts"

type Requirements = DiscordApi | Languages | Shares | TaskCards | Threads

/** `/task share`: the owner of a task lets somebody write to it, or answer what its agent asks. */
export const TaskShare: Command<Requirements> = {
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
  handle: Effect.fn("TaskShare.handle")(function* ({ options, reply }, messages) {
    const thread = yield* (yield* Threads).find(reply.channelId)
    if (Option.isNone(thread)) return Option.some(say(messages.noTaskHere))
    const userId = String(options["member"] ?? "")
    const may = String(options["may"] ?? "reply")
    if (userId === thread.value.ownerId) return Option.some(say(messages.access.shareSelf))
    const share = { userId, reply: may !== "approve", approve: may !== "reply" }
    const by = { eventId: reply.id, userId: reply.userId, at: yield* Clock.currentTimeMillis }
    yield* (yield* Shares).add(thread.value, share, by)
    yield* tellEverybody(reply, thread.value.guildId, ({ access }) => access.sharedHere(thread.value.ownerId, share))
    return Option.some(say(messages.access.shared(share)))
  })
}

/** `/task unshare`: ends that. */
export const TaskUnshare: Command<Requirements> = {
  path: "task unshare",
  describe: ({ commands: { taskUnshare } }) => ({
    description: taskUnshare.description,
    options: [
      { type: ApplicationCommandOptionType.User, name: "member", description: taskUnshare.member, required: true }
    ]
  }),
  answers: "privately",
  action: aboutTask("Share"),
  handle: Effect.fn("TaskUnshare.handle")(function* ({ options, reply }, messages) {
    const thread = yield* (yield* Threads).find(reply.channelId)
    if (Option.isNone(thread)) return Option.some(say(messages.noTaskHere))
    const userId = String(options["member"] ?? "")
    const by = { eventId: reply.id, userId: reply.userId, at: yield* Clock.currentTimeMillis }
    const ended = yield* (yield* Shares).end(thread.value, userId, by)
    if (ended) yield* tellEverybody(reply, thread.value.guildId, ({ access }) => access.unsharedHere(userId))
    return Option.some(say(ended ? messages.access.unshared(userId) : messages.access.neverShared(userId)))
  })
}

/** The card of the task says who may write to it; in the thread it is news. */
const tellEverybody = Effect.fnUntraced(function* (
  reply: ReplyTo,
  guildId: string,
  words: (messages: Messages) => string
) {
  yield* (yield* TaskCards).refresh
  const content = words(yield* languageOf(guildId))
  yield* (yield* DiscordApi).create(reply.channelId, { content }, { nonce: `h${reply.id}`.slice(0, 25) }).pipe(
    // The card says the same.
    Effect.catchAll((error) => Effect.logInfo("A share could not be told in its thread", error.message))
  )
})
