import { plain } from "../../text/Escape.ts"
import { truncate } from "../../text/Truncate.ts"
import type {
  agent as english,
  DefaultsScope,
  NamedChange,
  NamedDefaults,
  NamedRefusal,
  UnknownDefault
} from "../english/Agent.ts"

/** Modes, models, options and commands of agents. */
export const agent: typeof english = {
  kinds: { mode: "模式", model: "模型" },
  notOffered: (wanted, offered) =>
    offered.length === 0
      ? `此服务不提供智能体的选择，因此不能选择 **${plain(wanted)}**。没有产生费用。请重新使用 \`/task new\`，不填 \`agent\`。`
      : `此服务不提供智能体 **${plain(wanted)}**；可选：${names(offered)}。没有产生费用。请重新使用 \`/task new\` 并选择其中之一，或不填 \`agent\`。`,
  headerAgent: (name) => `-# 智能体是 **${plain(name)}**。`,
  headerLine: (mode: string, allowsMore: boolean) =>
    `-# 智能体的模式是 **${plain(mode)}**。${allowsMore ? "在此模式下，它可能不经询问就进行更改。" : "在此模式下，它会先询问，或只读取。"}用 \`/task mode\` 更改。`,
  changed: ({ after, before, name }: NamedChange) =>
    `-# 智能体的${apart(name)}现在是 **${plain(after)}**${was(before)}。这是由智能体自己或其他应用更改的。`,
  changedBy: (userId: string, { after, before, name }: NamedChange) =>
    `-# <@${userId}> 将智能体的${apart(name)}设为 **${plain(after)}**${was(before)}。`,
  moreChanged: (options: number) => `-# …… 智能体还有 ${options} 个选项也已更改。\`/task options\` 会显示它们。`,
  done: (name: string, value: string) =>
    `智能体的${apart(name)}现在是 **${plain(value)}**。子区中会说明，并会保持到下次更改。`,
  same: (name: string, value: string) => `智能体的${apart(name)}已经是 **${plain(value)}**。未作任何更改。`,
  noneOffered: {
    mode: "此任务的智能体没有可选的模式，或其服务未提供。未作任何更改。",
    model: "此任务的智能体没有可选的模型，或其服务未提供。未作任何更改。",
    option: "此任务的智能体没有可选的选项，或其服务未提供。未作任何更改。"
  },
  unknownOption: (options) => `此任务的智能体没有这个选项。未作任何更改。可选：${names(options)}。`,
  unknownValue: (values: ReadonlyArray<string>) => `智能体不提供这个值。未作任何更改。可选：${names(values)}。`,
  needsApproval: (ownerId: string) =>
    `这样智能体就可能不经询问而工作，所以只有可以回答其询问的人才能选择。此任务使用 <@${ownerId}> 的账号。未作任何更改。`,
  refused: ({ after, before, name, reason }: NamedRefusal) =>
    `智能体拒绝了${apart(name, "")} **${plain(after)}**${reason === undefined ? "，没有说明原因" : `：${plain(reason)}`}。未作任何更改${before === undefined ? "" : `，仍为 **${plain(before)}**`}。请选择其他值，或向服务的运营者询问智能体需要什么才能使用它。`,
  notReached: "目前无法联系到智能体或其服务。未作任何更改。请稍后重试。",
  notAnswered: "智能体没有及时回答。无法确定是否已更改；如果已更改，子区稍后会说明。请重试。",
  threadLocked: "此任务的子区已锁定，因此未作任何更改。解锁之后可以在这里继续。",
  current: (value: string) => `${value} · 当前`,
  on: "开",
  off: "关",
  noDefault: "无默认值",
  defaultNeeded: "请选择智能体、模式、模型，或一个选项及其值。未作任何更改。`/settings show` 显示当前选择。",
  noSuchDefault: (scope) =>
    `${whereWords(scope)}，${whoWords(scope)}没有这样的默认值。未作任何更改。\`/settings show\` 会列出所有默认值。`,
  defaultAgentForAll:
    "`agent` 为所有新任务选择智能体，因此不能与 `for` 一起使用。未作任何更改。请分两次使用 `/settings agent`：一次用 `agent`，一次用 `for`。",
  defaultNotOffered: (wanted, offered) =>
    `此服务不提供智能体 **${plain(wanted)}**；可选：${names(offered)}。未作任何更改。请重新使用 \`/settings agent\` 并选择其中之一。`,
  defaultsSet: (defaults: NamedDefaults, unknown: ReadonlyArray<UnknownDefault> = [], isSeen = true) =>
    `${defaultWords(defaults, 5)}${unknown.length === 0 ? "" : unknownWords(unknown, isSeen)}从现在起对新任务生效${
      hasChoices(defaults)
        ? "；如果服务可以保留第一条消息，则在消息到达智能体之前生效。如果任务的主人不可以回答智能体的询问，则不会使用让智能体不经询问就工作的模式或选项。"
        : "。"
    }`,
  defaults: (defaults: NamedDefaults) => `**新任务的智能体** · ${defaultWords(defaults, Infinity)}`,
  howToSetDefaults: "用 `/settings agent` 选择新任务的智能体，以及它以什么开始。",
  defaultSet: (name: string, value: string, inTime: boolean) =>
    `-# 根据本服务器的设置，智能体的${apart(name)}是 **${plain(value)}**。${inTime ? "" : "未能在第一条消息之前设置：智能体已经在处理它。"}`,
  defaultNotSet: (name: string, value: string, problem: string) =>
    `-# 根据本服务器的设置，智能体的${apart(name)}应为 **${plain(value)}**，但没有设置成功。${problem}`,
  defaultAgentMissing: (name) =>
    `-# 根据本服务器的设置，智能体应为 **${plain(name)}**。此服务没有提供它，因此由服务自己的默认智能体处理这个任务。`,
  defaultProblems: {
    notOffered: "此任务的智能体或其服务没有提供它。",
    needsApproval: "这样智能体可能不经询问就工作，而此任务的主人不可以回答它的询问。"
  },
  noCommands: "此任务的智能体没有提供命令。未发送任何内容。",
  unknownCommand: (name: string) => `智能体没有提供命令 \`${plain(name)}\`。未发送任何内容。请选择输入时出现的命令。`,
  commandSent: (userId: string, text: string) => `<@${userId}> 发给智能体：**${truncate(plain(text), 1900)}**`,
  commandTaken: "智能体会把它作为你的下一条消息收到，并在子区中回答。",
  helpTitle: "此智能体的命令",
  helpIntro: "`/task command` 会把其中一个发给此子区的智能体。",
  commandLine: (name, hint, description) =>
    `- **${plain(name)}**${hint === "" ? "" : ` ${plain(`<${hint}>`)}`}${description === "" ? "" : ` · ${plain(description)}`}`
}

/** A name between Chinese words: one in other letters stands apart. */
const apart = (name: string, after = " "): string =>
  /^\p{Script=Han}/u.test(name) ? plain(name) : ` ${plain(name)}${after}`

const was = (before: string | undefined): string => (before === undefined ? "" : `（之前：**${plain(before)}**）`)

const names = (all: ReadonlyArray<string>, most = 15): string =>
  `${all
    .slice(0, most)
    .map((name) => `**${plain(name)}**`)
    .join("、")}${all.length > most ? " 等" : ""}`

const unknownWords = (unknown: ReadonlyArray<UnknownDefault>, isSeen: boolean): string => {
  const list = unknown
    .map(({ name, offered, value }) => {
      const instead = offered.length === 0 ? "" : `（可选：${names(offered, 5)}）`
      return `${plain(name)} **${plain(value)}**${instead}`
    })
    .join("、")
  return isSeen
    ? `⚠️ 未知：${list}。请检查写法。没有得到它的新任务会说明。`
    : `尚不知道是否提供：${list}。本服务器还没有任务显示智能体提供什么。没有得到它的新任务会说明。`
}

/** Whether new tasks begin with anything but an agent. */
const hasChoices = ({ mode, model, options }: NamedDefaults): boolean =>
  mode !== undefined || model !== undefined || Object.keys(options).length > 0

const whereWords = ({ channelId }: DefaultsScope): string =>
  channelId === undefined ? "在本服务器中" : `在 <#${channelId}> 中`

const whoWords = ({ forAgent }: DefaultsScope): string =>
  forAgent === undefined ? "新任务的智能体" : `新任务的智能体 **${plain(forAgent)}** `

const defaultWords = (defaults: NamedDefaults, maxOptions: number): string => {
  const { agent, mode, model, options } = defaults
  const [where, who] = [whereWords(defaults), whoWords(defaults)]
  const chosen = Object.entries(options)
  const what = [
    ...(mode === undefined ? [] : [`模式 **${plain(mode)}**`]),
    ...(model === undefined ? [] : [`模型 **${plain(model)}**`]),
    ...chosen.slice(0, maxOptions).map(([id, value]) => `选项 **${plain(id)}** = **${plain(value)}**`),
    ...(chosen.length <= maxOptions ? [] : [`另外 ${chosen.length - maxOptions} 个选项`])
  ]
  const sentences = [
    ...(agent === undefined ? [] : [`${where}，新任务使用智能体 **${plain(agent)}**。`]),
    ...(what.length === 0 ? [] : [`${where}，${who}以${what.join("、")} 开始。`])
  ]
  return sentences.length === 0 ? `${where}，${who}以自己的默认值开始。` : sentences.join("")
}
