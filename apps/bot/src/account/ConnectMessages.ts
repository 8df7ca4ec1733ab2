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
import { type ConnectMessage, ConnectMessageRows } from "../store/account/ConnectMessages.ts"
import { connectButton } from "../view/ConnectButtons.ts"

/**
 * The private answers that ask a person to connect or to grant more. They show the outcome once it is known, so that no
 * button offers an outdated action.
 */
export class ConnectMessages extends Context.Tag("@heddle/bot/ConnectMessages")<
  ConnectMessages,
  {
    /** Adds an answer that asks its person to connect or to grant more. A form changes the answer that opened it. */
    readonly track: (request: ConnectReply, message?: QuestionMessage) => Effect.Effect<void>
    /** Shows in every such answer that its link failed; `offered` messages show the outcome of the offer later. */
    readonly close: (
      userId: string,
      outcome: "kept" | "offered" | "over",
      exceptInteractionId?: string
    ) => Effect.Effect<void>
    /** Removes every such answer except these ids, which show the outcome. */
    readonly removeAll: (userId: string, except: ReadonlyArray<string>) => Effect.Effect<void>
    /** Shows that the link of this answer failed, with a button for a new link that also requests `additionalScopes`. */
    readonly showRefusal: (
      interactionId: string,
      outcome: "denied" | "failed",
      additionalScopes: ReadonlyArray<Scope>
    ) => Effect.Effect<void>
  }
>() {}

/** The message with the buttons: the answer itself unless named; with an offer, the question about that offer. */
export interface QuestionMessage {
  readonly messageId?: string
  readonly offerId?: string
}

/** The interaction that gets the message: its person and language. */
export type ConnectReply = Pick<ComponentOrModalSubmit, "reply" | "sourceInteractionId">

export const layer: Layer.Layer<ConnectMessages, never, DiscordApi | Languages | ConnectMessageRows> = Layer.effect(
  ConnectMessages,
  Effect.gen(function* () {
    const api = yield* DiscordApi
    const languages = yield* Languages
    const rows = yield* ConnectMessageRows

    const changeAll = (
      connectMessages: ReadonlyArray<ConnectMessage>,
      change: (reply: { readonly token: string }, connectMessage: ConnectMessage) => ReturnType<typeof api.removeReply>
    ) =>
      Effect.forEach(
        connectMessages,
        (connectMessage) =>
          change({ token: Redacted.value(connectMessage.replyToken) }, connectMessage).pipe(
            // The text stays outdated, but a press of its button says so.
            Effect.catchAll((error) => Effect.logDebug("A private answer could not be changed", error.message))
          ),
        { discard: true, concurrency: 5 }
      )
    const showAll = (connectMessages: ReadonlyArray<ConnectMessage>, body: (messages: Messages) => MessageBody) =>
      changeAll(connectMessages, (reply, connectMessage) =>
        Effect.flatMap(languages.ofPerson(connectMessage), (messages) =>
          api.editReply(reply, body(messages), connectMessage.messageId)
        )
      )

    return ConnectMessages.of({
      track: Effect.fn("ConnectMessages.track")(function* ({ sourceInteractionId, reply }, message) {
        yield* rows.add({
          // A press or form edits the message it came from, so that message's interaction is the key; a follow-up is a new
          // message.
          interactionId: message?.messageId === undefined ? (sourceInteractionId ?? reply.id) : reply.id,
          messageId: message?.messageId,
          offerId: message?.offerId,
          userId: reply.userId,
          guildId: reply.guildId,
          locale: reply.locale,
          replyToken: Redacted.make(reply.token)
        })
      }),
      close: Effect.fn("ConnectMessages.close")(function* (userId, outcome, exceptInteractionId = "") {
        // A question about an offer stays recorded until the offer is settled ("kept").
        const connectMessages =
          outcome === "offered"
            ? yield* rows.ofPerson(userId)
            : yield* rows.take(userId, { includesOffers: outcome === "kept" })
        const others = connectMessages.filter(({ interactionId }) => interactionId !== exceptInteractionId)
        yield* showAll(others, ({ connecting }) => ({ content: connecting.linkOutcomes[outcome] }))
      }),
      removeAll: Effect.fn("ConnectMessages.removeAll")(function* (userId, except) {
        const connectMessages = yield* rows.take(userId, { includesOffers: true })
        yield* changeAll(
          connectMessages.filter(({ interactionId }) => !except.includes(interactionId)),
          (reply, { messageId }) => api.removeReply(reply, messageId)
        )
      }),
      showRefusal: Effect.fn("ConnectMessages.showRefusal")(function* (interactionId, outcome, additionalScopes) {
        yield* showAll(yield* rows.find(interactionId), (messages) => ({
          content: messages.connecting.linkOutcomes[outcome],
          rows: [[connectButton(messages, additionalScopes)]]
        }))
      })
    })
  })
)
