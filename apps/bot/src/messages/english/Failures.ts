import { plain } from "../../text/Escape.ts"
import type { UserError } from "../UserError.ts"

/** Services differ in whether they charge a turn that fails. */
const before = "What was done before is shown above. `/credit` tells what it cost."

const another = "`/task new` starts a new task."

/** The end of a run whose task goes on. */
const endedBy = (happened: string): UserError => ({
  happened,
  changed: before,
  next: "You can send another message here."
})

/** Failures of the agent, in its words, in those of the service, or without any. */
const ofAgent = {
  /** The service's own advice about its agent, and the reason that it names. */
  serviceReported: (said: string, _reason: string): UserError => ({
    happened: `The service reported: ${said}`,
    changed: "",
    next: ""
  }),
  agentReported: (said: string): UserError => endedBy(`The agent reported: ${said}`),
  /** What the agent reports reads as the refusal of its key. */
  keyRefused: (said: string): UserError => ({
    happened: `The agent reported: ${said}`,
    changed: before,
    next: "Most likely the service of its model refuses the agent's key. If so, the operator of the service has to correct it before another message helps."
  }),
  /** What the agent reports reads as the end of what its model's account may use. */
  quotaUsedUp: (said: string): UserError => ({
    happened: `The agent reported: ${said}`,
    changed: before,
    next: "Most likely the account at the service of its model is used up. If so, the operator of the service has to look at it, or another message helps later."
  }),
  /** A refusal that the bot does not know; its text may reveal data of the account. */
  serviceRefused: (ownerId: string): UserError => ({
    happened: "The service does not continue with this message. The reason is private, so it is not shown here.",
    changed: before,
    next: `<@${ownerId}> can look at \`/credit\` and \`/profile\`, and then send it again.`
  }),
  agentEnded: {
    happened: "The agent's program has ended and cannot go on.",
    changed: before,
    next: `Please try again; ${another}`
  } satisfies UserError,
  agentForgot: {
    happened: "The agent does not know this task any more.",
    changed: "Your message did not reach the agent, and costs nothing.",
    next: another
  } satisfies UserError,
  agentUnclear: {
    happened: "The agent speaks in a way that the bot does not understand.",
    changed: before,
    next: `Please tell the person who runs this bot; ${another}`
  } satisfies UserError
}

/** Failures outside of the service's API: in the bot, at Discord, in the agent, with a file. */
export const failures = {
  ...ofAgent,
  internal: (id: string): UserError => ({
    happened: "Something went wrong in the bot.",
    changed: "Nothing more was sent to the task.",
    next: `Please try again; if it happens again, report this number: \`${id}\`.`
  }),
  cannotPost: {
    happened: "I may not write in this channel.",
    changed: "No thread was opened, and nothing was charged.",
    next: "Ask an admin to give me: View Channel, Send Messages, Create Public Threads, Send Messages in Threads, Embed Links, Attach Files, Read Message History."
  } satisfies UserError,
  discordRefused: (said: string): UserError => ({
    happened: `Discord did not accept this (${said}).`,
    changed: "Nothing was charged.",
    next: "Please try again."
  }),
  taskGone: {
    happened: "The account that the task's owner has connected does not have this task, so it cannot go on.",
    changed:
      "A message that its agent already has may be worked on, and is charged, on the account of the task. Any other was not sent, and costs nothing.",
    next: another
  } satisfies UserError,
  otherAccount: {
    happened: "You asked for this on an account that is no longer the connected one.",
    changed: "Nothing was charged on the account that is connected now.",
    next: "To start it on this account, ask for it again."
  } satisfies UserError,
  /** The execution failed, and the task goes on. */
  runFailed: endedBy("The service reports that the agent's work on this message failed."),
  taskEnded: {
    happened: "This task has ended in the cloud and takes no more messages.",
    changed: before,
    next: another
  } satisfies UserError,
  taskUnreachable: (minutes: number): UserError => ({
    happened: `The task could not be reached${minutes < 1 ? "" : ` for ${minutes} ${minutes === 1 ? "minute" : "minutes"}`}, so the answer to your message may be missing or incomplete.`,
    changed: "If the message had reached the agent before, its work may go on, and is charged as usual.",
    next: "If the answer is missing, please send the message again later."
  }),
  /** The agent has not confirmed the stop of an earlier message. */
  stillAtWork: {
    happened: "The agent is still at work on the message that was stopped, so this one was not sent.",
    changed: "It costs nothing. The work on the stopped message is charged as usual.",
    next: `Once the agent has stopped, the button sends this message. ${another}`
  } satisfies UserError,
  /** The prompt may have been sent before, and the session does not show it. */
  deliveryUnknown: (areFilesUnsent: boolean): UserError => ({
    happened: "It is not known whether the agent got this message.",
    changed: `It was not sent a second time${areFilesUnsent ? ", and its files were not sent" : ""}. If the agent has it, its work is charged as usual.`,
    next: `Please look at what the agent did. If the message is missing there, the button sends it once more${areFilesUnsent ? ", with its files" : ""}.`
  }),
  /** The service began with the words of a first prompt alone, and its files were to follow. */
  filesNotSent: {
    happened: "Your files were not sent, because the work on your words did not come to its end.",
    changed: "The agent does not have them, and nothing was charged for them.",
    next: "The button sends them."
  } satisfies UserError,
  channelRefused: (said: string): UserError => ({
    happened: `The task's channel refuses the bot: ${said}.`,
    changed: "Your message did not reach the agent, and costs nothing.",
    next: `Please try again; ${another}`
  }),
  /** A public text, so it does not mention the account's state. */
  accountStopped: (ownerId: string): UserError => ({
    happened: `The service does not go on with this task on the account of <@${ownerId}>.`,
    changed: "Nothing was charged for this message.",
    next: "Its owner sees why with `/credit`, and can then send the message again."
  }),
  unsupportedContent: (type: string): UserError => ({
    happened: `The agent of this task takes no ${type}.`,
    changed: "Nothing was sent to it, and nothing was charged.",
    next: "Send your message without it."
  }),
  attachmentTooLarge: (name: string, size: string): UserError => ({
    happened: `With **${plain(name)}** your message has ${size} of files, and a task takes at most 25 MB with one message.`,
    changed: "Nothing was sent to the task, and nothing was charged.",
    next: "Send less, or a part of it."
  }),
  attachmentUnreadable: (name: string): UserError => ({
    happened: `**${plain(name)}** could not be fetched from Discord.`,
    changed: "Nothing was sent to the task, and nothing was charged.",
    next: "Please send your message again."
  }),
  /** No account is connected. */
  noAccount: {
    happened: "Your account is not connected.",
    changed: "Nothing was changed or charged.",
    next: "Use `/connect`, then try again."
  },
  /** `prompted`: as far as the bot knows, the agent has the message. */
  reconnectGivenUp: (prompted: boolean): UserError => ({
    happened: "This was stopped while it waited for the account to be connected.",
    changed: prompted
      ? "The agent had the message before: its work until then is charged as usual, and may go on in the cloud."
      : "The agent did not get your message, and nothing was charged for it.",
    next: prompted
      ? "`/connect` connects the account; then write here to go on."
      : "`/connect` connects the account; then send the message again."
  })
}
