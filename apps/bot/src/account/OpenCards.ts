import * as SqlClient from "@effect/sql/SqlClient"
import type { Scope } from "@heddle/core/domain/Scope"
import { EncryptionKey } from "@heddle/oauth/EncryptionKey"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { Pressed } from "../discord/DiscordEvent.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import { Languages } from "../store/Languages.ts"
import type { Messages } from "../messages/Messages.ts"
import * as ReplyToken from "../store/database/ReplyToken.ts"
import { connectButton } from "../view/ConnectButtons.ts"

/**
 * The private answers that ask a person to connect their account or to allow more, while they can be changed: they end
 * in what came of it, so that nothing is offered that is over.
 */
export class OpenCards extends Context.Tag("@heddle/bot/OpenCards")<
  OpenCards,
  {
    /** This answer asks its person to connect, or to allow more; a form changes the answer that it was opened from. */
    readonly opened: (card: Card, which?: Which) => Effect.Effect<void>
    /** Says in every such answer that nothing came of it; what was only `offered` ends again in what comes of that. */
    readonly close: (userId: string, outcome: "kept" | "offered" | "over", but?: string) => Effect.Effect<void>
    /** Takes every such answer away, besides those that tell what came of it, by the interactions that they answer. */
    readonly done: (userId: string, besides: ReadonlyArray<string>) => Effect.Effect<void>
    /** The link of this answer came to nothing, which it says, with a button for another that asks for `more`, too. */
    readonly refused: (cardId: string, outcome: "denied" | "failed", more: ReadonlyArray<Scope>) => Effect.Effect<void>
  }
>() {}

/** Which message it is: the answer itself unless it is named; with an offer, the question about that. */
export interface Which {
  readonly messageId?: string
  readonly offerId?: string
}

/** What a person used, which is answered by this: whose it is, and in which language. */
export type Card = Pick<Pressed, "cardId" | "reply">

export const layer: Layer.Layer<OpenCards, never, DiscordApi | EncryptionKey | Languages | SqlClient.SqlClient> =
  Layer.effect(
    OpenCards,
    Effect.gen(function* () {
      const api = yield* DiscordApi
      const key = yield* EncryptionKey
      const languages = yield* Languages
      const sql = yield* SqlClient.SqlClient

      /** Does something with those of these answers that can still be changed. */
      const each = Effect.fnUntraced(function* (
        rows: ReadonlyArray<Row>,
        change: (
          reply: { readonly token: string },
          messageId: string | undefined,
          row: Row
        ) => ReturnType<typeof api.removeReply>
      ) {
        const since = (yield* Clock.currentTimeMillis) - ReplyToken.life
        yield* Effect.forEach(
          rows.filter((row) => Number(row.created_at) > since),
          Effect.fnUntraced(function* (row) {
            const token = yield* ReplyToken.open(key, row.reply_token_enc, placeOf(row.card_id))
            if (token === undefined) return
            yield* change({ token: Redacted.value(token) }, row.message_id ?? undefined, row).pipe(
              // What it says is old then, but what is pressed in it says so.
              Effect.catchAll((error) => Effect.logDebug("A private answer could not be changed", error.message))
            )
          }),
          { discard: true, concurrency: 5 }
        )
      })
      const saying = (rows: ReadonlyArray<Row>, body: (messages: Messages) => MessageBody) =>
        each(rows, (reply, messageId, { guild_id, locale }) =>
          Effect.flatMap(languages.ofPerson({ guildId: guild_id ?? undefined, locale }), (messages) =>
            api.editReply(reply, body(messages), messageId)
          )
        )

      return OpenCards.of({
        opened: Effect.fn("OpenCards.opened")(function* ({ cardId, reply }, which) {
          const { guildId, id, locale, token, userId } = reply
          const card = which?.messageId === undefined ? (cardId ?? id) : id
          yield* sql`INSERT INTO open_cards ${sql.insert({
            card_id: card,
            message_id: which?.messageId ?? null,
            offer_id: which?.offerId ?? null,
            user_id: userId,
            guild_id: guildId ?? null,
            locale,
            reply_token_enc: yield* ReplyToken.seal(key, Redacted.make(token), placeOf(card)),
            created_at: yield* Clock.currentTimeMillis
          })} ON CONFLICT (card_id) DO UPDATE SET message_id = excluded.message_id, offer_id = excluded.offer_id,
            reply_token_enc = excluded.reply_token_enc, created_at = excluded.created_at`
        }, Effect.orDie),
        close: Effect.fn("OpenCards.close")(function* (userId, outcome, but = "") {
          const rows = yield* Effect.orDie(
            outcome === "offered"
              ? sql<Row>`SELECT * FROM open_cards WHERE user_id = ${userId}`
              : outcome === "over"
                ? sql<Row>`DELETE FROM open_cards WHERE user_id = ${userId} AND offer_id IS NULL RETURNING *`
                : sql<Row>`DELETE FROM open_cards WHERE user_id = ${userId} RETURNING *`
          )
          const others = rows.filter((row) => row.card_id !== but)
          yield* saying(others, ({ connecting }) => ({ content: connecting.cards[outcome] }))
        }),
        done: Effect.fn("OpenCards.done")(function* (userId, besides) {
          const rows = yield* Effect.orDie(sql<Row>`DELETE FROM open_cards WHERE user_id = ${userId} RETURNING *`)
          yield* each(
            rows.filter((row) => !besides.includes(row.card_id)),
            (reply, messageId) => api.removeReply(reply, messageId)
          )
        }),
        refused: Effect.fn("OpenCards.refused")(function* (cardId, outcome, more) {
          const rows = yield* Effect.orDie(sql<Row>`SELECT * FROM open_cards WHERE card_id = ${cardId}`)
          yield* saying(rows, (messages) => ({
            content: messages.connecting.cards[outcome],
            buttons: [[connectButton(messages, more)]]
          }))
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
