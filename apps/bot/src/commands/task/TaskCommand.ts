import { ApplicationCommandOptionType } from "../../discord/ApplicationCommands.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DiscordApi } from "../../discord/DiscordApi.ts"
import { retryWhileUnavailable } from "../../discord/RetryPolicy.ts"
import type { Action } from "../../model/Access.ts"
import type { AgentOfferRows } from "../../store/AgentOffers.ts"
import { Inbox } from "../../store/Inbox.ts"
import { type Languages, messagesFor } from "../../store/Languages.ts"
import type { Threads } from "../../store/Threads.ts"
import { findNamed } from "../../text/Comparable.ts"
import { oneLine } from "../../text/Truncate.ts"
import * as ThreadOwner from "../../turn/ThreadOwner.ts"
import { type CommandHandler, say } from "../Command.ts"
import { commandText } from "../../model/AgentOffers.ts"
import { offersHere, suggestedOption, suggestFrom } from "./AgentChoice.ts"

/** `/task command`: sends one of the agent's own commands, as a prompt like any message. */
export const TaskCommand: CommandHandler<
  AgentOfferRows | DiscordApi | Inbox | Languages | ThreadOwner.Requirements | Threads
> = {
  path: "task command",
  describe: ({ commands: { taskCommand } }) => ({
    description: taskCommand.description,
    options: [
      suggestedOption("name", taskCommand.name),
      { type: ApplicationCommandOptionType.String, name: "args", description: taskCommand.args, max_length: 1500 }
    ]
  }),
  suggest: suggestFrom(({ commands }) =>
    commands.map(({ description, hint, name }) => ({
      name: `${commandText(name)}${hint === undefined ? "" : ` <${hint}>`} · ${description}`,
      value: commandText(name).length <= 100 ? commandText(name) : name
    }))
  ),
  answers: "onceStored",
  action: (event) =>
    Effect.map(offersHere(event), (here): Action =>
      here === undefined || here.thread.closed ? { _tag: "NothingHere" } : { _tag: "Reply", task: here.thread }
    ),
  handle: Effect.fn("TaskCommand.handle")(function* (event, messages) {
    const { options, reply } = event
    const here = yield* offersHere(event)
    if (here === undefined) return Option.some(say(messages.noTaskHere))
    if (here.thread.closed) return Option.some(say(messages.agent.threadLocked))
    const commands = here.offers?.commands ?? []
    if (commands.length === 0) return Option.some(say(messages.agent.noCommands))
    // A Chinese keyboard writes a wide slash.
    const typed = commandText(
      String(options["name"] ?? "")
        .normalize("NFKC")
        .trim()
    )
    const command = findNamed(commands, typed, ({ name }) => commandText(name))
    if (command === undefined) return Option.some(say(messages.agent.unknownCommand(typed)))
    const content = `${commandText(command.name)} ${String(options["args"] ?? "").trim()}`.trim()
    const { guildId, threadId } = here.thread
    yield* (yield* Inbox).add({
      eventId: reply.id,
      threadId,
      kind: "command",
      authorId: reply.userId,
      authorName: reply.displayName,
      content,
      attachments: [],
      first: false,
      late: false,
      receivedAt: yield* Clock.currentTimeMillis
    })
    const { agent } = yield* messagesFor(guildId)
    // Others in the thread see what the agent is asked.
    const post = { content: agent.commandSent(reply.userId, oneLine(content, 2000)) }
    yield* retryWhileUnavailable(
      (yield* DiscordApi).create(threadId, post, { nonce: `k${reply.id}`.slice(0, 25) })
    ).pipe(
      Effect.catchAll((error) => Effect.logInfo("A command could not be shown in its thread", error.message)),
      Effect.timeoutOption("5 seconds")
    )
    yield* ThreadOwner.deliver(threadId, reply.id)
    return Option.some(say(messages.agent.commandTaken))
  })
}
