import { plain } from "../text/Fit.ts"
import { access, audit, settings } from "./english/Access.ts"
import { profile, redeem } from "./english/Account.ts"
import { assistant } from "./english/Assistant.ts"
import { artifacts } from "./english/Artifacts.ts"
import { asked } from "./english/Asked.ts"
import { commands } from "./english/Commands.ts"
import { atWork, connecting, disconnecting, replacing } from "./english/Connecting.ts"
import { errors, reading, scopes } from "./english/Errors.ts"
import { failures } from "./english/Failures.ts"
import { help } from "./english/Help.ts"
import { page } from "./english/Page.ts"
import { shown } from "./english/Shown.ts"
import type { StatusTexts } from "./Told.ts"

/** What everybody is asked for who connects. */
const usual = [
  scopes["user.profile.readable"],
  scopes["user.credit.readable"],
  scopes["user.task.readable"],
  scopes["user.task.invokable"]
]

/** The English texts. Commands stand in backticks; where they are registered they become mentions. */
export const english = {
  access,
  artifacts,
  asked,
  assistant,
  atWork,
  audit,
  commands,
  connecting,
  disconnecting,
  errors,
  failures,
  help,
  page,
  profile,
  reading,
  redeem,
  replacing,
  scopes,
  settings,
  shown,
  /** What stands between two sentences. */
  between: " ",
  request: (id: string) => `request ${plain(id)}`,
  connectFirst: {
    text: [
      "**Connect your account first.** Tasks run on your own account.",
      `The page asks you to allow this bot to ${usual.join(", ")}. The link is yours alone and works for 10 minutes, once.`,
      "Your task is kept: when you are connected, it goes on by itself, on that account."
    ].join("\n"),
    /** `more`: what is asked for besides the usual. */
    plainText: (more: ReadonlyArray<string>) =>
      [
        "**Connect your account.** Tasks run on your own account.",
        `The page asks you to allow this bot to ${[...usual, ...more].join(", ")}. The link is yours alone and works for 10 minutes, once.`
      ].join("\n"),
    button: "Connect your account"
  },
  connectedStarting: "Your account is connected. What you asked for before goes on now.",
  connected: "Your account is connected.",
  /** What was asked for before an account was connected. */
  goesOn: "What you asked for before goes on now; its own message tells what comes of it.",
  alreadyConnected:
    "Your account is already connected; `/profile` shows which one it is. `/task new` starts a task. To connect another account, use `/disconnect` first.",
  connectAgain: (userId: string) =>
    `<@${userId}>, your account needs to be connected again: the service no longer accepts the old connection. Nothing is lost. After you connect, this goes on by itself.`,
  /** The owner has disconnected it themselves. */
  connectAfterDisconnecting: (userId: string) =>
    `<@${userId}>, you have disconnected the account on which this runs, so nothing more of it is shown or sent here. What is above stays. When you have connected the same account again, this thread goes on by itself.`,
  connectAgainPrivate:
    "Your account needs to be connected again before your task can start. Your task is kept and starts by itself after you connect.",
  connectAgainToStart: (userId: string) =>
    `<@${userId}>, your account needs to be connected again before your task can start. Your task is kept. Use \`/connect\`.`,
  notConnected: "Your account is not connected. `/connect` does that.",
  onlyInServers:
    "Tasks are started in a server, because they need a channel for their thread. Nothing was started here.",
  onlyInPublic:
    "No task can be started in a private or archived thread, because a task gets a thread that everybody in the channel can read. Nothing was started, and nothing from here was shown to anybody. Start the task in the channel itself, in words that everybody there may read.",
  notYours: (ownerId: string) =>
    `This task belongs to <@${ownerId}> and runs on their account. They can let you use it with \`/task share\`; \`/task new\` starts one of your own.`,
  ownerAway: (ownerId: string) =>
    `This task runs on the account of <@${ownerId}>, who is not in this server any more, so nobody else can use it. Nothing was changed or charged. \`/task new\` starts one of your own.`,
  away: "Nothing is done here for somebody who is not in this server any more. Nothing was changed or charged.",
  ruledOut: "The settings of this server do not let you do this here. Nothing was changed or charged.",
  notKnown:
    "Discord does not tell at the moment who is who in this server, and whether you may do this depends on it. Nothing was changed or charged. Please try again in a minute.",
  /** Below a message that waited, before the reason. */
  notSent: (authorId: string) => `<@${authorId}>, this message was not given to the agent when its turn came.`,
  adminsOnly: "Only members who may manage this server can see and change its settings.",
  promptNeeded: "Say what the task is about: `/task new`, then what should be done. Nothing was started.",
  promptNeededHere:
    "Say what should be done in the same message, next to my name, and I start a task with it. Nothing was started.",
  lookAtFiles: "Look at the attached files.",
  started: (threadId: string) => `Your task is running in <#${threadId}>.`,
  /** Names of tags in forums; at most 20 characters. */
  statusTags: {
    working: { name: "working", emojiName: "⏳" },
    waiting: { name: "waiting for you", emojiName: "✋" },
    done: { name: "done", emojiName: "✅" },
    failed: { name: "failed", emojiName: "❌" }
  },
  statusWords: {
    creating: "creating",
    idle: "idle",
    planning: "planning",
    working: "working",
    pending: "pending",
    completed: "completed",
    failed: "failed",
    archived: "archived",
    deleted: "deleted"
  } satisfies StatusTexts,
  status: (name: string, status: string, waiting: number) =>
    `**${plain(name)}** is *${status}*. ${waiting === 0 ? "Nothing is waiting." : waiting === 1 ? "One message is being worked on or waits." : `${waiting} messages are being worked on or wait.`}`,
  waitsForAnswer: (ownerId: string, titles: ReadonlyArray<string>) =>
    `It waits for <@${ownerId}> to press a button above in this thread: ${titles.map((title) => `**${plain(title)}**`).join(", ")}.`,
  /** Told to somebody else than the owner. */
  statusOfOther: (ownerId: string) =>
    `This task runs on the account of <@${ownerId}>, which is not connected now, or does not let me look this up. Only they can change that, with \`/connect\`.`,
  startFailed: (reason: string) => `The task was not started. ${reason}`,
  noTaskHere: "There is no task in this thread. Use this in the thread of a task; `/task list` shows yours.",
  stop: {
    Stopping: "The agent is asked to stop. Its answer says when it has.",
    Posting: "The agent is no longer at work; if much of its answer is still to be posted, that comes as a file.",
    Late: "The answer has ended; the agent is asked to stop what it still says.",
    Next: "Nothing was running, so the message that was next is stopped before the agent gets it.",
    Idle: "Nothing is running here.",
    Untold: "The service cannot be reached at the moment, so the agent could not be told to stop. Please try again.",
    Over: "Nothing that ran when you wrote this is still running."
  },
  openedBefore: (threadId: string) => `This task has its thread: <#${threadId}>.`,
  openedAlready: "A thread for this task is being opened. It appears in a moment.",
  noTaskGiven: "Choose one of your tasks from the list that appears while you type. Nothing was changed.",
  /** A list of several pages. */
  pager: {
    back: "◀ Back",
    on: "Next ▶",
    footer: (page: number, pages: number, total: number) => `Page ${page} of ${pages} · ${total} in all`
  },
  /** When a task was started, in epoch milliseconds. */
  startedAt: (at: number) => `started <t:${Math.floor(at / 1000)}:R>`,
  noTasks: "You have no tasks yet. `/task new` starts one.",
  tasksTitle: "Your tasks",
  /** What the messages below it wait for. */
  queue: {
    account:
      "-# ⏳ Waiting until the account on which this runs is connected. Edit or delete your message to change the queue.",
    answer: "-# ⏳ Waiting for the current answer to end. Edit or delete your message to change the queue.",
    question:
      "-# ✋ The agent waits for an answer to its question in this thread, and these messages wait with it. Edit or delete your message to change the queue.",
    more: (more: number) => `-# … and ${more} more`
  },
  readLate: "-# ⏳ I was away. What you wrote meanwhile is read now, in its order.",
  stillWaiting: (waiting: number) =>
    waiting === 1
      ? "One more message waits and is next, as soon as the answer has ended; delete it if you no longer want it."
      : `${waiting} more messages wait and are next, one after the other, as soon as the answer has ended; delete those that you no longer want.`,
  neverAsked: (messages: number) =>
    messages === 1
      ? "-# This thread was closed while this message waited: the agent never got it. Send it again if you still want it."
      : `-# This thread was closed while this message and ${messages - 1} after it waited: the agent never got them. Send again what you still want.`,
  typedAsText: (commands: ReadonlyArray<string>) =>
    `This came as plain text, so nothing was done and the agent did not get it. Click the command here, or type \`/\` and choose it from the list: ${commands.map((path) => `\`/${path}\``).join(", ")}`,
  editedTooLate: "-# The agent already has this message as it was. Send what you want to change as a new message.",
  answerSettled: "This was already answered, or can no longer be answered.",
  answeredBefore: (userId: string) => `This was already answered by <@${userId}>. Your click changed nothing.`,
  answersDropped: (userIds: ReadonlyArray<string>) =>
    `Answers of ${userIds.map((id) => `<@${id}>`).join(", ")} were taken out, who may no longer answer here. Nothing was sent yet: look at the questions, then send them.`,
  answersKept:
    "Discord does not tell at the moment whether everybody whose answers are in this may still answer. Nothing was sent, and all answers are kept. Please send them again in a minute.",
  answerUnconnected: (ownerId: string) =>
    `This runs on the account of <@${ownerId}>, which is not connected now, so nothing can be answered. Your click changed nothing. When its owner has connected it again with \`/connect\`, the agent can ask again.`,
  answerTooLate: "The time for this answer is over, so it was refused. Your click changed nothing.",
  answerNotWaited: "The agent no longer waits for this answer. Your click changed nothing.",
  answerInvalid: (problem: string) => `${problem}. Your answers are kept, nothing was sent yet.`,
  answerSlow: "The bot is busy at the moment. Nothing was changed. Please press the button again.",
  buttonUnknown: "This button is from an older version of the bot. Nothing was changed. `/help` shows the commands.",
  commandUnknown: "This command is from an older version of the bot. Nothing was changed. `/help` shows the commands.",
  notAllowedToAnswer: (ownerId: string) => `Only <@${ownerId}> can answer this, because it runs on their account.`,
  waitingForService: "-# ⏳ The service is not reachable right now. I keep trying; nothing is lost.",
  filesNotTaken: (names: string) =>
    `-# ⚠️ The agent of this task does not take files of this kind, so it is told only that there is: ${names}`,
  credit: {
    title: "Your credits",
    text: (left: string, used: string, total: string) => `**${left}** left · ${used} of ${total} used`,
    share: (percent: number) => `${percent} % used`,
    low: "⚠️ A fifth or less is left. `/redeem code` and `/redeem voucher` add credits.",
    /** Said once, in private, when a task has used that much. */
    hint: (gone: boolean) =>
      `⚠️ Your credits are ${gone ? "used up" : "running low: a fifth or less is left"}. \`/credit\` shows how they stand, \`/redeem code\` adds some.`
  }
}
