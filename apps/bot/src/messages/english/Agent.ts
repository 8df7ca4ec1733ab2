import { plain } from "../../text/Escape.ts"
import { truncate } from "../../text/Truncate.ts"

/** A change of what is chosen for an agent, by the names that people read. */
export interface NamedChange {
  readonly name: string
  readonly before: string | undefined
  readonly after: string
}

/** A change that the agent refused; not every agent gives a reason. */
export interface NamedRefusal extends NamedChange {
  readonly reason?: string | undefined
}

/** Where defaults hold: in a channel or in the server, with one agent or with all. */
export interface DefaultsScope {
  readonly channelId: string | undefined
  readonly forAgent: string | undefined
}

/** With what new tasks begin there. */
export interface NamedDefaults extends DefaultsScope {
  readonly agent: string | undefined
  readonly mode: string | undefined
  readonly model: string | undefined
  readonly options: Readonly<Record<string, string>>
}

/** The same after a change, with the options that it changed; null for one without a default. */
export interface ChangedDefaults extends Omit<NamedDefaults, "options"> {
  readonly options: Readonly<Record<string, string | null>>
}

/** A default that no known agent offers, by the name of what it chooses. */
export interface UnknownDefault {
  readonly name: string
  readonly value: string
  /** The names of what is offered instead. */
  readonly offered: ReadonlyArray<string>
}

/** Modes, models, options and commands of agents. */
export const agent = {
  kinds: { mode: "mode", model: "model" },
  /** A person's choice for a new task, after the words that it was not started. */
  notOffered: (wanted: string, offered: ReadonlyArray<string>) =>
    offered.length === 0
      ? `The service offers no choice of agents, so **${plain(wanted)}** cannot be chosen. Nothing was charged. Use \`/task new\` again without \`agent\`.`
      : `The service does not offer the agent **${plain(wanted)}**; it offers ${names(offered)}. Nothing was charged. Use \`/task new\` again with one of them, or without \`agent\`.`,
  /** On the card of a task, where the service offers several agents. */
  headerAgent: (name: string) => `-# The agent is **${plain(name)}**.`,
  /** On the card of a task. */
  headerLine: (mode: string, allowsMore: boolean) =>
    `-# The agent's mode is **${plain(mode)}**. ${allowsMore ? "In it the agent may change things without asking." : "In it the agent asks first, or only reads."} \`/task mode\` changes it.`,
  /** Made by the agent or in another application. */
  changed: ({ after, before, name }: NamedChange) =>
    `-# The agent's ${plain(name)} is now **${plain(after)}**${was(before)}. The agent or another application changed it.`,
  changedBy: (userId: string, { after, before, name }: NamedChange) =>
    `-# <@${userId}> set the agent's ${plain(name)} to **${plain(after)}**${was(before)}.`,
  moreChanged: (options: number) =>
    `-# … and ${options} more options of the agent changed. \`/task options\` shows them.`,
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
      "The agent of this task has no options to choose from, or its service does not offer them. Nothing was changed."
  },
  unknownOption: (options: ReadonlyArray<string>) =>
    `The agent of this task has no such option. Nothing was changed. It offers ${names(options)}.`,
  unknownValue: (values: ReadonlyArray<string>) =>
    `The agent does not offer that. Nothing was changed. It offers ${names(values)}.`,
  needsApproval: (ownerId: string) =>
    `With that the agent may work without asking, so only people who may answer what it asks can choose it. The task runs on the account of <@${ownerId}>. Nothing was changed.`,
  refused: ({ after, before, name, reason }: NamedRefusal) =>
    `The agent refused the ${plain(name)} **${plain(after)}**${reason === undefined ? " and gave no reason" : `: ${plain(reason)}`}. Nothing was changed${before === undefined ? "" : `: it stays **${plain(before)}**`}. Choose another one, or ask the operator of the service what the agent needs for this one.`,
  notReached:
    "The agent, or its service, cannot be reached at the moment. Nothing was changed. Please try again in a minute.",
  notAnswered:
    "The agent did not answer in time. It is not known whether this was changed; if it was, the thread says so later. Please try again.",
  threadLocked: "The thread of this task is locked, so nothing was changed. Once it is unlocked, you can go on here.",
  current: (value: string) => `${value} · current`,
  on: "On",
  off: "Off",
  /** `/settings agent`. */
  noDefault: "No default",
  defaultNeeded:
    "Choose an agent, a mode, a model, or an option with its value. Nothing was changed. `/settings show` shows what is chosen.",
  /** The default that a person wanted to end does not exist in this place. */
  noSuchDefault: (scope: DefaultsScope) =>
    `${whereWords(scope)}, there is no such default for ${whoWords(scope)}. Nothing was changed. \`/settings show\` lists all defaults.`,
  defaultAgentForAll:
    "`agent` chooses the agent of all new tasks, so it does not go with `for`. Nothing was changed. Use `/settings agent` twice: once with `agent`, once with `for`.",
  defaultNotOffered: (wanted: string, offered: ReadonlyArray<string>) =>
    `The service does not offer the agent **${plain(wanted)}**; it offers ${names(offered)}. Nothing was changed. Use \`/settings agent\` again with one of them.`,
  /** `isSeen`: a task of the server has shown what the agent offers. */
  defaultsSet: (defaults: NamedDefaults, unknown: ReadonlyArray<UnknownDefault> = [], isSeen = true) =>
    `${defaultWords(defaults, 5)}${unknown.length === 0 ? "" : ` ${unknownWords(unknown, isSeen)}`} It applies to tasks that start from now on${
      hasChoices(defaults)
        ? ", before their first message reaches the agent where the service can hold it. An owner who may not answer what agents ask gets no mode or option with which the agent works unasked."
        : "."
    }`,
  /** In `/settings show`. */
  defaults: (defaults: NamedDefaults) => `**Agents of new tasks** · ${defaultWords(defaults, Infinity)}`,
  howToSetDefaults: "`/settings agent` chooses the agent of new tasks, and with what it begins.",
  defaultSet: (name: string, value: string, inTime: boolean) =>
    `-# By the settings of this server, the agent's ${plain(name)} is **${plain(value)}**.${inTime ? "" : " It could not be set before the first message: the agent was at work on it already."}`,
  defaultNotSet: (name: string, value: string, problem: string) =>
    `-# By the settings of this server, the agent's ${plain(name)} should be **${plain(value)}**, and it is not. ${problem}`,
  defaultAgentMissing: (name: string) =>
    `-# By the settings of this server, the agent should be **${plain(name)}**. The service does not offer it, so its own default works on this task.`,
  defaultProblems: {
    notOffered: "The agent of this task, or its service, does not offer it.",
    needsApproval: "With it the agent may work without asking, and the owner of this task may not answer what it asks."
  },
  noCommands: "The agent of this task has told of no commands. Nothing was sent.",
  unknownCommand: (name: string) =>
    `The agent has told of no command \`${plain(name)}\`. Nothing was sent. Choose one of those that appear while you type.`,
  commandSent: (userId: string, text: string) => `<@${userId}> to the agent: **${truncate(plain(text), 1900)}**`,
  commandTaken: "The agent gets this as your next message, and answers in the thread.",
  helpTitle: "Commands of this agent",
  helpIntro: "`/task command` sends one of them to the agent of this thread.",
  commandLine: (name: string, hint: string, description: string) =>
    `- **${plain(name)}**${hint === "" ? "" : ` ${plain(`<${hint}>`)}`}${description === "" ? "" : ` · ${plain(description)}`}`
}

const was = (before: string | undefined): string => (before === undefined ? "" : ` (before: **${plain(before)}**)`)

const names = (all: ReadonlyArray<string>, most = 15): string =>
  `${all
    .slice(0, most)
    .map((name) => `**${plain(name)}**`)
    .join(", ")}${all.length > most ? " and more" : ""}`

const unknownWords = (unknown: ReadonlyArray<UnknownDefault>, isSeen: boolean): string => {
  const list = unknown
    .map(({ name, offered, value }) => {
      const instead = offered.length === 0 ? "" : ` (offered: ${names(offered, 5)})`
      return `${plain(name)} **${plain(value)}**${instead}`
    })
    .join(", ")
  return isSeen
    ? `⚠️ Not known: ${list}. Check how it is written. A new task that does not get it says so.`
    : `Not known yet: ${list}. No task in this server has shown what the agent offers. A new task that does not get it says so.`
}

/** Whether new tasks begin with anything but an agent. */
const hasChoices = ({ mode, model, options }: NamedDefaults): boolean =>
  mode !== undefined || model !== undefined || Object.keys(options).length > 0

const whereWords = ({ channelId }: DefaultsScope): string =>
  channelId === undefined ? "In this server" : `In <#${channelId}>`

const whoWords = ({ forAgent }: DefaultsScope): string =>
  forAgent === undefined ? "agents of new tasks" : `new tasks of the agent **${plain(forAgent)}**`

const defaultWords = (defaults: NamedDefaults, maxOptions: number): string => {
  const { agent, mode, model, options } = defaults
  const [where, who] = [whereWords(defaults), whoWords(defaults)]
  const chosen = Object.entries(options)
  const what = [
    ...(mode === undefined ? [] : [`in the mode **${plain(mode)}**`]),
    ...(model === undefined ? [] : [`with the model **${plain(model)}**`]),
    ...chosen.slice(0, maxOptions).map(([id, value]) => `with **${plain(id)}** set to **${plain(value)}**`),
    ...(chosen.length <= maxOptions ? [] : [`with ${chosen.length - maxOptions} more options`])
  ]
  const sentences = [
    ...(agent === undefined ? [] : [`${where}, new tasks get the agent **${plain(agent)}**.`]),
    ...(what.length === 0 ? [] : [`${where}, ${who} begin ${what.join(" and ")}.`])
  ]
  return sentences.length === 0 ? `${where}, ${who} begin as the agent likes.` : sentences.join(" ")
}
