import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { RedemptionCodes } from "../redemptions/RedemptionCodes.ts"
import * as BatchFlags from "./BatchFlags.ts"
import * as DataCommand from "./DataCommand.ts"

const create = DataCommand.make(
  "create",
  "Make redemption codes",
  { batch: BatchFlags.all },
  Effect.fnUntraced(function* ({ batch }, output) {
    const codes = yield* (yield* RedemptionCodes).create(yield* BatchFlags.read(batch))
    for (const code of codes) yield* output.print({ code: Redacted.value(code) })
    yield* output.hint(BatchFlags.shownOnce)
  })
)

/** `code create`: codes that users redeem for credits. */
export const command = Command.make("code").pipe(
  Command.withDescription("Issue redemption codes"),
  Command.withSubcommands([create])
)
