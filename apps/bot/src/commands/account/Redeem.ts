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
import { accountProblem } from "./RequireScopes.ts"

/** The prefix of the modals' custom ids: `r1:<code|voucher>:<interaction id of the command>`. */
const modalPrefix = "r1"

/** `/redeem code`: a form for a redemption code. */
export const RedeemCode = redeemCommand("code", (messages) => ({
  title: messages.redeem.codeTitle,
  fields: [field("code", messages.redeem.code, messages)]
}))

/** `/redeem voucher`: a form for a card's number and secret. */
export const RedeemVoucher = redeemCommand("voucher", (messages) => {
  const { cardSecret, cardNumber, voucherTitle: title } = messages.redeem
  return { title, fields: [field("giftKey", cardNumber, messages), field("giftCode", cardSecret, messages)] }
})

/** The sent form: shows the outcome once it is known. A repeated form shows the same outcome. */
export const RedeemSubmit: Component<Redeeming> = {
  id: new RegExp(`^${modalPrefix}:(code|voucher):\\d+$`),
  answers: "privately",
  action: ownAccount,
  handle: Effect.fn("Redeem.submit")(function* ({ customId, fields, reply }, messages) {
    const [, kind, commandInteractionId = ""] = customId.split(":")
    const secretField = (name: string) => Redacted.make((fields[name] ?? "").trim())
    const existing = yield* (yield* Redeeming).redeem(
      { commandInteractionId, reply },
      kind === "code"
        ? { _tag: "Code", code: secretField("code") }
        : { _tag: "Voucher", key: secretField("giftKey"), code: secretField("giftCode") }
    )
    return Option.map(existing, (outcome) => RedemptionOutcome.body(outcome, messages))
  })
}

/** A command that opens a redemption form. */
function redeemCommand(
  kind: "code" | "voucher",
  makeModal: (messages: Messages) => Pick<Modal, "fields" | "title">
): CommandHandler<Accounts> {
  return {
    path: `redeem ${kind}`,
    describe: ({ commands }) => ({ ...commands[kind === "code" ? "redeemCode" : "redeemVoucher"], options: [] }),
    answers: "withForm",
    action: ownAccount,
    handle: Effect.fn("Redeem.open")(function* ({ reply }, messages) {
      const problem = yield* accountProblem(reply, messages, ["user.credit.exchange"])
      return problem ?? { customId: `${modalPrefix}:${kind}:${reply.id}`, ...makeModal(messages) }
    })
  }
}

const field = (id: "code" | "giftCode" | "giftKey", label: string, { redeem }: Messages): Field => ({
  id,
  label,
  description: redeem.secretHint,
  value: "",
  required: true,
  minLength: lengthLimits[id][0],
  // Room for spaces from copying.
  maxLength: lengthLimits[id][1] + 16,
  isMultiline: false
})
