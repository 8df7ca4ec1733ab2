/** The credits of an account. */
export const credit = {
  title: "Your credits",
  balance: (left: string, used: string, total: string) => `**${left}** left · ${used} of ${total} used`,
  usedShare: (percent: number) => `${Math.round(percent)} % used`,
  lowWarning: "⚠️ A fifth or less is left. `/redeem code` and `/redeem voucher` add credits.",
  /** Sent once, in private, after a task has used that much. */
  hint: (gone: boolean) =>
    `⚠️ Your credits are ${gone ? "used up" : "running low: a fifth or less is left"}. \`/credit\` shows how they stand, \`/redeem code\` adds some.`
}
