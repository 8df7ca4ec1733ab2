import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import { colors } from "./Colors.ts"
import { type AgentCommand, commandText } from "../model/AgentOffers.ts"
import { oneLine, truncateLines } from "../text/Truncate.ts"

/** The topics of `/help`. */
export type Topic = keyof Messages["help"]["topics"]

/** The topics in order; the first is the default. */
export const topics: ReadonlyArray<Topic> = ["start", "thread", "questions", "account", "files", "access", "commands"]

/** The id of the topic select. */
export const topicSelectId = "h1:topic"

/** The facts about the bot in the help. */
export interface BotFacts {
  /** Every slash command with its description. */
  readonly commands: ReadonlyArray<{ readonly path: string; readonly description: string }>
  /** The own commands of the agent of this thread. */
  readonly agentCommands: ReadonlyArray<AgentCommand>
  /** Whether the bot sees messages that do not mention it. */
  readonly readsMessages: boolean
}

/** One topic, and a select of all. */
export const page = (
  topic: Topic,
  { agent, help, turnPosts }: Messages,
  { agentCommands, commands, readsMessages }: BotFacts
): MessageBody => {
  const { text, title } = help.topics[topic]
  const lines = [
    ...(text === "" ? [] : [text]),
    ...(topic === "commands"
      ? [commands.map((each) => `- ${help.command(each.path, each.description)}`).join("\n")]
      : []),
    ...(topic === "thread" && !readsMessages ? ["", help.mentionsOnly] : []),
    ...((topic === "thread" || topic === "commands") && agentCommands.length > 0
      ? [
          "",
          `**${agent.helpTitle}**`,
          agent.helpIntro,
          ...agentCommands.map(({ description, hint = "", name }) =>
            agent.commandLine(commandText(name), hint, oneLine(description, 150))
          )
        ]
      : [])
  ]
  return {
    content: "",
    embeds: [
      { title, description: truncateLines(lines.join("\n"), 4000, turnPosts.moreCharacters), color: colors.plan }
    ],
    rows: [
      [
        {
          customId: topicSelectId,
          placeholder: help.choose,
          minValues: 1,
          maxValues: 1,
          options: topics.map((each) => ({
            value: each,
            label: help.topics[each].title,
            isDefault: each === topic
          }))
        }
      ]
    ]
  }
}
