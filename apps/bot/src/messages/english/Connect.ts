import { scopes } from "./Errors.ts"
import { usualScopes } from "../UsualScopes.ts"

/** The privacy notice of every connection. */
const usual = usualScopes(scopes)

/** Texts on connecting an account for a task. */
export const connect = {
  connectFirst: {
    text: [
      "**Connect your account first.** Tasks run on your own account.",
      `The page asks you to allow this bot to ${usual.join(", ")}. The link is yours alone and works for 10 minutes, once.`,
      "Your task is kept: when you are connected, it goes on by itself, on that account."
    ].join("\n"),
    /** `more`: the additionally requested scopes. */
    plainText: (more: ReadonlyArray<string>) =>
      [
        "**Connect your account.** Tasks run on your own account.",
        `The page asks you to allow this bot to ${[...usual, ...more].join(", ")}. The link is yours alone and works for 10 minutes, once.`
      ].join("\n"),
    buttonLabel: "Connect your account"
  },
  connectedStarting: "Your account is connected. Your earlier request continues now.",
  connected: "Your account is connected.",
  /** The request that waits for the connection. */
  waitingWorkResumes: "Your earlier request continues now; its own message shows the result.",
  alreadyConnected:
    "Your account is already connected; `/profile` shows which one it is. `/task new` starts a task. To connect another account, use `/disconnect` first.",
  connectAgain: (userId: string) =>
    `<@${userId}>, your account needs to be connected again: the service no longer accepts the old connection. Nothing is lost. After you connect, this goes on by itself.`,
  /** The owner has disconnected it themselves. */
  connectAfterDisconnecting: (userId: string) =>
    `<@${userId}>, you have disconnected the account on which this runs, so I show and send no more of it here. The messages above stay. When you have connected the same account again, this thread goes on by itself.`,
  connectAgainPrivate:
    "Your account needs to be connected again before your task can start. Your task is kept and starts by itself after you connect.",
  connectAgainToStart: (userId: string) =>
    `<@${userId}>, your account needs to be connected again before your task can start. Your task is kept. Use \`/connect\`.`,
  notConnected: "Your account is not connected. `/connect` does that."
}
