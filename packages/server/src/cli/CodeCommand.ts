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
      const codes = yield* (yield* RedemptionCodes).create(yield* BatchFlags.read(batch))
      for (const code of codes) yield* Output.print(json, { code: Redacted.value(code) })
      if (!json) yield* Output.note(BatchFlags.shownOnce)
    }).pipe(Effect.provide(Administration.layer(data)))
).pipe(Command.withDescription("Make redemption codes"))

/** `code create`: codes that users redeem for credits. */
export const command = Command.make("code").pipe(
  Command.withDescription("Issue redemption codes"),
  Command.withSubcommands([create])
)
