import { plain } from "../../text/Escape.ts"
import type { ErrorOverrides } from "../UserError.ts"

/** Redeeming codes and vouchers. */
export const redeem = {
  codeTitle: "Redeem a code",
  voucherTitle: "Redeem a voucher",
  code: "Redemption code",
  cardNumber: "Card number",
  cardSecret: "Card secret",
  /** Forms cannot hide what is typed. */
  secretHint: "Enter it exactly as you received it. It goes to the service and is shown to no one else.",
  redeemed: (credits: string, flowNo: string) =>
    `✅ **${credits} credits** were added to your account. Reference: \`${plain(flowNo)}\`, in case you contact support. \`/credit\` shows your credits.`,
  refused:
    "❌ The service does not take this: it is unknown, used up or expired. Nothing was redeemed, and entering it again does not help. If you mistyped it, use the command again with the right one.",
  refusedAfterTry:
    "❌ The service does not take this any more: it is unknown, used up or expired. An earlier try may have redeemed it: `/credit` shows whether the credits have arrived. Entering it again does not help.",
  handledWithoutResult:
    "The service has handled this redemption, but does not tell its result. It is not sent again. `/credit` shows whether the credits have arrived; if not, ask the service's support.",
  unknown:
    "⏳ It is not known yet whether this was redeemed: the service did not answer clearly. I check again by myself, and it is redeemed at most once. You need not do anything: I tell you here or in a direct message.",
  pending: (flowNo: string) =>
    `⏳ The service has taken it, but the credits are not there yet. Reference: \`${plain(flowNo)}\`, in case you contact support. I check again by myself and tell you.`,
  /** The service reports only when more is allowed. */
  needsScopes: (what: ReadonlyArray<string>) =>
    `⏳ It is not known yet whether this was redeemed, and the service only tells when you let this bot ${what.join(" and ")}. Allow it with the button, or with the one that \`/redeem code\` then shows. After that I ask again by myself; it is redeemed at most once.`,
  needsAccount:
    "⏳ I do not know yet whether this was redeemed, and I cannot check, because your account is not connected. Connect the same account again with the button or `/connect`. After that I ask again by myself; it is redeemed at most once.",
  givenUp:
    "For a day I could not find out whether this was redeemed, so I have stopped checking. `/credit` shows whether the credits have arrived; if not, ask the service's support.",
  otherAccount:
    "Nothing was redeemed. You have connected another account since you typed this. To redeem it on the connected account, use the command again; `/profile` shows that account.",
  otherAccountUnclear:
    "On the account that is connected now nothing was redeemed. You typed this for the one that was connected then, and whether it was redeemed there is not known. I do not ask any more: `/credit` shows it when that account is connected again.",
  /** Replacements for refusals that do not concern the code. */
  failed: {
    changed: "Nothing was redeemed, and what you typed was not used up.",
    next: {
      InvalidRequest: "Check what you typed, then use the command again.",
      Unsupported: "Check what you typed, then use the command again.",
      UnexpectedStatus: "Check what you typed, then use the command again.",
      AccessDenied: "Ask the service's support whether your account may redeem codes.",
      InvalidGrant: "Use `/connect`, then the command again.",
      Reauthorize: "Use `/connect`, then the command again.",
      InvalidToken: "Use `/connect`, then the command again.",
      InsufficientScope: "Allow it with the button, then use the command again."
    }
  } satisfies ErrorOverrides,
  invalidInput: {
    code: "A redemption code has 1 to 64 characters. Nothing was sent. Check it, then use the command again.",
    giftKey: "A card number has 6 to 64 characters. Nothing was sent. Check it, then use the command again.",
    giftCode: "A card secret has 8 to 64 characters. Nothing was sent. Check it, then use the command again."
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
  unmatched: "❌ This is not the phone number of your account, or the account has none."
}
