import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Administration from "../Administration.ts"
import { RedemptionCodes } from "../redemptions/RedemptionCodes.ts"
import * as BatchFlags from "./BatchFlags.ts"
import * as Output from "./Output.ts"
import * as Setting from "./Setting.ts"

const create = Command.make(
  "create",
  { batch: BatchFlags.all, data: Setting.dataDir, json: Setting.json },
  ({ batch, data, json }) =>
    Effect.gen(function* () {
      const vouchers = yield* (yield* RedemptionCodes).createVouchers(yield* BatchFlags.read(batch))
      for (const { giftCode, giftKey } of vouchers) {
        yield* Output.print(json, { gift_key: Redacted.value(giftKey), gift_code: Redacted.value(giftCode) })
        if (!json && vouchers.length > 1) yield* Output.blankLine
      }
      if (!json) yield* Output.note(BatchFlags.shownOnce)
    }).pipe(Effect.provide(Administration.layer(data)))
).pipe(Command.withDescription("Make vouchers: a card number, gift_key, with its secret, gift_code"))

/** `voucher create`: cards that users redeem for credits. */
export const command = Command.make("voucher").pipe(
  Command.withDescription("Issue vouchers"),
  Command.withSubcommands([create])
)
