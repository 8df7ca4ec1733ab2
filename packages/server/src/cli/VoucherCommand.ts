import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { RedemptionCodes } from "../redemptions/RedemptionCodes.ts"
import * as BatchFlags from "./BatchFlags.ts"
import * as DataCommand from "./DataCommand.ts"

const create = DataCommand.make(
  "create",
  "Make vouchers: a card number, gift_key, with its secret, gift_code",
  { batch: BatchFlags.all },
  Effect.fnUntraced(function* ({ batch }, output) {
    const vouchers = yield* (yield* RedemptionCodes).createVouchers(yield* BatchFlags.read(batch))
    const print = vouchers.length > 1 ? output.printItem : output.print
    for (const { giftCode, giftKey } of vouchers) {
      yield* print({ gift_key: Redacted.value(giftKey), gift_code: Redacted.value(giftCode) })
    }
    yield* output.hint(BatchFlags.shownOnce)
  })
)

/** `voucher create`: cards that users redeem for credits. */
export const command = Command.make("voucher").pipe(
  Command.withDescription("Issue vouchers"),
  Command.withSubcommands([create])
)
