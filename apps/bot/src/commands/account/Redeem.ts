import { bounds } from "@heddle/core/domain/Redemption"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Redeeming } from "../../account/Redeeming.ts"
import * as RedemptionOutcome from "../../account/RedemptionOutcome.ts"
import type { Accounts } from "../../access/Accounts.ts"
import type { Messages } from "../../messages/Messages.ts"
import type { Field } from "../../model/Post.ts"
import type { Command, Component } from "../Command.ts"
import { obstacle } from "./WithAccount.ts"

/** `/redeem code`: a form for a redemption code. */
export const RedeemCode: Command<Accounts> = {
  path: "redeem code",
  describe: ({ commands }) => ({ ...commands.redeemCode, options: [] }),
  answers: "withForm",
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: Effect.fn("RedeemCode.handle")(function* ({ reply }, messages) {
    const { redeem } = messages
    return (
      (yield* obstacle(reply, messages, ["user.credit.exchange"])) ?? {
        customId: `r1:code:${reply.id}`,
        title: redeem.codeTitle,
        fields: [field("code", redeem.code, messages)]
      }
    )
  })
}

/** `/redeem voucher`: a form for a card's number and secret. */
export const RedeemVoucher: Command<Accounts> = {
  path: "redeem voucher",
  describe: ({ commands }) => ({ ...commands.redeemVoucher, options: [] }),
  answers: "withForm",
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: Effect.fn("RedeemVoucher.handle")(function* ({ reply }, messages) {
    const { redeem } = messages
    return (
      (yield* obstacle(reply, messages, ["user.credit.exchange"])) ?? {
        customId: `r1:voucher:${reply.id}`,
        title: redeem.voucherTitle,
        fields: [field("giftKey", redeem.voucherKey, messages), field("giftCode", redeem.voucherCode, messages)]
      }
    )
  })
}

/** The sent form: shows the outcome once it is known. A repeated form shows the same outcome. */
export const RedeemTyped: Component<Redeeming> = {
  id: /^r1:(code|voucher):\d+$/,
  answers: "privately",
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: Effect.fn("RedeemTyped.handle")(function* ({ customId, fields, reply }, messages) {
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

const field = (id: "code" | "giftCode" | "giftKey", label: string, { redeem }: Messages): Field => ({
  id,
  label,
  description: redeem.onlyYou,
  value: "",
  required: true,
  atLeast: bounds[id][0],
  // Room for spaces from copying.
  atMost: bounds[id][1] + 16,
  long: false
})
