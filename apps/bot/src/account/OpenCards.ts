import type { Scope } from "@heddle/core/domain/Scope"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { ComponentOrModalSubmit } from "../discord/DiscordEvent.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import { Languages } from "../store/Languages.ts"
import { type OpenCard, OpenCardRows } from "../store/account/OpenCards.ts"
import { connectButton } from "../view/ConnectButtons.ts"

/**
 * The private answers that ask a person to connect or to grant more. They show the outcome once it is known, so that no
 * button offers an outdated action.
 */
export class OpenCards extends Context.Tag("@heddle/bot/OpenCards")<
  OpenCards,
  {
    /** Adds an answer that asks its person to connect or to grant more. A form changes the answer that opened it. */
    readonly opened: (card: CardReply, which?: Which) => Effect.Effect<void>
    /** Shows in every such answer that its link failed; `offered` cards show the outcome of the offer later. */
    readonly close: (userId: string, outcome: "kept" | "offered" | "over", but?: string) => Effect.Effect<void>
    /** Removes every such answer except these ids, which show the outcome. */
    readonly done: (userId: string, except: ReadonlyArray<string>) => Effect.Effect<void>
    /** Shows that the link of this answer failed, with a button for a new link that also requests `more`. */
    readonly refused: (cardId: string, outcome: "denied" | "failed", more: ReadonlyArray<Scope>) => Effect.Effect<void>
  }
>() {}

/** The message of the card: the answer itself unless named; with an offer, the question about that offer. */
export interface Which {
  readonly messageId?: string
  readonly offerId?: string
}

/** The interaction of the card: its person and language. */
export type CardReply = Pick<ComponentOrModalSubmit, "cardId" | "reply">

export const layer: Layer.Layer<OpenCards, never, DiscordApi | Languages | OpenCardRows> = Layer.effect(
  OpenCards,
  Effect.gen(function* () {
    const api = yield* DiscordApi
    const languages = yield* Languages
    const rows = yield* OpenCardRows

    const each = (
      cards: ReadonlyArray<OpenCard>,
      change: (reply: { readonly token: string }, card: OpenCard) => ReturnType<typeof api.removeReply>
    ) =>
      Effect.forEach(
        cards,
        (card) =>
          change({ token: Redacted.value(card.replyToken) }, card).pipe(
            // The text stays outdated, but a press of its button says so.
            Effect.catchAll((error) => Effect.logDebug("A private answer could not be changed", error.message))
          ),
        { discard: true, concurrency: 5 }
      )
    const showing = (cards: ReadonlyArray<OpenCard>, body: (messages: Messages) => MessageBody) =>
      each(cards, (reply, card) =>
        Effect.flatMap(languages.ofPerson(card), (messages) => api.editReply(reply, body(messages), card.messageId))
      )

    return OpenCards.of({
      opened: Effect.fn("OpenCards.opened")(function* ({ cardId, reply }, which) {
        yield* rows.add({
          cardId: which?.messageId === undefined ? (cardId ?? reply.id) : reply.id,
          messageId: which?.messageId,
          offerId: which?.offerId,
          userId: reply.userId,
          guildId: reply.guildId,
          locale: reply.locale,
          replyToken: Redacted.make(reply.token)
        })
      }),
      close: Effect.fn("OpenCards.close")(function* (userId, outcome, but = "") {
        const cards =
          outcome === "offered" ? yield* rows.ofPerson(userId) : yield* rows.take(userId, outcome === "kept")
        const others = cards.filter(({ cardId }) => cardId !== but)
        yield* showing(others, ({ connecting }) => ({ content: connecting.cards[outcome] }))
      }),
      done: Effect.fn("OpenCards.done")(function* (userId, except) {
        const cards = yield* rows.take(userId, true)
        yield* each(
          cards.filter(({ cardId }) => !except.includes(cardId)),
          (reply, { messageId }) => api.removeReply(reply, messageId)
        )
      }),
      refused: Effect.fn("OpenCards.refused")(function* (cardId, outcome, more) {
        yield* showing(yield* rows.find(cardId), (messages) => ({
          content: messages.connecting.cards[outcome],
          rows: [[connectButton(messages, more)]]
        }))
      })
    })
  })
)
