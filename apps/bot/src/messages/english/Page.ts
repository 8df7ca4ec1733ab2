/** The page on which the service's answer to a connection ends. */
export const page = {
  language: "en",
  connected: "Connected",
  connectedText: "Your account is connected. Go back to Discord: /task new starts a task.",
  connectedStarting: "Your account is connected, and your task is starting. Go back to Discord.",
  notFound: "There is no such page here.",
  close: "You can close this page.",
  notConnected: "Not connected",
  unusable: "This link cannot be used",
  unusableText: "It was used before, or it is not one of ours. Nothing was connected by it.",
  newLink: "Use /connect in Discord for a new link.",
  rejected: "The answer does not fit what was asked for, or it came too late. Nothing was connected.",
  denied: "You did not allow the access, so nothing was connected.",
  changedMind: "If you change your mind, use /connect in Discord.",
  notAccepted: "The service did not accept the answer, perhaps because it took too long. Nothing was connected.",
  notSetUp: "The bot is not set up correctly at the service. Nothing was connected.",
  tellOperator: "Please tell the person who runs the bot.",
  notFinished: "The service could not finish the connection. Nothing was connected.",
  waitForNewLink: "Wait a minute, then use /connect in Discord for a new link.",
  broken: "Something went wrong",
  brokenText: "The connection could not be finished. Use /connect in Discord and try again.",
  report: (id: string) => `If it happens again, report this number: ${id}.`
}
