import { Callback, Flag, InteractionKind, MessageKind } from "../../model/Constants.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { AnsweredInteraction, StoredInteraction, StoredMessage } from "../../model/Records.ts"
import type { Store } from "../../state/Store.ts"
import { isJsonObject } from "../../validate/Form.ts"
import type { UploadedFile } from "../messages/Attachments.ts"
import { type InteractionContext, interactionReference, updateInteraction } from "./InteractionState.ts"

/** How a response message differs from a plain one. */
interface ResponseOptions {
  readonly flags?: number
  readonly mayBeEmpty?: boolean
  /** Taken from the flags of the body unless given. */
  readonly ephemeral?: boolean
  readonly replyToOriginal?: boolean
}

/** Creates a message that responds to an interaction. */
export const createResponse = (
  { messages, store }: InteractionContext,
  interaction: StoredInteraction,
  body: unknown,
  files: ReadonlyArray<UploadedFile>,
  { flags = 0, mayBeEmpty = false, replyToOriginal = false, ...options }: ResponseOptions = {}
): StoredMessage => {
  const ephemeral = options.ephemeral ?? isEphemeral(body)
  const original = replyToOriginal ? interaction.originalId : undefined
  const reference = interactionReference(interaction)
  // The response to a modal looks like the response to the interaction that opened the modal.
  const origin = interaction.openedBy ?? reference
  const messageId = original ?? origin.targetMessageId ?? origin.interactedMessageId
  const { channelId } = interaction
  return messages.create(
    {
      channelId,
      authorId: store.guild.botId,
      type: original === undefined ? responseKind(origin) : MessageKind.reply,
      flags: flags | (ephemeral ? Flag.ephemeral : 0),
      interaction: { ...reference, ...(original === undefined ? {} : { originalId: original }) },
      ...(ephemeral ? { visibleTo: interaction.userId } : {}),
      ...(messageId === undefined ? {} : { reference: { channelId, messageId } }),
      ...(mayBeEmpty ? { mayBeEmpty } : {})
    },
    body,
    files
  )
}

/** Whether the flags of a body make the message ephemeral. */
export const isEphemeral = (body: unknown): boolean =>
  isJsonObject(body) && typeof body["flags"] === "number" && (body["flags"] & Flag.ephemeral) !== 0

/** A message that responded to the interaction; `@original` is the first one. Throws 10008 for others. */
export const findResponse = (store: Store, interaction: StoredInteraction, messageId: string): StoredMessage => {
  const id = messageId === "@original" ? interaction.originalId : messageId
  const message = id === undefined ? undefined : store.messages.get(interaction.channelId, id)
  if (message === undefined) throw apiErrors.unknownMessage()
  if (message.interaction?.id !== interaction.id && message.id !== interaction.originalId)
    throw apiErrors.unknownMessage()
  return message
}

/** Sends a follow-up message. Directly after a deferral it fills the deferred response instead. */
export const followUp = (
  context: InteractionContext,
  interaction: StoredInteraction,
  body: unknown,
  files: ReadonlyArray<UploadedFile>
): StoredMessage => {
  const fillsDeferred = interaction.pending === true && interaction.answered === Callback.deferredMessage
  if (fillsDeferred) return editResponse(context, interaction, "@original", body, files)
  const sent = createResponse(context, interaction, body, files, { replyToOriginal: true })
  if (interaction.pending === true) updateInteraction(context.store, interaction, { pending: false })
  return sent
}

/** Edits a response; the first edit of a deferred one fills it. */
export const editResponse = (
  { messages, store }: InteractionContext,
  interaction: StoredInteraction,
  messageId: string,
  body: unknown,
  files: ReadonlyArray<UploadedFile>
): StoredMessage => {
  const edited = messages.edit(findResponse(store, interaction, messageId), store.guild.botId, body, files)
  endDeferral(store, interaction, edited)
  return edited
}

/** Deletes a response. */
export const deleteResponse = (
  { messages, store }: InteractionContext,
  interaction: StoredInteraction,
  messageId: string
): void => {
  const response = findResponse(store, interaction, messageId)
  messages.delete(response, store.guild.botId)
  endDeferral(store, interaction, response)
}

const endDeferral = (store: Store, interaction: StoredInteraction, message: StoredMessage): void => {
  if (interaction.pending === true && message.id === interaction.originalId)
    updateInteraction(store, interaction, { pending: false })
}

const responseKind = ({ targetMessageId, targetUserId, type }: AnsweredInteraction): number => {
  if (type !== InteractionKind.command) return MessageKind.reply
  const isContextMenu = targetMessageId !== undefined || targetUserId !== undefined
  return isContextMenu ? MessageKind.contextMenu : MessageKind.chatInput
}
