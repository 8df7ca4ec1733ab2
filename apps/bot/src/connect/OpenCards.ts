import * as SqlClient from "@effect/sql/SqlClient"
import { EncryptionKey } from "@heddle/oauth/EncryptionKey"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { ReplyTo } from "../discord/DiscordEvent.ts"
import { Languages } from "../messages/Languages.ts"
import type { Messages } from "../messages/Messages.ts"
import * as ReplyToken from "../sql/ReplyToken.ts"

/**
 * The private answers that ask a person to connect their account or to allow more, while they can be changed: they end
 * in what came of it, so that nothing is offered that is over.
 */
export class OpenCards extends Context.Tag("@heddle/bot/OpenCards")<
  OpenCards,
  {
    /** This answer asks its person to connect, or to allow more. */
    readonly opened: (reply: Card, which?: Which) => Effect.Effect<void>
    /** Says in every such answer what came of it; what was only `offered` ends again in what comes of that. */
    readonly close: (userId: string, outcome: Outcome) => Effect.Effect<void>
  }
>() {}

/** What such an answer ends in: `over` when nothing was connected, which leaves the question about another account open. */
export type Outcome = keyof Messages["connecting"]["cards"]

/** Which message it is: the answer itself unless it is named; with an offer, the question about that. */
export interface Which {
  readonly messageId?: string
  readonly offerId?: string
}

/** Which answer, whose, and in which language. */
export type Card = Pick<ReplyTo, "guildId" | "id" | "locale" | "token" | "userId">

export const layer: Layer.Layer<OpenCards, never, DiscordApi | EncryptionKey | Languages | SqlClient.SqlClient> =
  Layer.effect(
    OpenCards,
    Effect.gen(function* () {
      const api = yield* DiscordApi
      const key = yield* EncryptionKey
      const languages = yield* Languages
      const sql = yield* SqlClient.SqlClient
      return OpenCards.of({
        opened: Effect.fn("OpenCards.opened")(function* ({ guildId, id, locale, token, userId }, which) {
          yield* sql`INSERT INTO open_cards ${sql.insert({
            card_id: id,
            message_id: which?.messageId ?? null,
            offer_id: which?.offerId ?? null,
            user_id: userId,
            guild_id: guildId ?? null,
            locale,
            reply_token_enc: yield* ReplyToken.seal(key, Redacted.make(token), placeOf(id)),
            created_at: yield* Clock.currentTimeMillis
          })} ON CONFLICT (card_id) DO NOTHING`
        }, Effect.orDie),
        close: Effect.fn("OpenCards.close")(function* (userId, outcome) {
          const since = (yield* Clock.currentTimeMillis) - ReplyToken.life
          const rows = yield* Effect.orDie(
            outcome === "offered"
              ? sql<Row>`SELECT * FROM open_cards WHERE user_id = ${userId}`
              : outcome === "over"
                ? sql<Row>`DELETE FROM open_cards WHERE user_id = ${userId} AND offer_id IS NULL RETURNING *`
                : sql<Row>`DELETE FROM open_cards WHERE user_id = ${userId} RETURNING *`
          )
          yield* Effect.forEach(
            rows.filter((row) => Number(row.created_at) > since),
            Effect.fnUntraced(function* (row) {
              const token = yield* ReplyToken.open(key, row.reply_token_enc, placeOf(row.card_id))
              if (token === undefined) return
              const { connecting } = yield* languages.ofPerson({
                guildId: row.guild_id ?? undefined,
                locale: row.locale
              })
              const body = { content: connecting.cards[outcome] }
              yield* api.editReply({ token: Redacted.value(token) }, body, row.message_id ?? undefined).pipe(
                // What it says is old then, but what is pressed in it says so.
                Effect.catchAll((error) => Effect.logDebug("A private answer could not be changed", error.message))
              )
            }),
            { discard: true, concurrency: 5 }
          )
        })
      })
    })
  )

interface Row {
  readonly card_id: string
  readonly message_id: string | null
  readonly guild_id: string | null
  readonly locale: string
  readonly reply_token_enc: string
  readonly created_at: number
}

const placeOf = (cardId: string): string => `open_cards ${cardId}`
