import * as Options from "@effect/cli/Options"
import * as Setting from "@heddle/command-line/Setting"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Batch } from "../redemptions/RedemptionCodes.ts"
import { Failure } from "./Failure.ts"

/** The flags that codes and vouchers are made with. */
export const all = Options.all({
  credits: Setting.integer("credits", "What one redemption gives"),
  count: Setting.integer("count", "How many to make; 1 when left out"),
  uses: Setting.integer("uses", "By how many users each can be redeemed; 1 when left out"),
  expiresIn: Setting.integer("expires-in", "Days until they cannot be redeemed any more; never when left out")
})

/** Reads the flags as a batch. */
export const read = (given: {
  readonly [K in "credits" | "count" | "uses" | "expiresIn"]: Option.Option<number>
}): Effect.Effect<Batch, Failure> =>
  Effect.gen(function* () {
    if (Option.isNone(given.credits)) {
      return yield* new Failure({ message: "--credits is missing: how many credits does one redemption give?" })
    }
    const { count, expiresIn, uses } = given
    return {
      credits: given.credits.value,
      ...Setting.definedOnly({ count, uses, expiresIn: Option.map(expiresIn, Duration.days) })
    }
  })

/** The note beside the result, because only hashes are stored. */
export const shownOnce = "The secrets are shown this once. Keep them safe."
