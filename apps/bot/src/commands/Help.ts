import { ApplicationCommandOptionType } from "../discord/ApplicationCommands.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DiscordClient } from "../discord/DiscordClient.ts"
import type { Messages } from "../messages/Messages.ts"
import * as View from "../view/Help.ts"
import { type CommandHandler, type Component, ownAccount } from "./Command.ts"

/** Every slash command as the help lists it. */
export type Listed = () => ReadonlyArray<Pick<CommandHandler<never>, "path" | "describe">>

/** `/help`: what the bot does, by topic. */
export const help = (commands: Listed): CommandHandler<DiscordClient> => ({
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
  handle: ({ options }, messages) => page(options["topic"], messages, commands)
})

/** The select below the help, which replaces the shown topic. */
export const helpTopic = (commands: Listed): Component<DiscordClient> => ({
  id: /^h1:/,
  answers: "inPlace",
  action: ownAccount,
  handle: ({ values }, messages) => page(values[0], messages, commands)
})

const page = (topic: unknown, messages: Messages, commands: Listed) =>
  Effect.map(DiscordClient, ({ readsMessages }) =>
    Option.some(
      View.page(View.topics.find((candidate) => candidate === topic) ?? "start", messages, {
        readsMessages,
        commands: commands().map(({ describe, path }) => ({ path, description: describe(messages).description }))
      })
    )
  )
