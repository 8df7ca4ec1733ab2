import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import { colors } from "./Cards.ts"
import { truncateLines } from "../text/Truncate.ts"

/** What `/help` tells of. */
export type Topic = keyof Messages["help"]["topics"]

/** The topics in their order; the first is shown without being asked for. */
export const topics: ReadonlyArray<Topic> = ["start", "thread", "questions", "account", "files", "access", "commands"]

/** The id of the list in which another topic is chosen. */
export const chooser = "h1:topic"

/** What the help has to know of the bot. */
export interface About {
  /** Every slash command with its description. */
  readonly commands: ReadonlyArray<{ readonly path: string; readonly description: string }>
  /** Whether the bot sees what people write without mentioning it. */
  readonly readsMessages: boolean
}

/** One topic, and a list of all. */
export const page = (topic: Topic, { help, shown }: Messages, { commands, readsMessages }: About): MessageBody => {
  const { text, title } = help.topics[topic]
  const lines = [
    ...(text === "" ? [] : [text]),
    ...(topic === "commands"
      ? [commands.map((each) => `- ${help.command(each.path, each.description)}`).join("\n")]
      : []),
    ...(topic === "thread" && !readsMessages ? ["", help.mentionsOnly] : [])
  ]
  return {
    content: "",
    embeds: [{ title, description: truncateLines(lines.join("\n"), 4000, shown.moreCharacters), color: colors.plan }],
    buttons: [
      [
        {
          customId: chooser,
          placeholder: help.choose,
          atLeast: 1,
          atMost: 1,
          options: topics.map((each) => ({
            value: each,
            label: help.topics[each].title,
            chosen: each === topic
          }))
        }
      ]
    ]
  }
}
