import { plain } from "../../text/Escape.ts"
import { statusTags } from "../StatusTags.ts"
import type { StatusTexts, UserError } from "../UserError.ts"

/** A task that was created, and whether its first prompt waits for the bot to send it. */
export interface TaskWithoutThread {
  readonly name: string
  readonly taskId: string
  readonly isHeld: boolean
}

/** Starting, listing and stopping tasks. */
export const tasks = {
  promptNeeded: "Say what the task is about: `/task new`, then what should be done. Nothing was started.",
  promptNeededHere:
    "Say what should be done in the same message, next to my name, and I start a task with it. Nothing was started.",
  lookAtFiles: "Look at the attached files.",
  started: (threadId: string) => `Your task is running in <#${threadId}>.`,
  statusTags: statusTags({
    working: "working",
    waiting: "waiting for you",
    done: "done",
    failed: "failed"
  }),
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
  /** For people other than the owner. */
  statusOfOther: (ownerId: string) =>
    `This task runs on the account of <@${ownerId}>, which is not connected now, or does not let me look this up. Only they can change that, with \`/connect\`.`,
  /** For people other than the owner. */
  ownerNotConnected: (ownerId: string) =>
    `This task runs on the account of <@${ownerId}>, which is not connected now. Nothing was changed. Only they can change that, with \`/connect\`.`,
  startFailed: (reason: string) => `The task was not started. ${reason}`,
  openFailed: (reason: string) => `The task was not opened here. ${reason}`,
  tooManyThreads: {
    happened: "This server has as many active threads as Discord allows: 1,000.",
    changed: "No thread was opened, and nothing was charged.",
    next: "Archive threads that are no longer needed; each makes room for a new one."
  } satisfies UserError,
  /** The thread of a created task could not be opened; a reason follows. */
  taskWithoutThread: ({ isHeld, name, taskId }: TaskWithoutThread): UserError => ({
    happened: `Your task **${plain(name)}** exists (\`${taskId}\`), but it has no thread.`,
    changed: isHeld
      ? "Its agent did not get your message, and nothing was charged for it."
      : "Its agent may be at work on your message, or done with it; that work is charged as usual.",
    next: isHeld
      ? "`/task open` opens its thread, here later or in another channel; send your message again there."
      : "`/task open` opens its thread, here later or in another channel."
  }),
  /** The service's answer to the creation of a task was lost. */
  unknownStart: {
    text: "It is not known whether your task was started: the service's answer was lost. Nothing was sent a second time. If the task runs, its work is charged as usual. Look again in a while, or send it once more; if the first one arrived after all, both may run.",
    candidates: "One of these tasks may be yours; choose it to open its thread.",
    choose: "Choose your task",
    look: "Look again",
    send: "Send once more",
    looking: "Looking for your task. Nothing is sent.",
    sending: "Sending your task once more.",
    opening: "Opening the thread of this task. Nothing is sent.",
    decided: "This was decided before. Nothing was changed. `/task list` shows your tasks.",
    onlyAuthor: (userId: string) =>
      `This task would run on the account of <@${userId}>, so only they can choose. Nothing was changed.`
  },
  noTaskHere: "There is no task in this thread. Use this in the thread of a task; `/task list` shows yours.",
  stop: {
    Stopping: "The agent is asked to stop. Its answer says when it has.",
    Starting: "The task is still being started. It is stopped once it has begun, and its answer says so.",
    Posting: "The agent is no longer at work; if much of its answer is still to be posted, that comes as a file.",
    Late: "The answer has ended; the agent is asked to stop what it still says.",
    Next: "Nothing was running, so the message that was next is stopped before the agent gets it.",
    Idle: "Nothing is running here.",
    TryAgain: "The service cannot be reached at the moment, so the agent could not be told to stop. Please try again.",
    Over: "Everything that ran when you wrote this has ended."
  },
  openedBefore: (threadId: string) => `This task has its thread: <#${threadId}>.`,
  openedAlready: "A thread for this task is being opened. It appears in a moment.",
  noTaskGiven: "Choose one of your tasks from the list that appears while you type. Nothing was changed.",
  /** The page indicator of a list. */
  pager: {
    previous: "◀ Back",
    next: "Next ▶",
    footer: (page: number, pages: number, total: number) => `Page ${page} of ${pages} · ${total} in all`
  },
  /** A task's start, in epoch milliseconds. */
  startedAt: (at: number) => `started <t:${Math.floor(at / 1000)}:R>`,
  noTasks: "You have no tasks yet. `/task new` starts one.",
  tasksTitle: "Your tasks"
}
