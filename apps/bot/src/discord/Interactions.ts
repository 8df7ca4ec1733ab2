import { InteractionResponseType, MessageFlags, type REST, type RequestData, type RouteLike, Routes } from "discord.js"
import * as Effect from "effect/Effect"
import type { Embed, Modal } from "../model/Post.ts"
import { call, idOf } from "./RateLimitedCalls.ts"
import type { DiscordError } from "./DiscordError.ts"
import type { ReplyTo } from "./DiscordEvent.ts"
import { embedToWire, flags, type MessageBody, modalToWire, toWire, uploads } from "./MessageBody.ts"
import { retryWhileUnavailable } from "./RetryPolicy.ts"

/** Responses to commands, buttons and forms. They have limits of their own and are sent at once. */
export interface Interactions {
  /** Acknowledges a command within 3 seconds. The answer follows by `editReply`; only the invoker sees it. */
  readonly defer: (reply: Pick<ReplyTo, "id" | "token">) => Effect.Effect<void, DiscordError>
  /** Acknowledges a button whose message changes later. */
  readonly deferUpdate: (reply: ReplyTo) => Effect.Effect<void, DiscordError>
  /** Responds to a button with a form; it has to be the first response. */
  readonly modal: (reply: ReplyTo, modal: Modal) => Effect.Effect<void, DiscordError>
  /** Suggests at most 25 values for an option that is being typed. */
  readonly suggest: (
    reply: ReplyTo,
    choices: ReadonlyArray<{ readonly name: string; readonly value: string }>
  ) => Effect.Effect<void, DiscordError>
  /** Responds to an interaction at once, visible to the invoker only. */
  readonly respond: (reply: ReplyTo, body: MessageBody) => Effect.Effect<void, DiscordError>
  /** Edits the answer of an interaction or a follow-up; works for 15 minutes. */
  readonly editReply: (
    reply: Pick<ReplyTo, "token">,
    body: MessageBody,
    messageId?: string
  ) => Effect.Effect<void, DiscordError>
  /** Removes the controls of a control's message, and replaces its embed where one is given; works for 15 minutes. */
  readonly removeControls: (reply: Pick<ReplyTo, "token">, embed?: Embed) => Effect.Effect<void, DiscordError>
  /** Deletes the answer of an interaction or a follow-up; works for 15 minutes. */
  readonly removeReply: (reply: Pick<ReplyTo, "token">, messageId?: string) => Effect.Effect<void, DiscordError>
  /** Sends a follow-up to the invoker and returns its id; works for 15 minutes. */
  readonly followUp: (reply: Pick<ReplyTo, "token">, body: MessageBody) => Effect.Effect<string, DiscordError>
}

export const make = Effect.fnUntraced(function* (applicationId: string, rest: REST): Effect.fn.Return<Interactions> {
  const post = (name: string, route: RouteLike, options: RequestData) =>
    call(name, (signal) => rest.post(route, { ...options, signal }))
  /** First responses in flight: each has three seconds, so follow-ups let them go first. */
  const firstAnswers = { underWay: 0, none: yield* Effect.makeLatch(true) }
  const callback = (name: string, reply: Pick<ReplyTo, "id" | "token">, body: unknown) =>
    Effect.suspend(() => {
      firstAnswers.underWay++
      firstAnswers.none.unsafeClose()
      return post(name, Routes.interactionCallback(reply.id, reply.token), { body, auth: false })
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          if (--firstAnswers.underWay === 0) firstAnswers.none.unsafeOpen()
        })
      ),
      Effect.zipRight(Effect.timeoutOption(firstAnswers.none.await, "1 second")),
      Effect.asVoid
    )

  return {
    defer: (reply) =>
      retryAcknowledgement(
        callback("defer", reply, {
          type: InteractionResponseType.DeferredChannelMessageWithSource,
          data: { flags: MessageFlags.Ephemeral }
        })
      ),
    deferUpdate: (reply) =>
      retryAcknowledgement(callback("deferUpdate", reply, { type: InteractionResponseType.DeferredMessageUpdate })),
    modal: (reply, modal) =>
      callback("modal", reply, { type: InteractionResponseType.Modal, data: modalToWire(modal) }),
    suggest: (reply, choices) =>
      callback("suggest", reply, {
        type: InteractionResponseType.ApplicationCommandAutocompleteResult,
        data: { choices }
      }),
    respond: (reply, body) =>
      callback("respond", reply, {
        type: InteractionResponseType.ChannelMessageWithSource,
        data: { ...toWire(body), flags: flags(body, true) }
      }),
    editReply: (reply, body, messageId = "@original") =>
      call("editReply", (signal) =>
        rest.patch(Routes.webhookMessage(applicationId, reply.token, messageId), {
          body: toWire(body),
          files: uploads(body),
          auth: false,
          signal
        })
      ),
    removeControls: (reply, embed) =>
      Effect.asVoid(
        call("removeControls", (signal) =>
          rest.patch(Routes.webhookMessage(applicationId, reply.token), {
            body: { components: [], ...(embed === undefined ? {} : { embeds: [embedToWire(embed)] }) },
            auth: false,
            signal
          })
        )
      ),
    removeReply: (reply, messageId = "@original") =>
      Effect.asVoid(
        call("removeReply", (signal) =>
          rest.delete(Routes.webhookMessage(applicationId, reply.token, messageId), { auth: false, signal })
        )
      ),
    followUp: (reply, body) =>
      post("followUp", Routes.webhook(applicationId, reply.token), {
        body: { ...toWire(body), flags: flags(body, true) },
        auth: false
      }).pipe(idOf)
  }
})

/** Repeats an acknowledgement while a retry may help. "Already acknowledged" means that the first try arrived. */
const retryAcknowledgement = (acknowledge: Effect.Effect<void, DiscordError>) =>
  Effect.catchIf(
    retryWhileUnavailable(acknowledge),
    ({ code }) => code === 40060,
    () => Effect.void
  )
