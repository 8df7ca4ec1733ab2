/** The topics of `/help`; the command list uses the commands' own descriptions. */
export const help = {
  choose: "More about …",
  topics: {
    start: {
      title: "Cloud tasks in Discord",
      text: [
        "You describe a task, and an agent in the cloud works on it. Everything about it happens in a thread here.",
        "",
        "1. `/task new` and say what should be done. Attach a file to give it data. Where the service has several agents, `agent` chooses one.",
        "2. The first time, connect your account on the page that opens. The page then shows a code; come back and type it here. Tasks run on your own account.",
        "3. Read the answer in the thread, and write there to go on.",
        "",
        "Mention me in a message, or choose **Apps > Start a task with this message** in its menu, and a task starts with that message."
      ].join("\n")
    },
    thread: {
      title: "In the thread of a task",
      text: [
        "- What its owner writes in the thread goes to the agent, with the files that are attached.",
        "- What you write while the agent works waits in a queue; edit or delete your message to change it.",
        "- *stop*, or `/task stop`, stops the current answer. The task stays, and you can go on.",
        "- `/task status` shows how it is doing; `/task list` shows your tasks, and `/task open` leads to any of them.",
        "- Locking or deleting the thread stops its task."
      ].join("\n")
    },
    questions: {
      title: "When the agent asks",
      text: [
        "Before the agent changes something, or when it does not know how to go on, it asks with a card.",
        "",
        "- The agent waits until a person who may answer presses a button.",
        "- The card shows how long it stays open. Without an answer in time, the request is refused.",
        "- Questions are answered by choosing, or in your own words; drafts are kept until you send them."
      ].join("\n")
    },
    account: {
      title: "Your account and its credits",
      text: [
        "- `/connect` connects your account at the service. The link is private; the page that it ends on shows a code, which you type here.",
        "- Type only a code of a page that you opened yourself, and do not share yours.",
        "- `/disconnect` ends the bot's access, after a question if tasks are at work. They are stopped first, where that can be done.",
        "- `/credit` shows what you have and what is left. Only you see it.",
        "- `/redeem code` and `/redeem voucher` add credits; what you type is never shown.",
        "- `/profile` shows the account, and `/verify-phone` checks a phone number against it.",
        "- `/assistant chat` opens a private thread with the assistant on your own computer.",
        "- A task is charged to the account of the person who started it, even when others write in the thread."
      ].join("\n")
    },
    files: {
      title: "Files and results",
      text: [
        "- The bot reads files of up to 25 MB together in one message. How large a file you may attach is Discord's own limit for you: 10 MB for most people.",
        "- Plans, task lists, pictures, files and summaries appear as cards in the thread, one for each, and stay current.",
        "- `/artifacts list` shows them all, `/artifacts open` leads to one, and `/artifacts plan` compares the versions of a plan.",
        "- A file that is too large for Discord comes as a preview; `/artifacts download` gives you a private link to it.",
        "- A long answer also comes as one file."
      ].join("\n")
    },
    access: {
      title: "Who may do what",
      text: [
        "- Everybody in the server can read a thread; only you see your private answers.",
        "- Only the person who started a task, and the people they add with `/task share`, can reply to it and answer what the agent asks.",
        "- Members who manage the server decide more by `/settings access`, and read who did what by `/settings audit`.",
        "- What is written in the thread of a task is sent to the service that runs the task."
      ].join("\n")
    },
    commands: { title: "All commands", text: "" }
  },
  command: (path: string, description: string) => `\`/${path}\` · ${description}`,
  /** For a bot without the message content intent. */
  mentionsOnly:
    "-# 👋 Here I only see messages that mention me or reply to one of my messages. Write to the task that way.",
  cannotRead:
    "I cannot see what this message says, so it did not reach the task. Mention me in it, or reply to one of my messages.",
  /** The introduction that an admin posts in a channel. */
  welcome: (threadless: string) =>
    [
      "**Hello! I run cloud tasks for you.**",
      "Tell me what should be done, and an agent works on it in a thread of its own: it answers, asks before it changes something, and posts what it made.",
      "",
      "- `/task new` starts a task.",
      "- `/connect` connects your account; the first task asks for it, too.",
      "- `/help` explains the rest. Only you see its answer.",
      "",
      `Each task runs on the account of the person who starts it.${threadless === "" ? "" : ` ${threadless}`}`
    ].join("\n"),
  mentionMe: "In threads, mention me or reply to me: I do not see other messages.",
  welcomed: (channelId: string) => `I introduced myself in <#${channelId}>.`
}
