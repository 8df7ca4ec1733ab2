/** The slash commands and their options, as Discord lists them; at most 100 characters each. */
export const commands = {
  /** Names that hold several commands. */
  groups: {
    assistant: "The local assistant on your computer",
    redeem: "Redemption codes and vouchers",
    task: "Cloud tasks"
  },
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
  redeemCode: { description: "Redeem a code for credits; it is typed into a form that only you see" },
  redeemVoucher: { description: "Redeem a card by its number and secret, in a form that only you see" },
  profile: { description: "Show the account that you have connected" },
  verifyPhone: { description: "Check whether a phone number is that of your account" },
  assistantStatus: { description: "Show whether the assistant on your computer is online" },
  assistantSend: { description: "Send one message to the assistant on your computer", message: "What to tell it" },
  assistantHistory: { description: "Show your messages with the assistant on your computer" },
  assistantChat: { description: "Open a private thread with the assistant on your computer" },
  help: { description: "What this bot does and how" },
  /** In the menu of a message; at most 32 characters. */
  startWithMessage: "Start a task with this message"
}
