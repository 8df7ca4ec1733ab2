import { plain } from "../../text/Escape.ts"
import { ruleText } from "../RuleText.ts"
import type { Messages } from "../Messages.ts"

const ruleWords = ruleText({
  capabilities: {
    start: "新建任务",
    reply: "回复任务",
    approve: "回答智能体的提问",
    stop: "停止任务",
    spend: "消费积分"
  },
  everyone: "所有人",
  wholeServer: "整个服务器"
})

/** A task's access, on its card and in replies to changes. */
export const access: Messages["access"] = {
  headerLine: (ownerId, who) => {
    const charged = `-# 在 <@${ownerId}> 的账号上运行（仅当其在本服务器中时），费用由该账号承担。`
    if (who === "everyone") return `${charged}根据本服务器的设置，这里的所有人都可以回复它。`
    if (who.length === 0) return `${charged}根据本服务器的设置，这里没有人可以回复它。`
    if (who.length === 1) return `${charged}只有 ${who[0]} 可以回复它；用 \`/task share\` 可以让别人加入。`
    return `${charged}${who.slice(0, 20).join("、")}${who.length > 20 ? " 等" : " "}可以回复它（仅当各自在本服务器中时）。`
  },
  shared: ({ approve, reply, userId }) =>
    `<@${userId}> 现在可以${mayWords(reply, approve)}。费用由你的账号承担。用 \`/task unshare\` 可以收回。`,
  sharedHere: (ownerId, { approve, reply, userId }) =>
    `-# <@${userId}> 现在可以${mayWords(reply, approve)}。任务在 <@${ownerId}> 的账号上运行。`,
  shareSelf: "这是你自己的任务，你本来就可以使用它。没有任何改动。",
  shareBot: (userId) => `<@${userId}> 是机器人，不能使用任务。没有任何改动。`,
  shareNotMember: (userId) =>
    `<@${userId}> 不在本服务器中，无法使用这个任务。没有任何改动。对方加入后，请重新使用 \`/task share\`。`,
  unshared: (userId) => `<@${userId}> 不能再使用这个任务。`,
  unsharedHere: (userId) => `-# <@${userId}> 不能再使用这个任务。`,
  wasNotShared: (userId) => `你没有让 <@${userId}> 使用过这个任务。没有任何改动。`
}

/** The settings of a server's admins. */
export const settings: Messages["settings"] = {
  title: "本服务器的设置",
  language: (locale) => `**语言** · ${languageWords(locale)}。用 \`/settings language\` 修改。`,
  languageSet: (locale) => `从现在起，我在这里对大家使用${languageWords(locale)}。只给某个人看的内容仍用其本人的语言。`,
  rulesTitle: "规则",
  noRules: "还没有规则：下面的默认规定对所有人有效。",
  withoutRule: [
    "**没有规则时**",
    "- 所有人都可以在自己的账号上新建任务。",
    "- 只有发起任务的人可以回复它、回答智能体的提问、停止它；发起人可以用 `/task share` 让别人加入。"
  ].join("\n"),
  whereToChange: "用 `/settings access` 修改；用 `/settings audit` 查看谁做了什么。",
  accessTitle: "谁可以做什么",
  accessHelp:
    "先选择做什么、谁、在哪里，再选择允许或禁止。针对成员的规则优先于针对身份组的，后者优先于针对所有人的；对象相同时，针对频道的优先；仍然相同时，禁止优先。发起人始终可以查看和停止自己的任务。",
  capabilityHint: "做什么？",
  subjectHint: "谁？不选则为所有人",
  channelHint: "在哪里？不选则为整个服务器",
  allow: "允许",
  deny: "禁止",
  remove: "删除这条规则",
  capabilities: {
    start: { label: "新建任务", description: "在自己的账号上" },
    reply: {
      label: "回复任务",
      description: "允许时，也可以回复别人的任务，费用由其账号承担；禁止时，自己的任务也不能回复"
    },
    approve: { label: "回答智能体的提问", description: "允许时，也可以在别人的任务里回答；禁止时，自己的任务里也不行" },
    stop: { label: "停止任务", description: "允许时，也可以停止别人的任务；发起人始终可以停止自己的" },
    spend: { label: "消费积分", description: "禁止时，既不能新建任务，也不能回复任何任务" }
  },
  chosen: (chosen, allow) =>
    `**${ruleWords(chosen)}** · ${allow === undefined ? "没有规则" : allow ? "✅ 已允许" : "⛔ 已禁止"}`,
  byDefault: {
    start: "没有相关规则：所有人都可以在自己的账号上进行。",
    reply: "没有相关规则：只有发起人和发起人允许的人可以。",
    approve: "没有相关规则：只有发起人和发起人允许的人可以。",
    stop: "没有相关规则：只有发起人和发起人允许的人可以。",
    spend: "没有相关规则：所有人都可以。"
  },
  effect: { allow: "综合所有规则：允许。", deny: "综合所有规则：禁止。" },
  rule: (rule) => `${rule.allow ? "✅ 允许" : "⛔ 禁止"}：${ruleWords(rule)}`
}

/** The entries of the audit log; each begins after the person's name. */
export const audit: Messages["audit"] = {
  title: "谁做了什么",
  empty: "这里还没有发生过什么。",
  started: (task) => `新建了 **${plain(task)}**`,
  opened: (task) => `打开了 **${plain(task)}**`,
  stopped: (task) => `停止了 **${plain(task)}**`,
  answered: (title, allowed, others) =>
    `${allowed === undefined ? "回答了" : allowed ? "允许了" : "拒绝了"} **${plain(title)}**${others.length === 0 ? "" : `，其中包含 ${others.map((id) => `<@${id}>`).join("、")} 的回答`}`,
  shared: ({ approve, reply, userId }) => `让 <@${userId}> ${mayWords(reply, approve)}`,
  unshared: (userId) => `不再让 <@${userId}> 使用任务`,
  ruleSet: (rule) =>
    `${rule.allow === undefined ? "删除了规则" : rule.allow ? "允许了" : "禁止了"}：${ruleWords(rule)}`,
  agentDefaultsSet: ({ agent, channelId, forAgent, mode, model, options }) =>
    `选择了新任务的智能体${forAgent === undefined ? "" : ` **${plain(forAgent)}** `}以什么开始${channelId === undefined ? "" : `（<#${channelId}>）`}：${[
      ...(forAgent === undefined ? [`智能体 **${plain(agent ?? "-")}**`] : []),
      `模式 **${plain(mode ?? "-")}**`,
      `模型 **${plain(model ?? "-")}**`,
      ...Object.entries(options).map(([id, value]) => `选项 **${plain(id)}** = **${plain(value ?? "-")}**`)
    ].join("，")}`,
  agentSet: (name, value) => `将智能体的${plain(name)}设为 **${plain(value)}**`,
  filesSet: (always: boolean): string => (always ? "让每次回答的文件都发出来" : "不再发出每次回答的文件"),
  languageSet: (locale) => `选择了语言：${languageWords(locale)}`,
  welcomed: (channelId) => `让我在 <#${channelId}> 做了自我介绍`
}

const mayWords = (reply: boolean, approve: boolean): string =>
  [...(reply ? ["回复这个任务、停止它的回答"] : []), ...(approve ? ["回答智能体的提问"] : [])].join("，并可以")

const languageWords = (locale: string | null): string =>
  locale === null ? "服务器在 Discord 中的语言" : locale === "zh-CN" ? "简体中文" : "英语"
