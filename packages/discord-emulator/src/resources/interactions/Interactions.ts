import { randomBytes } from "node:crypto"
import { refuse } from "../../model/DiscordError.ts"
import { checkCallbackType, invalidCallback, readAutocomplete } from "../../validate/Callback.ts"
import { isFields } from "../../validate/Form.ts"
import { readModal } from "../../validate/Modal.ts"
import { Callback, Flag, InteractionKind, MessageKind } from "../../model/Constants.ts"
import { payloadOf } from "./InteractionPayload.ts"
import type { Answer, NewInteraction } from "./InteractionTypes.ts"
import type { UploadedFile } from "../messages/Attachments.ts"
import type { Messages } from "../messages/Messages.ts"
import type { AnsweredInteraction, StoredInteraction, StoredMessage } from "../../model/Records.ts"
import type { Render } from "../../render/Render.ts"
import type { Signals } from "../../state/TransientEvents.ts"
import { tokenMs, type World } from "../../state/World.ts"

/** The rules of interactions: 3 seconds for the first answer, 15 minutes for everything after it. */
export interface Interactions {
  /** Sends an interaction to the application and waits for its first answer. */
  readonly open: (input: NewInteraction) => Promise<Answer>
  readonly callback: (
    id: string,
    token: string,
    body: unknown,
    files: ReadonlyArray<UploadedFile>
  ) => { readonly interaction: StoredInteraction; readonly message: StoredMessage | undefined }
  /** The interaction of a webhook token that still works. */
  readonly byToken: (token: string) => StoredInteraction
  readonly message: (interaction: StoredInteraction, messageId: string) => StoredMessage
  readonly followUp: (
    interaction: StoredInteraction,
    body: unknown,
    files: ReadonlyArray<UploadedFile>
  ) => StoredMessage
  readonly edit: (
    interaction: StoredInteraction,
    messageId: string,
    body: unknown,
    files: ReadonlyArray<UploadedFile>
  ) => StoredMessage
  readonly remove: (interaction: StoredInteraction, messageId: string) => void
  /** Ends every wait. */
  readonly close: () => void
}

/** What the person reads when nothing came in time. */
const noAnswer = "The application did not respond"

export const makeInteractions = (
  world: World,
  messages: Messages,
  render: Render,
  signals: Signals,
  firstAnswerMs: number
): Interactions => {
  const waiting = new Map<string, { readonly resolve: (answer: Answer) => void; readonly cancel: () => void }>()

  const finish = (interaction: StoredInteraction, answer: Omit<Answer, "id">): void => {
    const failed = answer.type === "failed"
    signals.emit({
      type: "interaction",
      id: interaction.id,
      channelId: interaction.channelId,
      userId: interaction.userId,
      state: failed ? "failed" : "acknowledged",
      ...(answer.error === undefined ? {} : { error: answer.error })
    })
    const wait = waiting.get(interaction.id)
    if (wait === undefined) return
    wait.cancel()
    waiting.delete(interaction.id)
    wait.resolve({ id: interaction.id, ...answer })
  }

  const update = (interaction: StoredInteraction, change: Partial<StoredInteraction>): StoredInteraction => {
    const value = { ...(world.interactions.get(interaction.id) ?? interaction), ...change }
    world.commit({ kind: "interaction", value })
    return value
  }

  const fail = (id: string): void => {
    const interaction = world.interactions.get(id)
    if (interaction === undefined || interaction.answered !== undefined) return
    update(interaction, { failed: true })
    finish(interaction, { type: "failed", error: noAnswer })
  }

  const unanswered = (id: string, token: string): StoredInteraction => {
    const found = world.interactions.get(id)
    if (found === undefined || found.token !== token) throw refuse.unknownInteraction()
    if (found.answered !== undefined) throw refuse.acknowledged()
    if (found.failed === true || world.clock.now() - found.createdAt > firstAnswerMs) throw refuse.unknownInteraction()
    return found
  }

  const say = (
    interaction: StoredInteraction,
    body: unknown,
    files: ReadonlyArray<UploadedFile>,
    options: { flags?: number; mayBeEmpty?: boolean; ephemeral?: boolean; replyToOriginal?: boolean }
  ): StoredMessage => {
    const ephemeral = options.ephemeral ?? (flagsOf(body) & Flag.ephemeral) !== 0
    const original = options.replyToOriginal === true ? interaction.originalId : undefined
    // A modal is answered like what opened it.
    const asked = interaction.openedBy ?? shownAs(interaction)
    const { interactedMessageId, targetMessageId, targetUserId } = asked
    const inMenu = targetMessageId !== undefined || targetUserId !== undefined
    const reference = original ?? targetMessageId ?? interactedMessageId
    return messages.create(
      {
        channelId: interaction.channelId,
        authorId: world.realm.botId,
        type:
          original !== undefined
            ? MessageKind.reply
            : asked.type !== InteractionKind.command
              ? MessageKind.reply
              : inMenu
                ? MessageKind.contextMenu
                : MessageKind.chatInput,
        flags: (options.flags ?? 0) | (ephemeral ? Flag.ephemeral : 0),
        interaction: { ...shownAs(interaction), ...(original === undefined ? {} : { originalId: original }) },
        ...(ephemeral ? { visibleTo: interaction.userId } : {}),
        ...(reference === undefined ? {} : { reference: { channelId: interaction.channelId, messageId: reference } }),
        ...(options.mayBeEmpty === true ? { mayBeEmpty: true } : {})
      },
      body,
      files
    )
  }

  const message = (interaction: StoredInteraction, messageId: string): StoredMessage => {
    const id = messageId === "@original" ? interaction.originalId : messageId
    const found = id === undefined ? undefined : world.message(interaction.channelId, id)
    const own =
      found?.interaction?.id === interaction.id || (found !== undefined && found.id === interaction.originalId)
    if (found === undefined || !own) throw refuse.unknownMessage()
    return found
  }

  const source = (interaction: StoredInteraction): StoredMessage => {
    const found =
      interaction.sourceId === undefined ? undefined : world.message(interaction.channelId, interaction.sourceId)
    if (found === undefined) throw invalidCallback("This interaction has no message to update.")
    return found
  }

  const callback: Interactions["callback"] = (id, token, body, files) => {
    const interaction = unanswered(id, token)
    const fields = isFields(body) ? body : {}
    const { data, type } = fields
    checkCallbackType(interaction, type)
    const answered = { answered: Number(type) }
    switch (type) {
      case Callback.message: {
        const message = say(interaction, data, files, {})
        finish(update(interaction, { ...answered, originalId: message.id }), { type: "message", message })
        return { interaction, message }
      }
      case Callback.deferredMessage: {
        const ephemeral = (flagsOf(data) & Flag.ephemeral) !== 0
        const message = say(interaction, {}, [], { flags: Flag.loading, mayBeEmpty: true, ephemeral })
        finish(update(interaction, { ...answered, originalId: message.id, pending: true, ephemeral }), {
          type: "deferred",
          message
        })
        return { interaction, message }
      }
      case Callback.deferredUpdate: {
        const message = source(interaction)
        finish(update(interaction, { ...answered, originalId: message.id, pending: true }), {
          type: "deferred",
          message
        })
        return { interaction, message }
      }
      case Callback.update: {
        const message = messages.edit(source(interaction), world.realm.botId, data, files)
        finish(update(interaction, { ...answered, originalId: message.id }), { type: "update", message })
        return { interaction, message }
      }
      case Callback.autocomplete: {
        const choices = readAutocomplete(data)
        finish(update(interaction, answered), { type: "choices", choices })
        return { interaction, message: undefined }
      }
      default: {
        const modal = readModal(data)
        finish(update(interaction, { ...answered, modal }), { type: "modal", modal })
        return { interaction, message: undefined }
      }
    }
  }

  return {
    open: (input) => {
      const interaction: StoredInteraction = {
        id: world.ids.next(),
        token: randomBytes(48).toString("base64url"),
        type: input.type,
        userId: input.userId,
        channelId: input.channelId,
        createdAt: world.clock.now(),
        ...(input.commandName === undefined ? {} : { commandName: input.commandName }),
        ...(input.source === undefined ? {} : { sourceId: input.source.id }),
        ...(input.target === undefined
          ? {}
          : "messageId" in input.target
            ? { targetMessageId: input.target.messageId }
            : { targetUserId: input.target.userId }),
        ...(input.openedBy === undefined ? {} : { openedBy: shownAs(input.openedBy) })
      }
      world.commit({ kind: "interaction", value: interaction })
      return new Promise((resolve) => {
        const cancel = world.clock.after(firstAnswerMs, () => fail(interaction.id))
        waiting.set(interaction.id, { resolve, cancel })
        signals.emit({ type: "interaction_create", payload: payloadOf(world, render, interaction, input) })
      })
    },

    callback,

    byToken: (token) => {
      const found = world.interactionByToken(token)
      if (found === undefined || found.answered === undefined) throw refuse.unknownWebhook()
      if (world.clock.now() - found.createdAt > tokenMs) throw refuse.invalidWebhookToken()
      return found
    },

    message,

    followUp: (interaction, body, files) => {
      // Directly after a deferral, a follow-up fills the waiting message instead of adding one.
      if (interaction.pending === true && interaction.answered === Callback.deferredMessage) {
        const filled = messages.edit(message(interaction, "@original"), world.realm.botId, body, files)
        update(interaction, { pending: false })
        return filled
      }
      const sent = say(interaction, body, files, { replyToOriginal: true })
      if (interaction.pending === true) update(interaction, { pending: false })
      return sent
    },

    edit: (interaction, messageId, body, files) => {
      const edited = messages.edit(message(interaction, messageId), world.realm.botId, body, files)
      if (interaction.pending === true && edited.id === interaction.originalId) update(interaction, { pending: false })
      return edited
    },

    remove: (interaction, messageId) => {
      const found = message(interaction, messageId)
      messages.delete(found, world.realm.botId)
      if (interaction.pending === true && found.id === interaction.originalId) update(interaction, { pending: false })
    },

    close: () => {
      for (const [id, wait] of waiting) {
        wait.cancel()
        wait.resolve({ id, type: "failed", error: "The emulator was closed" })
      }
      waiting.clear()
    }
  }
}

const shownAs = (interaction: StoredInteraction): AnsweredInteraction => ({
  id: interaction.id,
  type: interaction.type,
  userId: interaction.userId,
  ...(interaction.commandName === undefined ? {} : { name: interaction.commandName }),
  ...(interaction.sourceId === undefined || interaction.type !== InteractionKind.component
    ? {}
    : { interactedMessageId: interaction.sourceId }),
  ...(interaction.targetMessageId === undefined ? {} : { targetMessageId: interaction.targetMessageId }),
  ...(interaction.targetUserId === undefined ? {} : { targetUserId: interaction.targetUserId }),
  ...(interaction.openedBy === undefined ? {} : { openedBy: interaction.openedBy })
})

const flagsOf = (body: unknown): number => (isFields(body) && typeof body["flags"] === "number" ? body["flags"] : 0)
