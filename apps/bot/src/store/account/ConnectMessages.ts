import { EncryptionKey } from "@heddle/oauth/EncryptionKey"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as ReplyToken from "../database/ReplyToken.ts"
import * as Table from "../database/Table.ts"

/** A private answer that asks its person to connect an account or to grant more. */
export interface ConnectMessage {
  readonly interactionId: string
  readonly userId: string
  readonly guildId: string | undefined
  readonly locale: string
  /** The message with the question; the answer itself by default. */
  readonly messageId: string | undefined
  /** The offer of another account in the question. */
  readonly offerId: string | undefined
  readonly replyToken: Redacted.Redacted
}

/** The connect messages of all people; only those with a valid reply token are returned. */
export class ConnectMessageRows extends Context.Tag("@heddle/bot/ConnectMessageRows")<
  ConnectMessageRows,
  {
    readonly add: (message: ConnectMessage) => Effect.Effect<void>
    readonly find: (interactionId: string) => Effect.Effect<ReadonlyArray<ConnectMessage>>
    readonly ofPerson: (userId: string) => Effect.Effect<ReadonlyArray<ConnectMessage>>
    /** Removes and returns them; with `includesOffers` also messages about an offer. */
    readonly take: (
      userId: string,
      options: { readonly includesOffers: boolean }
    ) => Effect.Effect<ReadonlyArray<ConnectMessage>>
  }
>() {}

export const layer = Table.layerWith(ConnectMessageRows, EncryptionKey, (sql, key) => {
  const usable = Effect.fnUntraced(function* (rows: ReadonlyArray<Row>) {
    const since = (yield* Clock.currentTimeMillis) - ReplyToken.life
    const connectMessages = yield* Effect.forEach(
      rows.filter((row) => Number(row.created_at) > since),
      (row) =>
        Effect.map(ReplyToken.open(key, row.reply_token_enc, placeOf(row.card_id)), (token) =>
          token === undefined ? [] : [fromRow(row, token)]
        )
    )
    return connectMessages.flat()
  })
  return ConnectMessageRows.of({
    add: Effect.fn("ConnectMessages.add")(function* (message) {
      yield* sql`INSERT INTO open_cards ${sql.insert({
        card_id: message.interactionId,
        message_id: message.messageId ?? null,
        offer_id: message.offerId ?? null,
        user_id: message.userId,
        guild_id: message.guildId ?? null,
        locale: message.locale,
        reply_token_enc: yield* ReplyToken.seal(key, message.replyToken, placeOf(message.interactionId)),
        created_at: yield* Clock.currentTimeMillis
      })} ON CONFLICT (card_id) DO UPDATE SET message_id = excluded.message_id, offer_id = excluded.offer_id,
          reply_token_enc = excluded.reply_token_enc, created_at = excluded.created_at`
    }, Effect.orDie),
    find: (interactionId) =>
      sql<Row>`SELECT * FROM open_cards WHERE card_id = ${interactionId}`.pipe(Effect.orDie, Effect.flatMap(usable)),
    ofPerson: (userId) =>
      sql<Row>`SELECT * FROM open_cards WHERE user_id = ${userId}`.pipe(Effect.orDie, Effect.flatMap(usable)),
    take: (userId, { includesOffers }) =>
      (includesOffers
        ? sql<Row>`DELETE FROM open_cards WHERE user_id = ${userId} RETURNING *`
        : sql<Row>`DELETE FROM open_cards WHERE user_id = ${userId} AND offer_id IS NULL RETURNING *`
      ).pipe(Effect.orDie, Effect.flatMap(usable))
  })
})

interface Row {
  readonly card_id: string
  readonly user_id: string
  readonly message_id: string | null
  readonly offer_id: string | null
  readonly guild_id: string | null
  readonly locale: string
  readonly reply_token_enc: string
  readonly created_at: number
}

const fromRow = (row: Row, replyToken: Redacted.Redacted): ConnectMessage => ({
  interactionId: row.card_id,
  userId: row.user_id,
  guildId: row.guild_id ?? undefined,
  locale: row.locale,
  messageId: row.message_id ?? undefined,
  offerId: row.offer_id ?? undefined,
  replyToken
})

const placeOf = (interactionId: string): string => `open_cards ${interactionId}`
