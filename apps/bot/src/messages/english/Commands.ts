/** The slash commands and their options, as Discord lists them; at most 100 characters each. */
export const commands = {
  task: "Cloud tasks",
  taskNew: "Start a cloud task; it opens a thread where you talk to the agent",
  taskNewPrompt: "What should be done?",
  taskNewFile: "A file to work on, up to 25 MB",
  taskNewName: "A name for the task",
  taskList: "Show your newest tasks",
  taskStatus: "Show how the task of this thread is doing",
  taskStop: "Stop the current answer in this thread",
  connect: "Connect your account, on which your tasks run",
  disconnect: "End the bot's access to your account",
  credit: "Show your credits",
  help: "What this bot does and how",
  /** In the menu of a message; at most 32 characters. */
  startWithMessage: "Start a task with this message"
}
