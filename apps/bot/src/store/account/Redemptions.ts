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
export interface RedemptionRow {
  /** The form's id, which is also the idempotency key at the service. */
  readonly requestId: string
  /** The command that opened the form; a form that is sent twice is one redemption. */
  readonly formId: string
  /** The person. */
  readonly reply: Pick<ReplyTo, "guildId" | "locale" | "userId">
  /** The token of the answer; undefined when it has expired. */
  readonly replyToken: Redacted.Redacted | undefined
  /** The account of the redemption; undefined when the service does not return it. */
  readonly openId: string | undefined
  /** The number of requests to the service, counted before each one. */
  readonly attempts: number
  /** When the next request is due. */
  readonly nextAt: number
  readonly outcome: RedemptionOutcome
  /** The outcome is final, and the secret is deleted. */
  readonly settled: boolean
  readonly told: boolean
  readonly createdAt: number
}

/** The redemptions; each keeps its encrypted secret until its outcome is final. */
export class Redemptions extends Context.Tag("@heddle/bot/Redemptions")<
  Redemptions,
  {
    /** Stores a redemption before the first request. */
    readonly add: (
      row: Pick<RedemptionRow, "createdAt" | "formId" | "openId" | "reply" | "replyToken" | "requestId">,
      secret: RedemptionSecret
    ) => Effect.Effect<void>
    readonly find: (requestId: string) => Effect.Effect<Option.Option<RedemptionRow>>
    /** The finished redemptions of this form, and the open ones of the person. */
    readonly related: (userId: string, formId: string) => Effect.Effect<ReadonlyArray<RedemptionRow>>
    /** The input; none after it was deleted. */
    readonly secret: (requestId: string) => Effect.Effect<Option.Option<RedemptionSecret>>
    /** Counts a request that is about to be made; returns the earlier number. */
    readonly attempt: (requestId: string) => Effect.Effect<number>
    readonly note: (
      requestId: string,
      known: Pick<RedemptionRow, "nextAt" | "outcome" | "settled">
    ) => Effect.Effect<void>
    readonly told: (requestId: string) => Effect.Effect<void>
    /** Every redemption that needs a request or a message. */
    readonly unfinished: Effect.Effect<ReadonlyArray<RedemptionRow>>
  }
>() {}

export const layer = Table.layerWith(Redemptions, EncryptionKey, (sql, key) => {
  const read = (row: Row) =>
    Effect.map(ReplyToken.open(key, row.reply_token_enc, replyPlaceOf(row.request_id)), (token) => fromRow(row, token))
  return Redemptions.of({
    add: Effect.fnUntraced(function* ({ createdAt, formId, openId, reply, replyToken, requestId }, secret) {
      const sealed = yield* key.seal(Redacted.make(secretColumn.write(secret)), placeOf(requestId))
      yield* sql`INSERT INTO redemptions ${sql.insert({
        request_id: requestId,
        form_id: formId,
        user_id: reply.userId,
        guild_id: reply.guildId ?? null,
        locale: reply.locale,
        reply_token_enc: yield* ReplyToken.seal(key, replyToken, replyPlaceOf(requestId)),
        open_id: openId ?? null,
        secret_enc: sealed,
        attempts: 0,
        next_at: createdAt,
        outcome: outcomeColumn.write({ _tag: "Asked" }),
        settled: 0,
        told: 0,
        created_at: createdAt
      })} ON CONFLICT (request_id) DO NOTHING`
    }, Effect.orDie),
    find: (requestId) =>
      sql<Row>`SELECT * FROM redemptions WHERE request_id = ${requestId}`.pipe(
        Effect.orDie,
        Effect.flatMap(([row]) => Effect.transposeMapOption(Option.fromNullable(row), read))
      ),
    related: (userId, formId) =>
      sql<Row>`SELECT * FROM redemptions WHERE user_id = ${userId} AND (settled = 0 OR form_id = ${formId})
          ORDER BY created_at`.pipe(Effect.orDie, Effect.flatMap(Effect.forEach(read))),
    secret: Effect.fnUntraced(function* (requestId) {
      const [row] = yield* sql<Pick<Row, "secret_enc">>`SELECT secret_enc FROM redemptions
          WHERE request_id = ${requestId}`
      if (row === undefined || row.secret_enc === null) return Option.none()
      return Option.some(secretColumn.read(Redacted.value(yield* key.open(row.secret_enc, placeOf(requestId)))))
    }, Effect.orDie),
    attempt: (requestId) =>
      sql<Pick<Row, "attempts">>`UPDATE redemptions SET attempts = attempts + 1 WHERE request_id = ${requestId}
          RETURNING attempts`.pipe(
        Effect.orDie,
        Effect.map(([row]) => Number(row?.attempts ?? 1) - 1)
      ),
    note: (requestId, { nextAt, outcome, settled }) =>
      sql`UPDATE redemptions SET outcome = ${outcomeColumn.write(outcome)}, next_at = ${nextAt},
          settled = ${settled ? 1 : 0}, secret_enc = ${settled ? sql`NULL` : sql`secret_enc`}
          WHERE request_id = ${requestId}`.pipe(Table.write),
    told: (requestId) =>
      sql`UPDATE redemptions SET told = 1, reply_token_enc = '' WHERE request_id = ${requestId}`.pipe(Table.write),
    unfinished: sql<Row>`SELECT * FROM redemptions WHERE settled = 0 OR told = 0 ORDER BY created_at`.pipe(
      Effect.orDie,
      Effect.flatMap(Effect.forEach(read))
    )
  })
})

interface Row {
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

const fromRow = (row: Row, replyToken: Redacted.Redacted | undefined): RedemptionRow => ({
  requestId: row.request_id,
  formId: row.form_id,
  reply: { guildId: row.guild_id ?? undefined, locale: row.locale, userId: row.user_id },
  replyToken,
  openId: row.open_id ?? undefined,
  attempts: Number(row.attempts),
  nextAt: Number(row.next_at),
  outcome: outcomeColumn.read(row.outcome),
  settled: row.settled === 1,
  told: row.told === 1,
  createdAt: Number(row.created_at)
})

const outcomeColumn = column(RedemptionOutcome)
const secretColumn = column(RedemptionSecret)

/** The id binds a secret to its redemption. */
const placeOf = (requestId: string): string => `redemptions ${requestId}`

const replyPlaceOf = (requestId: string): string => `redemptions reply ${requestId}`
