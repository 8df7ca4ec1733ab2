/** The callback page at the end of a connection. */
export const page = {
  language: "en",
  code: "One step is left",
  codeText: "If that is you: go back to Discord, press “Enter the code” and type:",
  codeFor: "This connects your account to this person at Discord, who then starts tasks on your credits:",
  /** The display name, beside the unique user name. */
  shownAs: (displayName: string) => `(shown there as “${displayName}”)`,
  codeWarning:
    "Is this not you, or did someone else send you this link? Then close this page, and do not share the code: nothing is connected until it is typed.",
  codeTime: (minutes: number) => `The code works for ${minutes} minutes, once.`,
  notFound: "There is no such page",
  notConnected: "Not connected",
  unusable: "This link cannot be used",
  unusableText: "It was used before, or did not come from this bot. Nothing was connected.",
  newLink: "Use /connect in Discord for a new link.",
  rejected: "The answer does not match the request, or it came too late. Nothing was connected.",
  denied: "You did not allow the access, so nothing was connected.",
  changedMind: "If you change your mind, use /connect in Discord.",
  notAccepted: "The service did not accept the answer, perhaps because it took too long. Nothing was connected.",
  notSetUp: "The bot is not set up correctly at the service. Nothing was connected.",
  tellOperator: "Please tell the person who runs the bot.",
  notFinished: "The service could not finish the connection. Nothing was connected.",
  waitForNewLink: "Wait a minute, then use /connect in Discord for a new link.",
  internalError: "Something went wrong",
  internalErrorText: "The connection could not be finished. Use /connect in Discord and try again.",
  linkGone: "This link does not work any more",
  linkGoneText:
    "A download link expires after a while, or when its owner loses access. Check that you copied the whole link.",
  newDownload: "Use /artifacts download in the task's thread for a new one.",
  fileUnavailable: "The file cannot be fetched now",
  fileUnavailableText: "The task did not provide it. It may have been deleted there, or the service is not reachable.",
  report: (id: string) => `If it happens again, report this number: ${id}.`
}
