import { EncryptionKey } from "@heddle/oauth/EncryptionKey"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as ReplyToken from "../database/ReplyToken.ts"
import * as Table from "../database/Table.ts"

/** A private answer that asks its person to connect an account or to grant more. */
export interface OpenCard {
  readonly cardId: string
  readonly userId: string
  readonly guildId: string | undefined
  readonly locale: string
  /** The message with the question; the answer itself by default. */
  readonly messageId: string | undefined
  /** The offer of another account in the question. */
  readonly offerId: string | undefined
  readonly replyToken: Redacted.Redacted
}

/** The open cards of all people; only those with a valid reply token are returned. */
export class OpenCardRows extends Context.Tag("@heddle/bot/OpenCardRows")<
  OpenCardRows,
  {
    readonly add: (card: OpenCard) => Effect.Effect<void>
    readonly find: (cardId: string) => Effect.Effect<ReadonlyArray<OpenCard>>
    readonly ofPerson: (userId: string) => Effect.Effect<ReadonlyArray<OpenCard>>
    /** Removes and returns them; `offers` includes cards about an offer. */
    readonly take: (userId: string, offers: boolean) => Effect.Effect<ReadonlyArray<OpenCard>>
  }
>() {}

export const layer = Table.layerWith(OpenCardRows, EncryptionKey, (sql, key) => {
  const usable = Effect.fnUntraced(function* (rows: ReadonlyArray<Row>) {
    const since = (yield* Clock.currentTimeMillis) - ReplyToken.life
    const cards = yield* Effect.forEach(
      rows.filter((row) => Number(row.created_at) > since),
      (row) =>
        Effect.map(ReplyToken.open(key, row.reply_token_enc, placeOf(row.card_id)), (token) =>
          token === undefined ? [] : [fromRow(row, token)]
        )
    )
    return cards.flat()
  })
  return OpenCardRows.of({
    add: Effect.fn("OpenCards.add")(function* (card) {
      yield* sql`INSERT INTO open_cards ${sql.insert({
        card_id: card.cardId,
        message_id: card.messageId ?? null,
        offer_id: card.offerId ?? null,
        user_id: card.userId,
        guild_id: card.guildId ?? null,
        locale: card.locale,
        reply_token_enc: yield* ReplyToken.seal(key, card.replyToken, placeOf(card.cardId)),
        created_at: yield* Clock.currentTimeMillis
      })} ON CONFLICT (card_id) DO UPDATE SET message_id = excluded.message_id, offer_id = excluded.offer_id,
          reply_token_enc = excluded.reply_token_enc, created_at = excluded.created_at`
    }, Effect.orDie),
    find: (cardId) =>
      sql<Row>`SELECT * FROM open_cards WHERE card_id = ${cardId}`.pipe(Effect.orDie, Effect.flatMap(usable)),
    ofPerson: (userId) =>
      sql<Row>`SELECT * FROM open_cards WHERE user_id = ${userId}`.pipe(Effect.orDie, Effect.flatMap(usable)),
    take: (userId, offers) =>
      (offers
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

const fromRow = (row: Row, replyToken: Redacted.Redacted): OpenCard => ({
  cardId: row.card_id,
  userId: row.user_id,
  guildId: row.guild_id ?? undefined,
  locale: row.locale,
  messageId: row.message_id ?? undefined,
  offerId: row.offer_id ?? undefined,
  replyToken
})

const placeOf = (cardId: string): string => `open_cards ${cardId}`
