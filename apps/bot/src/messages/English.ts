import { plain } from "../view/Fit.ts"

interface Hinted {
  readonly kind: string
  readonly atLeast?: number
  readonly atMost?: number
}

/** The English texts. */
export const english = {
  /** The slash commands and their options; at most 100 characters each. */
  commands: {
    groups: { task: "Cloud tasks" },
    taskNew: {
      description: "Start a cloud task; it opens a thread where you talk to the agent",
      prompt: "What should be done?",
      file: "A file to work on, up to 25 MB",
      name: "A name for the task"
    },
    taskList: { description: "Show your newest tasks" },
    taskStatus: { description: "Show how the task of this thread is doing" },
    taskStop: { description: "Stop the current answer in this thread" },
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
    `This task belongs to <@${ownerId}> and runs on their account, so only they can answer here. \`/task new\` starts one of your own.`,
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
    who: "Only the person who started this task can answer.",
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
    "Only the person who started a task can reply to it: it runs on their account. When the agent asks for permission, nothing happens until you press a button."
  ].join("\n")
}
