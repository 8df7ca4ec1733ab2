import type { Rule, Share } from "../../model/Access.ts"
import type { ChangedDefaults } from "./Agent.ts"
import { plain } from "../../text/Escape.ts"
import { ruleText } from "../RuleText.ts"

const ruleWords = ruleText({
  capabilities: {
    start: "start tasks",
    reply: "write to tasks",
    approve: "answer what agents ask",
    stop: "stop tasks",
    spend: "spend credits"
  },
  everyone: "everyone",
  wholeServer: "whole server"
})

/** A task's access, on its card and in replies to changes. */
export const access = {
  /** The last line of a task's card; `who` are mentions. */
  // Discord sends no event when a person leaves, so the text covers that case, too.
  headerLine: (ownerId: string, who: "everyone" | ReadonlyArray<string>) => {
    const charged = `-# Runs on the account of <@${ownerId}>, which is charged. It works only while <@${ownerId}> is in this server.`
    if (who === "everyone") return `${charged} By the settings of this server, everyone here may write to it.`
    if (who.length === 0) return `${charged} The settings of this server let no one write to it here.`
    if (who.length === 1) return `${charged} Only ${who[0]} may write to it; \`/task share\` lets others in.`
    return `${charged} ${who.slice(0, 20).join(", ")}${who.length > 20 ? " and others" : ""} may write to it while they are in this server.`
  },
  shared: ({ approve, reply, userId }: Share) =>
    `<@${userId}> may now ${mayWords(reply, approve)}. Your account is charged for it. \`/task unshare\` ends that.`,
  sharedHere: (ownerId: string, { approve, reply, userId }: Share) =>
    `-# <@${userId}> may now ${mayWords(reply, approve)}. It runs on the account of <@${ownerId}>.`,
  shareSelf: "It is your own task: you may do everything with it already. Nothing was changed.",
  shareBot: (userId: string) => `<@${userId}> is a bot, and bots cannot use tasks. Nothing was changed.`,
  shareNotMember: (userId: string) =>
    `<@${userId}> is not in this server, so they cannot use the task. Nothing was changed. When they have joined, use \`/task share\` again.`,
  unshared: (userId: string) => `<@${userId}> may no longer use this task.`,
  unsharedHere: (userId: string) => `-# <@${userId}> may no longer use this task.`,
  wasNotShared: (userId: string) => `You had not let <@${userId}> use this task. Nothing was changed.`
}

/** The settings of a server's admins. */
export const settings = {
  title: "Settings of this server",
  language: (locale: string | null) => `**Language** · ${languageWords(locale)}. \`/settings language\` changes it.`,
  languageSet: (locale: string | null) =>
    `From now on I speak ${languageWords(locale)} to everybody here. What I say to one person alone is in their own language.`,
  rulesTitle: "Rules",
  noRules: "There are no rules: the defaults below apply to everyone.",
  withoutRule: [
    "**Without a rule**",
    "- Everyone may start tasks, on their own account.",
    "- Only the person who started a task may write to it, answer what its agent asks, and stop it; they let others in with `/task share`."
  ].join("\n"),
  whereToChange: "`/settings access` changes that; `/settings audit` shows who did what.",
  accessTitle: "Who may do what",
  accessHelp:
    "Choose what, who and where; then allow or deny it. A rule for a person overrides one for a role, which overrides one for everyone. Among these, a rule for the channel overrides one for the whole server. If two rules still conflict, the one that denies applies. The person who started a task may always read and stop it.",
  capabilityHint: "What?",
  subjectHint: "Who? If you choose no one: everyone",
  channelHint: "Where? If you choose nothing: the whole server",
  allow: "Allow",
  deny: "Deny",
  remove: "Remove this rule",
  capabilities: {
    start: { label: "Start tasks", description: "On their own account" },
    reply: {
      label: "Write to tasks",
      description: "Allowed: also to other people's tasks, whose owners pay. Denied: to none, not even their own"
    },
    approve: {
      label: "Answer what agents ask",
      description: "Allowed: also in other people's tasks. Denied: in none, not even their own"
    },
    stop: { label: "Stop tasks", description: "Allowed: also other people's tasks. Owners may always stop their own" },
    spend: { label: "Spend credits", description: "Denied: neither start tasks nor write to any" }
  },
  /** The panel's current choice; `allow` is the value of exactly this rule. */
  chosen: (chosen: Omit<Rule, "allow">, allow: boolean | undefined) =>
    `**${ruleWords(chosen)}** · ${allow === undefined ? "no rule" : allow ? "✅ allowed" : "⛔ denied"}`,
  byDefault: {
    start: "No rule covers this. Everyone may do it on their own account.",
    reply: "No rule covers this. Only a task's owner and the people they share it with may do it.",
    approve: "No rule covers this. Only a task's owner and the people they share it with may do it.",
    stop: "No rule covers this. Only a task's owner and the people they share it with may do it.",
    spend: "No rule covers this. Everyone may do it."
  },
  effect: { allow: "All rules together: allowed.", deny: "All rules together: denied." },
  rule: (rule: Rule) => `${rule.allow ? "✅ allow" : "⛔ deny"}: ${ruleWords(rule)}`
}

/** The entries of the audit log; each begins after the person's name. */
export const audit = {
  title: "Who did what",
  empty: "Nothing has happened here yet.",
  started: (task: string) => `started **${plain(task)}**`,
  opened: (task: string) => `opened **${plain(task)}**`,
  stopped: (task: string) => `stopped **${plain(task)}**`,
  answered: (title: string, allowed: boolean | undefined, others: ReadonlyArray<string>) =>
    `${allowed === undefined ? "answered" : allowed ? "allowed" : "refused"} **${plain(title)}**${others.length === 0 ? "" : `, with answers of ${others.map((id) => `<@${id}>`).join(", ")}`}`,
  shared: ({ approve, reply, userId }: Share) => `let <@${userId}> ${mayWords(reply, approve)}`,
  unshared: (userId: string) => `no longer lets <@${userId}> use the task`,
  ruleSet: (rule: Omit<Rule, "allow"> & { readonly allow: boolean | undefined }) =>
    `${rule.allow === undefined ? "removed the rule" : rule.allow ? "allowed" : "denied"}: ${ruleWords(rule)}`,
  agentDefaultsSet: ({ agent, channelId, forAgent, mode, model, options }: ChangedDefaults) =>
    `chose with what ${forAgent === undefined ? "agents of new tasks" : `new tasks of the agent **${plain(forAgent)}**`} begin${channelId === undefined ? "" : ` in <#${channelId}>`}: ${[
      ...(forAgent === undefined ? [`agent **${plain(agent ?? "-")}**`] : []),
      `mode **${plain(mode ?? "-")}**`,
      `model **${plain(model ?? "-")}**`,
      ...Object.entries(options).map(([id, value]) => `option **${plain(id)}** **${plain(value ?? "-")}**`)
    ].join(", ")}`,
  agentSet: (name: string, value: string) => `set the agent's ${plain(name)} to **${plain(value)}**`,
  filesSet: (always: boolean): string =>
    always ? "had the files of every answer posted" : "stopped posting the files of every answer",
  languageSet: (locale: string | null) => `chose the language: ${languageWords(locale)}`,
  welcomed: (channelId: string) => `had me introduce myself in <#${channelId}>`
}

const mayWords = (reply: boolean, approve: boolean): string =>
  [
    ...(reply ? ["write to this task and stop its answers"] : []),
    ...(approve ? ["answer what its agent asks"] : [])
  ].join(" and ")

const languageWords = (locale: string | null): string =>
  locale === null
    ? "the language that this server has at Discord"
    : locale === "zh-CN"
      ? "Simplified Chinese"
      : "English"
