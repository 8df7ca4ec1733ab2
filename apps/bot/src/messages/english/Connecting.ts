/** Connecting an account, besides the words of the link. */
export const connecting = {
  howTo: "When you have agreed there, the page shows a code. Come back, press **Enter the code** and type it.",
  enterCode: "Enter the code",
  codeLabel: "The code of the page",
  codeDescription: "8 letters and digits. Type only a code from a page that you opened yourself.",
  wrong: (left: number) =>
    `This is not the code of the page. Nothing was connected yet; you can try ${left === 1 ? "once" : `${left} times`} more.`,
  tooOften: "The code was wrong too often, so it was thrown away. Nothing was connected. `/connect` starts again.",
  none: "No account waits for a code: it was used, its time is over, or the page was not reached yet. Nothing was changed. `/connect` gives a new link.",
  tooLate: "The service did not accept the sign-in any more. Nothing was connected. `/connect` gives a new link.",
  allow: "Allow this",
  allowMore: (what: ReadonlyArray<string>) =>
    `**Allow one thing more.** The page asks you to let this bot ${what.join(" and ")}, besides what you have allowed before. The link is yours alone and works for 10 minutes, once.`,
  /** A command cannot do its work without more access. */
  lacks: (what: ReadonlyArray<string>) =>
    `You have not allowed this bot to ${what.join(" and ")} yet. Nothing was changed. Allow it with the button, then use the command again.`
}
