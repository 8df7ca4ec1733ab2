import { Callback, Flag } from "../../model/Constants.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredInteraction, StoredMessage } from "../../model/Records.ts"
import { checkCallbackType, invalidCallback, readAutocomplete } from "../../validate/Callback.ts"
import { isJsonObject } from "../../validate/Form.ts"
import { readModal } from "../../validate/Modal.ts"
import type { UploadedFile } from "../messages/Attachments.ts"
import { createResponse, isEphemeral } from "./InteractionMessages.ts"
import { type InteractionContext, settleInteraction, updateInteraction } from "./InteractionState.ts"
import type { FirstResponse } from "./InteractionTypes.ts"

/** An interaction with its first response; `message` is missing for modals and autocomplete choices. */
export interface CallbackResult {
  readonly interaction: StoredInteraction
  readonly message: StoredMessage | undefined
}

/** A first response and what it changes of the interaction. */
interface Response {
  readonly change: Partial<StoredInteraction>
  readonly response: Omit<FirstResponse, "id">
}

/** Takes the first response of an application. Throws 10062 after the deadline and 40060 for a second response. */
export const handleCallback = (
  context: InteractionContext,
  id: string,
  token: string,
  body: unknown,
  files: ReadonlyArray<UploadedFile>
): CallbackResult => {
  const { store } = context
  const interaction = findUnanswered(context, id, token)
  const { data, type } = isJsonObject(body) ? body : {}
  checkCallbackType(interaction, type)
  const { change, response } = respond(context, interaction, Number(type), data, files)
  const updated = updateInteraction(store, interaction, { answered: Number(type), ...change })
  settleInteraction(context, updated, response)
  return { interaction, message: response.message }
}

const respond = (
  context: InteractionContext,
  interaction: StoredInteraction,
  type: number,
  data: unknown,
  files: ReadonlyArray<UploadedFile>
): Response => {
  const { messages, store } = context
  switch (type) {
    case Callback.message: {
      const message = createResponse(context, interaction, data, files)
      return { change: { originalId: message.id }, response: { type: "message", message } }
    }
    case Callback.deferredMessage: {
      const ephemeral = isEphemeral(data)
      const options = { flags: Flag.loading, mayBeEmpty: true, ephemeral }
      const message = createResponse(context, interaction, {}, [], options)
      const change = { originalId: message.id, pending: true, ephemeral }
      return { change, response: { type: "deferred", message } }
    }
    case Callback.deferredUpdate: {
      const message = sourceMessage(context, interaction)
      return { change: { originalId: message.id, pending: true }, response: { type: "deferred", message } }
    }
    case Callback.update: {
      const message = messages.edit(sourceMessage(context, interaction), store.guild.botId, data, files)
      return { change: { originalId: message.id }, response: { type: "update", message } }
    }
    case Callback.autocomplete:
      return { change: {}, response: { type: "choices", choices: readAutocomplete(data) } }
    default: {
      const modal = readModal(data)
      return { change: { modal }, response: { type: "modal", modal } }
    }
  }
}

const findUnanswered = (
  { firstResponseMs, store }: InteractionContext,
  id: string,
  token: string
): StoredInteraction => {
  const interaction = store.interactions.get(id)
  if (interaction === undefined || interaction.token !== token) throw apiErrors.unknownInteraction()
  if (interaction.answered !== undefined) throw apiErrors.alreadyAcknowledged()
  const isLate = store.clock.now() - interaction.createdAt > firstResponseMs
  if (interaction.failed === true || isLate) throw apiErrors.unknownInteraction()
  return interaction
}

const sourceMessage = ({ store }: InteractionContext, { channelId, sourceId }: StoredInteraction): StoredMessage => {
  const message = sourceId === undefined ? undefined : store.messages.get(channelId, sourceId)
  if (message === undefined) throw invalidCallback("This interaction has no message to update.")
  return message
}
