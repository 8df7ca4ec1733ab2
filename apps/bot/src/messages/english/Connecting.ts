import { plain } from "../../text/Escape.ts"

/** Connecting an account, apart from the link's texts. */
export const connecting = {
  howTo: "When you have agreed there, the page shows a code. Come back, press **Enter the code** and type it.",
  enterCode: "Enter the code",
  codeLabel: "The code from the page",
  codeDescription: "8 letters and digits. Type only a code from a page that you opened yourself.",
  wrongCode: (left: number) =>
    `This is not the code from the page. Nothing was connected yet; you can try ${left === 1 ? "once" : `${left} times`} more.`,
  tooOften: "The code was wrong too often, so it was thrown away. Nothing was connected. `/connect` starts again.",
  noPendingCode:
    "No account waits for a code: the code was used or has expired, or the page was not reached yet. Nothing was connected. `/connect` gives a new link.",
  signInExpired: "The service did not accept the sign-in any more. Nothing was connected. `/connect` gives a new link.",
  /** The outcome on an answer that asked to connect, when it failed or was partial. */
  linkOutcomes: {
    over: "This is over, and nothing was connected. `/connect` starts again; a task that you wanted to start is kept.",
    /** The link of this answer failed; the answer has a button for a new one. */
    denied:
      "You chose not to allow it on the page, so nothing was changed. If you change your mind, the button gives you a new link; a task that you wanted to start is kept until then.",
    failed:
      "The sign-in on the page did not succeed, so nothing was changed. The button gives you a new link; a task that you wanted to start is kept until then.",
    offered:
      "You signed in to another account than the one that is connected here. Nothing was changed yet: another private message asks which one to keep.",
    kept: "Nothing was changed: the account that you had stays connected. Use your command again."
  },
  startsTasks: "`/task new` starts a task.",
  connectedAccount: (nickname: string) =>
    `The connected account is ${named(nickname)}. To use another one, use \`/disconnect\`, then \`/connect\`.`,
  worksAgain: "Waiting work continues by itself.",
  allowed: (what: ReadonlyArray<string>) => `This bot may now ${what.join(" and ")}. Use your command again.`,
  notAllowed: (what: ReadonlyArray<string>) =>
    `You have not allowed this bot to ${what.join(" and ")}; what you allowed before stays. A command that needs it asks again.`,
  allowButton: "Allow this",
  openPage: "Open the page",
  allowMore: (what: ReadonlyArray<string>) =>
    `**Allow one thing more.** The page asks you to let this bot ${what.join(" and ")}, besides what you have allowed before. The link is yours alone and works for 10 minutes, once.`,
  /** The start of a task lacks scopes. */
  scopesToStart: (what: ReadonlyArray<string>) =>
    `To run a task, the bot needs your permission to ${what.join(" and ")}. The task was not started, and nothing was charged. Your message is kept: allow it with the button, and the task starts by itself.`,
  /** A command lacks scopes. */
  missingScopes: (what: ReadonlyArray<string>) =>
    `To do this, the bot needs your permission to ${what.join(" and ")}. Allow it with the button, then use the command again.`
}

/** A different account than the connected one. */
export const replacing = {
  /** The nicknames of the accounts, if known. */
  question: (before: string | undefined, after: string | undefined) =>
    `**This is another account.** You signed in to ${after === undefined ? "an account whose name is not known" : named(after)}. The account that you have here until now${before === undefined ? "" : `, ${named(before)},`} would be replaced.`,
  choose: "Nothing was changed yet. You can choose for 15 minutes; after that everything stays as it is.",
  replace: "Replace the account",
  keepAccount: "Keep the one I had",
  replaced: (after: string | undefined) =>
    `✅ ${after === undefined ? "The account that you signed in to" : named(after)} is connected now. I have no access to the one before any more.`,
  kept: "Nothing was changed: the account that you had stays connected. I have no access to the other one.",
  over: "This question is over: it was answered before, or its time has passed. `/profile` shows which account is connected."
}

/** Disconnecting. */
export const disconnecting = {
  question: "**Disconnect your account?**",
  choose: "Nothing was changed yet.",
  disconnect: "Disconnect",
  stayConnected: "Stay connected",
  kept: "Nothing was changed: your account stays connected.",
  done: {
    confirmed: "Disconnected. The bot has forgotten its access to your account, and the service has ended it.",
    pending:
      "Disconnected. The bot does not use your account any more. The service has not confirmed this yet; I try again until it does. Until then it may list this bot among your connected apps, where you can remove it.",
    unconfirmed:
      "Disconnected. The bot has forgotten its access to your account. The service was not told: it may still list this bot among your connected apps, where you can remove it."
  },
  /** The outcome of running tasks, one sentence each. */
  work: (stopped: number, left: number) => [
    ...(stopped > 0 ? [stopped === 1 ? "One task was stopped." : `${stopped} tasks were stopped.`] : []),
    ...(left > 0
      ? [
          `${left === 1 ? "One task" : `${left} tasks`} could not be stopped in time: the work may go on in the cloud, where it is charged as usual. To stop it, connect the account again and use \`/task stop\`.`
        ]
      : [])
  ]
}

/** The work on the connected account, one line each. */
export const atWork = (counted: { readonly tasks: number; readonly shared: number; readonly redemptions: number }) => {
  const { redemptions, shared, tasks } = counted
  return [
    ...(tasks > 0
      ? [
          `⚠️ **${tasks === 1 ? "One of your tasks is" : `${tasks} of your tasks are`} at work**, or ${tasks === 1 ? "has" : "have"} messages waiting. I stop the work first, if the agent can be reached within a few seconds; otherwise it goes on in the cloud and is charged. I show and send it here only with the account that is connected now.`
        ]
      : []),
    ...(shared > 0
      ? [
          `⚠️ You let others use **${shared === 1 ? "one of your tasks" : `${shared} of your tasks`}**. They cannot use ${shared === 1 ? "it" : "them"} without the account that is connected now.`
        ]
      : []),
    ...(redemptions > 0
      ? [
          `⚠️ Whether **${redemptions === 1 ? "a code was" : `${redemptions} codes were`} redeemed** is not known yet, and I cannot find it out without the account that is connected now.`
        ]
      : [])
  ]
}

const named = (name: string): string => `**${plain(name)}**`
