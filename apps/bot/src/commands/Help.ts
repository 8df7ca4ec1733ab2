import { ApplicationCommandOptionType } from "../discord/ApplicationCommands.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { decideFor, type Requirements as PolicyRequirements } from "../access/Guard.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import type { Messages } from "../messages/Messages.ts"
import type { ReplyTo } from "../discord/DiscordEvent.ts"
import type { AgentOfferRows } from "../store/AgentOffers.ts"
import type { Threads } from "../store/Threads.ts"
import { offersHere } from "./task/AgentChoice.ts"
import * as View from "../view/Help.ts"
import { type CommandHandler, type Component, ownAccount } from "./Command.ts"

type Requirements = AgentOfferRows | DiscordClient | PolicyRequirements | Threads

/** Every slash command as the help lists it. */
export type Listed = () => ReadonlyArray<Pick<CommandHandler<never>, "path" | "describe">>

/** `/help`: what the bot does, by topic. */
export const help = (commands: Listed): CommandHandler<Requirements> => ({
  path: "help",
  describe: (messages) => ({
    description: messages.commands.help.description,
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: "topic",
        description: messages.commands.help.topic,
        choices: View.topics.map((value) => ({ name: messages.help.topics[value].title, value }))
      }
    ]
  }),
  answers: "privately",
  action: ownAccount,
  handle: ({ options, reply }, messages) => page(options["topic"], messages, commands, reply)
})

/** The select below the help, which replaces the shown topic. */
export const helpTopic = (commands: Listed): Component<Requirements> => ({
  id: /^h1:/,
  answers: "inPlace",
  action: ownAccount,
  handle: ({ reply, values }, messages) => page(values[0], messages, commands, reply)
})

const page = Effect.fnUntraced(function* (topic: unknown, messages: Messages, commands: Listed, reply: ReplyTo) {
  const { readsMessages } = yield* DiscordClient
  const agentCommands = yield* commandsHere(reply)
  // In the thread of a task, its agent's commands are what people look for.
  const first = agentCommands.length > 0 ? "thread" : "start"
  return Option.some(
    View.page(View.topics.find((candidate) => candidate === topic) ?? first, messages, {
      readsMessages,
      commands: commands().map(({ describe, path }) => ({ path, description: describe(messages).description })),
      agentCommands
    })
  )
})

/** The commands of this thread's agent, for people who may read the task. */
const commandsHere = Effect.fnUntraced(function* (reply: ReplyTo) {
  const here = yield* offersHere({ reply })
  if (here?.offers === undefined) return []
  const decision = yield* decideFor(reply, { _tag: "Read", task: here.thread })
  return decision === "allowed" ? here.offers.commands : []
})
