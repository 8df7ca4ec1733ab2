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
    readonly track: (card: CardReply, message?: CardMessage) => Effect.Effect<void>
    /** Shows in every such answer that its link failed; `offered` cards show the outcome of the offer later. */
    readonly close: (userId: string, outcome: "kept" | "offered" | "over", exceptCardId?: string) => Effect.Effect<void>
    /** Removes every such answer except these ids, which show the outcome. */
    readonly removeAll: (userId: string, except: ReadonlyArray<string>) => Effect.Effect<void>
    /** Shows that the link of this answer failed, with a button for a new link that also requests `more`. */
    readonly showRefusal: (
      cardId: string,
      outcome: "denied" | "failed",
      more: ReadonlyArray<Scope>
    ) => Effect.Effect<void>
  }
>() {}

/** The message of the card: the answer itself unless named; with an offer, the question about that offer. */
export interface CardMessage {
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

    const changeAll = (
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
    const showAll = (cards: ReadonlyArray<OpenCard>, body: (messages: Messages) => MessageBody) =>
      changeAll(cards, (reply, card) =>
        Effect.flatMap(languages.ofPerson(card), (messages) => api.editReply(reply, body(messages), card.messageId))
      )

    return OpenCards.of({
      track: Effect.fn("OpenCards.opened")(function* ({ cardId, reply }, message) {
        yield* rows.add({
          cardId: message?.messageId === undefined ? (cardId ?? reply.id) : reply.id,
          messageId: message?.messageId,
          offerId: message?.offerId,
          userId: reply.userId,
          guildId: reply.guildId,
          locale: reply.locale,
          replyToken: Redacted.make(reply.token)
        })
      }),
      close: Effect.fn("OpenCards.close")(function* (userId, outcome, exceptCardId = "") {
        const cards =
          outcome === "offered" ? yield* rows.ofPerson(userId) : yield* rows.take(userId, outcome === "kept")
        const others = cards.filter(({ cardId }) => cardId !== exceptCardId)
        yield* showAll(others, ({ connecting }) => ({ content: connecting.cards[outcome] }))
      }),
      removeAll: Effect.fn("OpenCards.done")(function* (userId, except) {
        const cards = yield* rows.take(userId, true)
        yield* changeAll(
          cards.filter(({ cardId }) => !except.includes(cardId)),
          (reply, { messageId }) => api.removeReply(reply, messageId)
        )
      }),
      showRefusal: Effect.fn("OpenCards.refused")(function* (cardId, outcome, more) {
        yield* showAll(yield* rows.find(cardId), (messages) => ({
          content: messages.connecting.cards[outcome],
          rows: [[connectButton(messages, more)]]
        }))
      })
    })
  })
)
