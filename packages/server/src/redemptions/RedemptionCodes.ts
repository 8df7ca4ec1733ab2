import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as CodeHash from "./CodeHash.ts"
import * as ReadableCode from "./ReadableCode.ts"

/** No code was issued: `message` says what to correct. */
export class InvalidBatch extends Schema.TaggedError<InvalidBatch>()("InvalidBatch", { message: Schema.String }) {}

/** Codes or vouchers to make. */
export interface Batch {
  /** The credits of one redemption. */
  readonly credits: number
  /** How many to make; 1 by default. */
  readonly count?: number
  /** The number of users who can redeem each, once per user; 1 by default. */
  readonly uses?: number
  /** How long they can be redeemed; without limit by default. */
  readonly expiresIn?: Duration.DurationInput
}

/** Number and secret of a voucher. */
export interface Voucher {
  readonly giftKey: Redacted.Redacted
  readonly giftCode: Redacted.Redacted
}

/** Issues codes and vouchers. The codes are stored as hashes, so they can be read only when they are issued. */
export class RedemptionCodes extends Context.Tag("@heddle/server/redemptions/RedemptionCodes")<
  RedemptionCodes,
  {
    /** Makes codes, all or none. */
    readonly create: (batch: Batch) => Effect.Effect<ReadonlyArray<Redacted.Redacted>, InvalidBatch>
    /** Makes vouchers, all or none. */
    readonly createVouchers: (batch: Batch) => Effect.Effect<ReadonlyArray<Voucher>, InvalidBatch>
  }
>() {}

export const layer: Layer.Layer<RedemptionCodes, never, SqlClient.SqlClient> = Layer.effect(
  RedemptionCodes,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const issue = <A extends CodeHash.PresentedCode>(batch: Batch, generate: () => A) =>
      Effect.gen(function* () {
        const { count, credits, expiresIn, uses } = yield* validate(batch)
        const now = yield* Clock.currentTimeMillis
        const expiresAt = expiresIn === undefined ? null : now + Duration.toMillis(expiresIn)
        const codes = Array.from({ length: count }, generate)
        const insert = Effect.forEach(
          codes,
          (code) => {
            const { codeHash, keyHash } = CodeHash.of(code, "sensitive")
            return sql`INSERT INTO redemption_codes (code_hash, key_hash, credits, uses, remaining, expires_at, created_at)
              VALUES (${codeHash}, ${keyHash}, ${credits}, ${uses}, ${uses}, ${expiresAt}, ${now})`
          },
          { discard: true }
        )
        yield* insert.pipe(sql.withTransaction, Effect.orDie)
        return codes
      })

    return {
      create: Effect.fn("RedemptionCodes.create")((batch) =>
        Effect.map(
          issue(batch, () => ({ code: generate(4) })),
          (codes) => codes.map(({ code }) => code)
        )
      ),
      createVouchers: Effect.fn("RedemptionCodes.createVouchers")((batch) =>
        issue(batch, () => ({ giftKey: generate(4), giftCode: generate(4) }))
      )
    }
  })
)

// Four groups hold 100 random bits, which need no slow hash.
const generate = (groups: number): Redacted.Redacted => Redacted.make(ReadableCode.generate(groups))

const validate = (batch: Batch) => {
  const { count = 1, credits, uses = 1 } = batch
  const expiresIn = batch.expiresIn === undefined ? undefined : Duration.decode(batch.expiresIn)
  const problem =
    rangeProblem("credits", credits, 1_000_000_000) ??
    rangeProblem("count", count, 10_000) ??
    rangeProblem("uses", uses, 1_000_000_000)
  if (problem !== undefined) return Effect.fail(new InvalidBatch({ message: problem }))
  if (expiresIn !== undefined && !(Duration.toMillis(expiresIn) > 0 && Duration.toDays(expiresIn) <= 36_500)) {
    return Effect.fail(
      new InvalidBatch({ message: "The time until they expire must be more than none and at most 100 years." })
    )
  }
  return Effect.succeed({ count, credits, uses, expiresIn })
}

const rangeProblem = (name: string, value: number, max: number): string | undefined =>
  Number.isSafeInteger(value) && value >= 1 && value <= max
    ? undefined
    : `The ${name} must be a whole number from 1 to ${max}.`
