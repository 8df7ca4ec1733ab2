import type { Rule, Share } from "../access/Policy.ts"
import { plain } from "../view/Fit.ts"

interface Hinted {
  readonly kind: string
  readonly atLeast?: number
  readonly atMost?: number
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

/** Whom a rule is about, what it is about, and where. */
const ruleWords = ({ capability, channelId, subject }: Omit<Rule, "allow">): string => {
  const what = {
    start: "start tasks",
    reply: "write to tasks of others",
    approve: "answer what agents ask",
    stop: "stop tasks of others",
    spend: "spend credits"
  }
  const who =
    subject._tag === "Everyone" ? "everyone" : subject._tag === "Role" ? `<@&${subject.id}>` : `<@${subject.id}>`
  return `${who} · ${what[capability]} · ${channelId === undefined ? "whole server" : `<#${channelId}>`}`
}

/** The English texts. */
export const english = {
  /** The slash commands and their options; at most 100 characters each. */
  commands: {
    groups: { task: "Cloud tasks", settings: "What this bot does in this server" },
    taskNew: {
      description: "Start a cloud task; it opens a thread where you talk to the agent",
      prompt: "What should be done?",
      file: "A file to work on, up to 25 MB",
      name: "A name for the task"
    },
    taskList: { description: "Show your newest tasks" },
    taskOpen: { description: "Go to the thread of one of your tasks, or open one for it here", task: "Which task?" },
    taskStatus: { description: "Show how the task of this thread is doing", task: "Another one of your tasks" },
    taskStop: { description: "Stop the current answer in this thread", task: "Another one of your tasks" },
    taskShare: {
      description: "Let somebody use your task in this thread; it stays on your account",
      member: "Whom?",
      may: "What may they do? Without this: write to it",
      reply: "Write to it and stop its answers",
      approve: "Answer what the agent asks",
      both: "Both"
    },
    taskUnshare: { description: "Let somebody no longer use your task in this thread", member: "Whom?" },
    settingsShow: { description: "Show what this server has chosen" },
    settingsAccess: {
      description: "Choose who may start, reply, approve, stop and spend, by channel, role and person"
    },
    settingsLanguage: {
      description: "Choose the language in which I speak to everybody here",
      language: "Which language?",
      asAtDiscord: "The language of this server at Discord"
    },
    settingsAudit: { description: "Show who approved, started, stopped and changed what, and when" },
    connect: { description: "Connect your account, on which your tasks run" },
    disconnect: { description: "End the bot's access to your account" },
    credit: { description: "Show your credits" },
    help: { description: "What this bot does and how" },
    /** In the menu of a message; at most 32 characters. */
    startWithMessage: "Start a task with this message"
  },
  connectFirst: {
    text: [
      "**Connect your account first.** Tasks run on your own account.",
      "The page asks you to allow this bot to read your profile and credits and to run tasks for you. The link is yours alone and works for 10 minutes, once.",
      "Your task is kept: it starts by itself as soon as you are connected."
    ].join("\n"),
    plainText: [
      "**Connect your account.** Tasks run on your own account.",
      "The page asks you to allow this bot to read your profile and credits and to run tasks for you. The link is yours alone and works for 10 minutes, once."
    ].join("\n"),
    button: "Connect your account"
  },
  connectedStarting: "Connected. Starting your task…",
  connected: "Your account is connected. `/task new` starts a task.",
  alreadyConnected: "Your account is already connected. `/task new` starts a task; `/disconnect` ends the connection.",
  connectAgain: (userId: string) =>
    `<@${userId}>, your account needs to be connected again: the service no longer accepts the old connection. Nothing is lost. After you connect, this goes on by itself.`,
  connectAgainPrivate:
    "Your account needs to be connected again: the service no longer accepts the old connection. Your task is kept and starts by itself after you connect.",
  disconnected: "Disconnected. The bot has forgotten its access to your account; running tasks go on in the cloud.",
  notConnected: "Your account is not connected. `/connect` does that.",
  onlyInServers: "Tasks can only be started in a server, because they need a channel for their thread.",
  notYours: (ownerId: string) =>
    `This task belongs to <@${ownerId}> and runs on their account. They can let you use it with \`/task share\`; \`/task new\` starts one of your own. Nothing was changed.`,
  ruledOut: "The settings of this server do not let you do this here. Nothing was changed or charged.",
  adminsOnly: "Only members who may manage this server can see and change its settings. Nothing was changed.",
  promptNeeded: "Say what the task is about: `/task new prompt:…`. Nothing was started.",
  promptNeededHere:
    "Say what should be done in the same message, next to my name, and I start a task with it. Nothing was started.",
  lookAtFiles: "Look at the attached files.",
  starting: "Starting your task…",
  started: (threadId: string) => `Your task is running in <#${threadId}>.`,
  card: (userId: string, name: string, prompt: string, files: ReadonlyArray<string>) =>
    [
      `<@${userId}> started a task: **${plain(name)}**`,
      ...(prompt === "" ? [] : [`> ${plain(prompt)}`]),
      ...(files.length === 0 ? [] : [`📎 ${files.map(plain).join(", ")}`])
    ].join("\n"),
  openedCard: (userId: string, name: string) => `<@${userId}> opened a task here: **${plain(name)}**`,
  openedBefore: (threadId: string) => `This task has its thread: <#${threadId}>.`,
  openedAlready: "A thread for this task is being opened. It appears in a moment.",
  noTaskGiven: "Choose one of your tasks from the list that appears while you type.",
  tasksTitle: "Your tasks",
  pager: {
    back: "◀ Back",
    on: "Next ▶",
    footer: (page: number, pages: number, total: number) => `Page ${page} of ${pages} · ${total} in all`
  },
  access: {
    /** Small print on a task's card; `who` are mentions. */
    onCard: (ownerId: string, who: "everyone" | ReadonlyArray<string>) => {
      const charged = `-# Runs on the account of <@${ownerId}>, which is charged.`
      if (who === "everyone") return `${charged} By the settings of this server, everyone here may write to it.`
      if (who.length === 0) return `${charged} By the settings of this server, nobody may write to it here.`
      if (who.length === 1) return `${charged} Only ${who[0]} may write to it; \`/task share\` lets others in.`
      return `${charged} ${who.slice(0, 20).join(", ")}${who.length > 20 ? " and others" : ""} may write to it.`
    },
    shared: ({ approve, reply, userId }: Share) =>
      `<@${userId}> may now ${mayWords(reply, approve)}. Your account is charged for it. \`/task unshare\` ends that.`,
    sharedHere: (ownerId: string, { approve, reply, userId }: Share) =>
      `-# <@${userId}> may now ${mayWords(reply, approve)}. It runs on the account of <@${ownerId}>.`,
    shareSelf: "It is your own task: you may do everything with it already. Nothing was changed.",
    unshared: (userId: string) => `<@${userId}> may no longer use this task.`,
    unsharedHere: (userId: string) => `-# <@${userId}> may no longer use this task.`,
    neverShared: (userId: string) => `You had not let <@${userId}> use this task. Nothing was changed.`
  },
  settings: {
    title: "Settings of this server",
    language: (locale: string | null) => `**Language** · ${languageWords(locale)}. \`/settings language\` changes it.`,
    languageSet: (locale: string | null) =>
      `From now on I speak ${languageWords(locale)} to everybody here. What I say to one person alone is in their own language.`,
    rulesTitle: "Rules",
    noRules: "There are no rules: what is said below counts for everyone.",
    defaults: [
      "**Without a rule**",
      "- Everyone may start tasks, on their own account.",
      "- Only the person who started a task may write to it, answer what its agent asks, and stop it; they let others in with `/task share`.",
      "`/settings access` changes that; `/settings audit` shows who did what."
    ].join("\n"),
    accessTitle: "Who may do what",
    accessHow:
      "Choose what, who and where; then allow or deny it. A rule for a person beats one for a role, which beats one for everyone; of two alike the one for the channel counts, then the one that denies. Owners may always read and stop their own tasks.",
    whatHint: "What?",
    whoHint: "Who? Nobody chosen: everyone",
    whereHint: "Where? Nothing chosen: the whole server",
    allow: "Allow",
    deny: "Deny",
    remove: "Remove this rule",
    capabilities: {
      start: { label: "Start tasks", description: "On their own account" },
      reply: { label: "Write to tasks of others", description: "The owner's account is charged" },
      approve: { label: "Answer what agents ask", description: "In tasks of others; denied: in their own, too" },
      stop: { label: "Stop tasks of others", description: "The task stays and takes further messages" },
      spend: { label: "Spend credits", description: "Denied: neither start tasks nor write to any" }
    },
    /** What the choice says now; `allow` is what the rule about exactly this says. */
    chosen: (chosen: Omit<Rule, "allow">, allow: boolean | undefined) =>
      `**${ruleWords(chosen)}** · ${allow === undefined ? "no rule" : allow ? "✅ allowed" : "⛔ denied"}`,
    byDefault: {
      start: "No rule is about this: everyone may, on their own account.",
      reply: "No rule is about this: only the owner of a task may, and whom they let in.",
      approve: "No rule is about this: only the owner of a task may, and whom they let in.",
      stop: "No rule is about this: only the owner of a task may, and whom they let in.",
      spend: "No rule is about this: everyone may."
    },
    effect: { allow: "All rules together: allowed.", deny: "All rules together: denied." },
    rule: (rule: Rule) => `${rule.allow ? "✅ allow" : "⛔ deny"}: ${ruleWords(rule)}`
  },
  audit: {
    title: "Who did what",
    empty: "Nothing has happened here yet.",
    started: (task: string) => `started **${plain(task)}**`,
    opened: (task: string) => `opened **${plain(task)}**`,
    stopped: (task: string) => `stopped **${plain(task)}**`,
    answered: (title: string, allowed: boolean) => `${allowed ? "allowed" : "refused"} **${plain(title)}**`,
    shared: ({ approve, reply, userId }: Share) => `let <@${userId}> ${mayWords(reply, approve)}`,
    unshared: (userId: string) => `no longer lets <@${userId}> use the task`,
    ruleSet: (rule: Omit<Rule, "allow"> & { readonly allow: boolean | undefined }) =>
      `${rule.allow === undefined ? "removed the rule" : rule.allow ? "allowed" : "denied"}: ${ruleWords(rule)}`,
    languageSet: (locale: string | null) => `chose the language: ${languageWords(locale)}`
  },
  /** Names of tags in forums; at most 20 characters. */
  statusTags: {
    working: { name: "working", emojiName: "⏳" },
    waiting: { name: "waiting for you", emojiName: "✋" },
    done: { name: "done", emojiName: "✅" },
    failed: { name: "failed", emojiName: "❌" }
  },
  status: (name: string, status: string, waiting: number) =>
    `**${plain(name)}** is *${status}*. ${waiting === 0 ? "Nothing is waiting." : `${waiting} of your messages in work or waiting.`}`,
  waitsForAnswer: (ownerId: string, titles: ReadonlyArray<string>) =>
    `It waits for <@${ownerId}> to press a button above in this thread: ${titles.map((title) => `**${plain(title)}**`).join(", ")}.`,
  startFailed: (reason: string) => `The task was not started. ${reason}`,
  cannotPost:
    "I may not write in this channel. Ask an admin to give me: View Channel, Send Messages, Create Public Threads, Send Messages in Threads, Embed Links, Attach Files, Read Message History.",
  noTaskHere: "There is no task in this thread. Use this in the thread of a task.",
  stop: {
    Stopping: "Stopping…",
    Posting: "The agent has already finished; the rest of its answer is being posted.",
    Idle: "Nothing is running here."
  },
  noTasks: "You have no tasks yet. `/task new` starts one.",
  queue: (lines: ReadonlyArray<string>, more: number) =>
    [
      "-# ⏳ Waiting for the current answer to end. Edit or delete your message to change the queue.",
      ...lines,
      ...(more > 0 ? [`-# … and ${more} more`] : [])
    ].join("\n"),
  readLate: "-# ⏳ I was away. What you wrote meanwhile is read now, in its order.",
  stillWaiting: (waiting: number) =>
    waiting === 1
      ? "Your next message waits and comes now; delete it if it should not."
      : `${waiting} more messages wait and come now, one after the other; delete those that should not.`,
  editedTooLate: "-# The agent already has this message as it was. Send what you want to change as a new message.",
  wholeAnswer: "-# 📄 the whole answer as one file",
  answerSettled: "This was already answered, or can no longer be answered.",
  answeredBefore: (userId: string) => `This was already answered by <@${userId}>. Your click changed nothing.`,
  answerTooLate: "The time for this answer is over, so it was refused. Your click changed nothing.",
  answerNotWaited: "The agent no longer waits for this answer. Your click changed nothing.",
  answerInvalid: (problem: string) => `${plain(problem)}. Your answers are kept, nothing was sent yet.`,
  answerSlow: "The bot is busy at the moment. Nothing was changed. Please press the button again.",
  asked: {
    permission: "Permission needed",
    question: "Question",
    questionOf: (step: number, count: number) => `Question ${step} of ${count}`,
    who: "The person who started this task can answer, and whom they or this server let do so.",
    deadline: (at: number) =>
      `⏳ Open until <t:${Math.floor(at / 1000)}:t> (<t:${Math.floor(at / 1000)}:R>); without an answer it is refused.`,
    answered: (allowed: boolean, question: boolean) =>
      question ? (allowed ? "Answered" : "Declined") : allowed ? "Allowed" : "Not allowed",
    by: (userId: string, at: number) => `by <@${userId}>, <t:${Math.floor(at / 1000)}:f>`,
    expired: "Not answered in time",
    expiredText: "Nobody answered this in time, so it was refused.",
    withdrawn: "No longer open",
    withdrawnText: "This was not answered here, and it can no longer be answered.",
    choose: "Choose one",
    chooseSome: "Choose one or more",
    pageOf: (page: number, count: number) => `page ${page} of ${count}`,
    pageBack: "◀ Options",
    pageOn: "More options ▶",
    optional: "(optional)",
    yours: "Your answer:",
    write: "Write an answer",
    other: "Something else",
    writeTitle: "Your answer",
    back: "◀ Back",
    next: "Next ▶",
    skip: "Skip ▶",
    send: "Send",
    accept: "Accept",
    decline: "Decline",
    yes: "Yes",
    no: "No",
    hint: ({ atLeast, atMost, kind }: Hinted) => {
      const what = kind === "integer" ? "a whole number" : kind === "number" ? "a number" : "text"
      const unit = what === "text" ? " characters" : ""
      const bounds = [
        ...(atLeast === undefined ? [] : [`at least ${atLeast}${unit}`]),
        ...(atMost === undefined ? [] : [`at most ${atMost}${unit}`])
      ]
      return [what, ...bounds].join(", ")
    }
  },
  buttonUnknown: "This button is from an older version of the bot. Use a command instead.",
  notAllowedToAnswer: (ownerId: string) => `Only <@${ownerId}> can answer this, because it runs on their account.`,
  waitingForService: "-# ⏳ The service is not reachable right now. I keep trying; nothing is lost.",
  taskGone:
    "This task no longer exists in the cloud, so it cannot go on. Nothing was charged for this message. `/task new` starts a new one.",
  taskFailed: "The task has failed in the cloud. What was shown above is what there is. `/task new` starts a new one.",
  attachmentTooLarge: (name: string, size: string) =>
    `With **${plain(name)}** your message has ${size} of files. A task takes at most 25 MB with one message. Nothing was sent to the task. Send less, or a part of it.`,
  attachmentUnreadable: (name: string) =>
    `**${plain(name)}** could not be fetched from Discord. Nothing was sent to the task. Please send your message again.`,
  filesNotTaken: (names: string) =>
    `-# ⚠️ The agent of this task does not take files of this kind, so it is told only that there is: ${names}`,
  internal: (id: string) =>
    `Something went wrong in the bot. Nothing more was sent to the task. Please try again; if it happens again, report this number: \`${id}\`.`,
  creditTitle: "Your credits",
  help: [
    "**Cloud tasks in Discord**",
    "`/task new` starts a task and opens a thread. What you write in the thread goes to the same task; attach files to give it data.",
    "`/task stop` (or the word *stop* in the thread) stops the current answer. `/task status` and `/task list` show what is going on.",
    "`/connect` connects your account, `/disconnect` ends that. `/credit` shows your credits.",
    "",
    "A task runs on the account of the person who started it: they alone can reply, and whom they let in with `/task share`. `/task open` leads to any of your tasks. When the agent asks for permission, nothing happens until you press a button."
  ].join("\n")
}
