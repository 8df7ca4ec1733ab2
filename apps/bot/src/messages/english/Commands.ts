import { withoutOptions } from "../CommandTexts.ts"

/** The slash commands and their options; at most 100 characters each. */
export const commands = {
  /** Command groups. */
  groups: {
    artifacts: "What the task of this thread has produced",
    assistant: "The local assistant on your computer",
    redeem: "Redemption codes and vouchers",
    settings: "What this bot does in this server",
    task: "Cloud tasks"
  },
  taskNew: {
    description: "Start a cloud task; it opens a thread where you talk to the agent",
    prompt: "What should be done?",
    file: "A file to work on; the bot reads up to 25 MB, Discord may take less from you",
    name: "A name for the task",
    agent: "Which agent, where the service offers several; its default without it"
  },
  taskOpen: {
    description: "Go to the thread of one of your tasks, or open one for it here",
    task: "Which task?"
  },
  taskStatus: {
    description: "Show how the task of this thread is doing",
    task: "Another one of your tasks"
  },
  taskStop: {
    description: "Stop the current answer in this thread",
    task: "Another one of your tasks"
  },
  taskShare: {
    description: "Let another person use your task in this thread; it stays on your account",
    member: "Whom?",
    may: "What may they do? Without this: write to it",
    reply: "Write to it and stop its answers",
    approve: "Answer what the agent asks",
    both: "Both"
  },
  taskUnshare: {
    description: "End a person's access to your task in this thread, or to another one",
    member: "Whom?",
    task: "Another one of your tasks"
  },
  taskMode: {
    description: "Choose the mode of this task's agent, such as whether it asks before it changes something",
    mode: "Which mode?"
  },
  taskModel: {
    description: "Choose the model of this task's agent",
    model: "Which model?"
  },
  taskOptions: {
    description: "Set another option of this task's agent",
    option: "Which option?",
    value: "To what?"
  },
  taskCommand: {
    description: "Send one of the agent's own commands in this thread",
    name: "Which command?",
    args: "What follows the command"
  },
  settingsAgent: {
    description: "Choose the agent of new tasks, and with which mode, model and options it begins",
    agent: "Which agent, where the service offers several?",
    mode: "Which mode?",
    model: "Which model?",
    option: "Which option of the agent?",
    value: "Which value of the option?",
    for: "Only for tasks of this agent; for those of all agents without it",
    channel: "Where; in the whole server without it"
  },
  settingsLanguage: {
    description: "Choose the language in which I speak to everybody here",
    language: "Which language?",
    asAtDiscord: "The language of this server at Discord"
  },
  assistantSend: {
    description: "Send one message to the assistant on your computer",
    message: "What to tell it"
  },
  artifactsOpen: {
    description: "Go to the card of something that this task has produced",
    name: "Which one?"
  },
  artifactsDownload: {
    description: "Get something that this task has produced, for you alone",
    name: "Which one?"
  },
  artifactsPlan: {
    description: "Compare two versions of this task's plan",
    name: "Which plan? The newest one without it"
  },
  help: {
    description: "What this bot does and how",
    topic: "What you want to know about"
  },
  settingsWelcome: {
    description: "Have the bot introduce itself in a channel",
    channel: "Where; here without it"
  },
  ...withoutOptions({
    taskList: "Show your newest tasks",
    settingsShow: "Show what this server has chosen",
    settingsAccess: "Choose who may start, reply, approve, stop and spend, by channel, role and person",
    settingsAudit: "Show who approved, started, stopped and changed what, and when",
    connect: "Connect your account, on which your tasks run",
    disconnect: "End the bot's access to your account",
    credit: "Show your credits",
    redeemCode: "Redeem a code for credits; it is typed into a form that only you see",
    redeemVoucher: "Redeem a card by its number and secret, in a form that only you see",
    profile: "Show the account that you have connected",
    verifyPhone: "Check whether a phone number is that of your account",
    assistantStatus: "Show whether the assistant on your computer is online",
    assistantHistory: "Show your messages with the assistant on your computer",
    assistantChat: "Open a private thread with the assistant on your computer",
    artifactsList: "Show the plans, task lists, files and summaries of this task"
  }),
  /** In the menu of a message; at most 32 characters. */
  startWithMessage: "Start a task with this message"
}
