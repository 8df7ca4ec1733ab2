import { plain } from "../../view/Fit.ts"

/** Redeeming codes and vouchers. */
export const redeem = {
  codeTitle: "Redeem a code",
  voucherTitle: "Redeem a voucher",
  code: "Redemption code",
  voucherKey: "Card number",
  voucherCode: "Card secret",
  /** Forms cannot hide what is typed. */
  onlyYou: "Only you see this. It is sent to the service and shown nowhere.",
  redeemed: (credits: string, flowNo: string) =>
    `✅ **${credits} credits** were added to your account. Flow number: \`${plain(flowNo)}\`. \`/credit\` shows your credits.`,
  refused:
    "❌ The service does not take this: it is unknown, used up or expired. That is final, and nothing was redeemed. If you mistyped it, use the command again.",
  refusedLate:
    "❌ The service does not take this any more: it is unknown, used up or expired. That is final. An earlier try may have redeemed it: `/credit` shows your credits.",
  untold:
    "The service has handled this redemption, but does not tell its result. It is not sent again. `/credit` shows whether the credits have arrived.",
  unknown:
    "⏳ It is not known yet whether this was redeemed: the service did not answer clearly. I check again by myself, and it is redeemed at most once. Do not enter it again; you are told here or in a direct message.",
  pending: (flowNo: string) =>
    `⏳ The service has taken it, but the credits are not there yet. Flow number: \`${plain(flowNo)}\`. I check again by myself and tell you.`,
  givenUp:
    "It stayed unknown for a day whether this was redeemed, so I do not check any more. Nothing more is sent. `/credit` shows whether the credits have arrived; if not, ask the service's support.",
  misfit: {
    code: "A redemption code has 1 to 64 characters. Nothing was sent. Look at it, and use the command again.",
    giftKey: "A card number has 6 to 64 characters. Nothing was sent. Look at it, and use the command again.",
    giftCode: "A card secret has 8 to 64 characters. Nothing was sent. Look at it, and use the command again."
  }
}

/** The person's profile and phone number. */
export const profile = {
  title: "Your account",
  nickname: (name: string) => `Nickname: **${plain(name)}**`,
  unnamed: "Your account has no nickname.",
  phoneTitle: "Check your phone number",
  phone: "Phone number",
  phoneHint: "With country code unless it is of mainland China, such as +852 9123 4567. It is not kept.",
  matched: "✅ This is the phone number of your account.",
  unmatched: "❌ This is not the phone number of your account, or the account has none. Nothing was changed."
}
