import { EncryptionKey } from "@heddle/oauth/EncryptionKey"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ReplyTo } from "../../discord/DiscordEvent.ts"
import { column } from "../database/Json.ts"
import * as ReplyToken from "../database/ReplyToken.ts"
import { RedemptionOutcome } from "../../model/RedemptionOutcome.ts"
import * as Table from "../database/Table.ts"

/** The input: a code, or a voucher's number and secret. */
export const RedemptionSecret = Schema.Union(
  Schema.TaggedStruct("Code", { code: Schema.Redacted(Schema.String) }),
  Schema.TaggedStruct("Voucher", { key: Schema.Redacted(Schema.String), code: Schema.Redacted(Schema.String) })
)
export type RedemptionSecret = typeof RedemptionSecret.Type

/** A person's redemption. */
export interface Redemption {
  /** The form's id, which is also the idempotency key at the service. */
  readonly idempotencyKey: string
  /** The command that opened the form; a form that is sent twice is one redemption. */
  readonly commandInteractionId: string
  /** The person. */
  readonly recipient: Pick<ReplyTo, "guildId" | "locale" | "userId">
  /** The token of the answer; undefined when it has expired. */
  readonly interactionToken: Redacted.Redacted | undefined
  /** The account of the redemption; undefined when the service does not return it. */
  readonly openId: string | undefined
  /** The number of requests to the service, counted before each one. */
  readonly attempts: number
  /** When the next request is due. */
  readonly nextRequestAt: number
  readonly outcome: RedemptionOutcome
  /** The outcome is final, and the secret is deleted. */
  readonly isFinal: boolean
  readonly outcomeReported: boolean
  readonly createdAt: number
}

/** The redemptions; each keeps its encrypted secret until its outcome is final. */
export class Redemptions extends Context.Tag("@heddle/bot/Redemptions")<
  Redemptions,
  {
    /** Stores a redemption before the first request. */
    readonly add: (
      row: Pick<
        Redemption,
        "commandInteractionId" | "createdAt" | "idempotencyKey" | "interactionToken" | "openId" | "recipient"
      >,
      secret: RedemptionSecret
    ) => Effect.Effect<void>
    readonly find: (idempotencyKey: string) => Effect.Effect<Option.Option<Redemption>>
    /** The finished redemptions of this form, and the open ones of the person. */
    readonly findRelated: (userId: string, commandInteractionId: string) => Effect.Effect<ReadonlyArray<Redemption>>
    /** The input; none after it was deleted. */
    readonly secret: (idempotencyKey: string) => Effect.Effect<Option.Option<RedemptionSecret>>
    /** Counts a request that is about to be made; returns the earlier number. */
    readonly countAttempt: (idempotencyKey: string) => Effect.Effect<number>
    readonly recordOutcome: (
      idempotencyKey: string,
      change: Pick<Redemption, "nextRequestAt" | "outcome" | "isFinal">
    ) => Effect.Effect<void>
    readonly markReported: (idempotencyKey: string) => Effect.Effect<void>
    /** Every redemption that needs a request or a message. */
    readonly unfinished: Effect.Effect<ReadonlyArray<Redemption>>
  }
>() {}

export const layer = Table.layerWith(Redemptions, EncryptionKey, (sql, encryptionKey) => {
  const read = (row: RedemptionRow) =>
    Effect.map(ReplyToken.open(encryptionKey, row.reply_token_enc, tokenContext(row.request_id)), (token) =>
      fromRow(row, token)
    )
  return Redemptions.of({
    add: Effect.fnUntraced(function* (
      { createdAt, commandInteractionId, openId, recipient, interactionToken, idempotencyKey },
      secret
    ) {
      const encryptedSecret = yield* encryptionKey.seal(
        Redacted.make(secretColumn.write(secret)),
        secretContext(idempotencyKey)
      )
      yield* sql`INSERT INTO redemptions ${sql.insert({
        request_id: idempotencyKey,
        form_id: commandInteractionId,
        user_id: recipient.userId,
        guild_id: recipient.guildId ?? null,
        locale: recipient.locale,
        reply_token_enc: yield* ReplyToken.seal(encryptionKey, interactionToken, tokenContext(idempotencyKey)),
        open_id: openId ?? null,
        secret_enc: encryptedSecret,
        attempts: 0,
        next_at: createdAt,
        outcome: outcomeColumn.write({ _tag: "Requested" }),
        settled: 0,
        told: 0,
        created_at: createdAt
      })} ON CONFLICT (request_id) DO NOTHING`
    }, Effect.orDie),
    find: (idempotencyKey) =>
      sql<RedemptionRow>`SELECT * FROM redemptions WHERE request_id = ${idempotencyKey}`.pipe(
        Effect.orDie,
        Effect.flatMap(([row]) => Effect.transposeMapOption(Option.fromNullable(row), read))
      ),
    findRelated: (userId, commandInteractionId) =>
      sql<RedemptionRow>`SELECT * FROM redemptions WHERE user_id = ${userId}
          AND (settled = 0 OR form_id = ${commandInteractionId}) ORDER BY created_at`.pipe(
        Effect.orDie,
        Effect.flatMap(Effect.forEach(read))
      ),
    secret: Effect.fnUntraced(function* (idempotencyKey) {
      const [row] = yield* sql<Pick<RedemptionRow, "secret_enc">>`SELECT secret_enc FROM redemptions
          WHERE request_id = ${idempotencyKey}`
      if (row === undefined || row.secret_enc === null) return Option.none()
      return Option.some(
        secretColumn.read(Redacted.value(yield* encryptionKey.open(row.secret_enc, secretContext(idempotencyKey))))
      )
    }, Effect.orDie),
    countAttempt: (idempotencyKey) =>
      sql<
        Pick<RedemptionRow, "attempts">
      >`UPDATE redemptions SET attempts = attempts + 1 WHERE request_id = ${idempotencyKey}
          RETURNING attempts`.pipe(
        Effect.orDie,
        Effect.map(([row]) => Number(row?.attempts ?? 1) - 1)
      ),
    recordOutcome: (idempotencyKey, { nextRequestAt, outcome, isFinal }) =>
      sql`UPDATE redemptions SET outcome = ${outcomeColumn.write(outcome)}, next_at = ${nextRequestAt},
          settled = ${isFinal ? 1 : 0}, secret_enc = ${isFinal ? sql`NULL` : sql`secret_enc`}
          WHERE request_id = ${idempotencyKey}`.pipe(Table.write),
    markReported: (idempotencyKey) =>
      sql`UPDATE redemptions SET told = 1, reply_token_enc = '' WHERE request_id = ${idempotencyKey}`.pipe(Table.write),
    unfinished: sql<RedemptionRow>`SELECT * FROM redemptions WHERE settled = 0 OR told = 0 ORDER BY created_at`.pipe(
      Effect.orDie,
      Effect.flatMap(Effect.forEach(read))
    )
  })
})

interface RedemptionRow {
  readonly request_id: string
  readonly form_id: string
  readonly user_id: string
  readonly guild_id: string | null
  readonly locale: string
  readonly reply_token_enc: string
  readonly open_id: string | null
  readonly secret_enc: string | null
  readonly attempts: number
  readonly next_at: number
  readonly outcome: string
  readonly settled: number
  readonly told: number
  readonly created_at: number
}

/** The column `request_id` has the form's id, `form_id` that of the command which opened the form. */
const fromRow = (row: RedemptionRow, interactionToken: Redacted.Redacted | undefined): Redemption => ({
  idempotencyKey: row.request_id,
  commandInteractionId: row.form_id,
  recipient: { guildId: row.guild_id ?? undefined, locale: row.locale, userId: row.user_id },
  interactionToken,
  openId: row.open_id ?? undefined,
  attempts: Number(row.attempts),
  nextRequestAt: Number(row.next_at),
  outcome: outcomeColumn.read(row.outcome),
  isFinal: Number(row.settled) === 1,
  outcomeReported: Number(row.told) === 1,
  createdAt: Number(row.created_at)
})

const outcomeColumn = column(RedemptionOutcome)
const secretColumn = column(RedemptionSecret)

/** The id binds a secret to its redemption. */
const secretContext = (idempotencyKey: string): string => `redemptions ${idempotencyKey}`

const tokenContext = (idempotencyKey: string): string => `redemptions reply ${idempotencyKey}`
