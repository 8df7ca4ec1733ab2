import { plain } from "../../text/Escape.ts"

/** A change of what is chosen for an agent, by the names that people read. */
export interface NamedChange {
  readonly name: string
  readonly before: string | undefined
  readonly after: string
}

/** Modes, models, options and commands of agents. */
export const agent = {
  kinds: { mode: "mode", model: "model" },
  /** On the card of a task. */
  headerLine: (mode: string, allowsMore: boolean) =>
    `-# The agent's mode is **${plain(mode)}**. ${allowsMore ? "In it the agent may change things without asking." : "In it the agent asks first, or only reads."} \`/task mode\` changes it.`,
  /** Made by the agent or in another application. */
  changed: ({ after, before, name }: NamedChange) =>
    `-# The agent's ${plain(name)} is now **${plain(after)}**${was(before)}. The agent or another application changed it.`,
  changedBy: (userId: string, { after, before, name }: NamedChange) =>
    `-# <@${userId}> set the agent's ${plain(name)} to **${plain(after)}**${was(before)}.`,
  done: (name: string, value: string) =>
    `The agent's ${plain(name)} is now **${plain(value)}**. The thread says it, and it stays so until it is changed.`,
  same: (name: string, value: string) =>
    `The agent's ${plain(name)} is **${plain(value)}** already. Nothing was changed.`,
  /** The agent, or its service, offers nothing of that kind. */
  noneOffered: {
    mode: "The agent of this task has no modes to choose from, or its service does not offer them. Nothing was changed.",
    model:
      "The agent of this task has no models to choose from, or its service does not offer them. Nothing was changed.",
    option:
      "The agent of this task has no such option, or its service does not offer it. Nothing was changed. Choose one of the options that appear while you type."
  },
  unknownValue: (values: ReadonlyArray<string>) =>
    `The agent does not offer that. Nothing was changed. ${
      values.length === 0
        ? "The option is `on` or `off`."
        : `It offers ${values
            .slice(0, 15)
            .map((value) => `**${plain(value)}**`)
            .join(", ")}${values.length > 15 ? " and more" : ""}.`
    }`,
  needsApproval: (ownerId: string) =>
    `With that the agent may work without asking, so only people who may answer what it asks can choose it. The task runs on the account of <@${ownerId}>. Nothing was changed.`,
  refused: (reason: string) => `The agent did not take it: ${plain(reason)}. Nothing was changed.`,
  unreachable:
    "The agent could not be reached in time. It is not known whether this was changed; if it was, the thread says so later. Please try again.",
  threadClosed: "The thread of this task is closed, so nothing was changed.",
  current: (value: string) => `${value} · current`,
  on: "On",
  off: "Off",
  noCommands: "The agent of this task has told of no commands. Nothing was sent.",
  unknownCommand: (name: string) =>
    `The agent has told of no command \`/${plain(name)}\`. Nothing was sent. Choose one of those that appear while you type.`,
  commandSent: (userId: string, text: string) => `<@${userId}> to the agent: **${plain(text)}**`,
  commandTaken: "Sent to the agent; it answers in the thread.",
  helpTitle: "Commands of this agent",
  helpIntro: "`/task command` sends one of them to the agent of this thread.",
  commandLine: (name: string, description: string) => `- **/${plain(name)}** · ${plain(description)}`
}

const was = (before: string | undefined): string => (before === undefined ? "" : ` (before: **${plain(before)}**)`)
