import { lengthLimits } from "@heddle/core/domain/Redemption"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Redeeming } from "../../account/Redeeming.ts"
import * as RedemptionOutcome from "../../account/RedemptionOutcome.ts"
import type { Accounts } from "../../access/Accounts.ts"
import type { Messages } from "../../messages/Messages.ts"
import type { Field, Modal } from "../../model/Post.ts"
import { type CommandHandler, type Component, ownAccount } from "../Command.ts"
import { obstacle } from "./WithAccount.ts"

/** `/redeem code`: a form for a redemption code. */
export const RedeemCode = redeemForm("code", (messages) => ({
  title: messages.redeem.codeTitle,
  fields: [field("code", messages.redeem.code, messages)]
}))

/** `/redeem voucher`: a form for a card's number and secret. */
export const RedeemVoucher = redeemForm("voucher", (messages) => {
  const { voucherCode, voucherKey, voucherTitle: title } = messages.redeem
  return { title, fields: [field("giftKey", voucherKey, messages), field("giftCode", voucherCode, messages)] }
})

/** The sent form: shows the outcome once it is known. A repeated form shows the same outcome. */
export const RedeemTyped: Component<Redeeming> = {
  id: /^r1:(code|voucher):\d+$/,
  answers: "privately",
  action: ownAccount,
  handle: Effect.fn("Redeem.submit")(function* ({ customId, fields, reply }, messages) {
    const [, kind, formId = ""] = customId.split(":")
    const typed = (name: string) => Redacted.make((fields[name] ?? "").trim())
    const known = yield* (yield* Redeeming).redeem(
      { formId, reply },
      kind === "code"
        ? { _tag: "Code", code: typed("code") }
        : { _tag: "Voucher", key: typed("giftKey"), code: typed("giftCode") }
    )
    return Option.map(known, (outcome) => RedemptionOutcome.body(outcome, messages))
  })
}

/** A command that opens a redemption form. */
function redeemForm(
  kind: "code" | "voucher",
  form: (messages: Messages) => Pick<Modal, "fields" | "title">
): CommandHandler<Accounts> {
  return {
    path: `redeem ${kind}`,
    describe: ({ commands }) => ({ ...commands[kind === "code" ? "redeemCode" : "redeemVoucher"], options: [] }),
    answers: "withForm",
    action: ownAccount,
    handle: Effect.fn("Redeem.open")(function* ({ reply }, messages) {
      const obstructed = yield* obstacle(reply, messages, ["user.credit.exchange"])
      return obstructed ?? { customId: `r1:${kind}:${reply.id}`, ...form(messages) }
    })
  }
}

const field = (id: "code" | "giftCode" | "giftKey", label: string, { redeem }: Messages): Field => ({
  id,
  label,
  description: redeem.onlyYou,
  value: "",
  required: true,
  minLength: lengthLimits[id][0],
  // Room for spaces from copying.
  maxLength: lengthLimits[id][1] + 16,
  isMultiline: false
})
