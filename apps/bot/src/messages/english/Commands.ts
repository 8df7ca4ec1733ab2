/** The slash commands and their options, as Discord lists them; at most 100 characters each. */
export const commands = {
  /** Names that hold several commands. */
  groups: { task: "Cloud tasks", artifacts: "What the task of this thread has produced" },
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
  artifactsList: { description: "Show the plans, task lists, files and summaries of this task" },
  artifactsOpen: { description: "Go to the card of something that this task has produced", name: "Which one?" },
  artifactsDownload: { description: "Get something that this task has produced, for you alone", name: "Which one?" },
  artifactsPlan: { description: "Compare two versions of this task's plan", name: "Which plan? The newest one without it" },
  help: { description: "What this bot does and how" },
  /** In the menu of a message; at most 32 characters. */
  startWithMessage: "Start a task with this message"
}
