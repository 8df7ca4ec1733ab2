import { randomBytes } from "node:crypto"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredInteraction, StoredMessage } from "../../model/Records.ts"
import { tokenMs } from "../../state/ApplyChange.ts"
import type { UploadedFile } from "../messages/Attachments.ts"
import { type CallbackResult, handleCallback } from "./InteractionCallback.ts"
import { deleteResponse, editResponse, findResponse, followUp } from "./InteractionMessages.ts"
import { renderInteraction } from "./InteractionPayload.ts"
import {
  type InteractionContext,
  interactionReference,
  settleInteraction,
  updateInteraction
} from "./InteractionState.ts"
import type { FirstResponse, NewInteraction } from "./InteractionTypes.ts"
import { PendingResponses } from "./PendingResponses.ts"

/** Interactions: 3 seconds for the first response, 15 minutes for everything after it. */
export interface Interactions {
  /** Sends an interaction to the application and waits for its first response. */
  readonly create: (input: NewInteraction) => Promise<FirstResponse>
  /** Takes the first response. Throws 10062 after the deadline and 40060 for a second response. */
  readonly callback: (id: string, token: string, body: unknown, files: ReadonlyArray<UploadedFile>) => CallbackResult
  /** The interaction of a token; throws 50027 once the token expired. */
  readonly findByToken: (token: string) => StoredInteraction
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
  readonly delete: (interaction: StoredInteraction, messageId: string) => void
  /** Ends every wait for a first response. */
  readonly close: () => void
}

/** The error that people see when the application sends no first response in time. */
const timeoutError = "The application did not respond"

export const makeInteractions = (dependencies: Omit<InteractionContext, "pending">): Interactions => {
  const { store } = dependencies
  const pending = new PendingResponses(store.clock)
  const context: InteractionContext = { ...dependencies, pending }
  return {
    create: (input) => createInteraction(context, input),
    callback: (id, token, body, files) => handleCallback(context, id, token, body, files),
    findByToken: (token) => {
      const interaction = store.interactionByToken(token)
      if (interaction === undefined || interaction.answered === undefined) throw apiErrors.unknownWebhook()
      if (store.clock.now() - interaction.createdAt > tokenMs) throw apiErrors.invalidWebhookToken()
      return interaction
    },
    message: (interaction, messageId) => findResponse(store, interaction, messageId),
    followUp: (interaction, body, files) => followUp(context, interaction, body, files),
    edit: (interaction, messageId, body, files) => editResponse(context, interaction, messageId, body, files),
    delete: (interaction, messageId) => deleteResponse(context, interaction, messageId),
    close: () => pending.close()
  }
}

const createInteraction = (context: InteractionContext, input: NewInteraction): Promise<FirstResponse> => {
  const { firstResponseMs, pending, render, store, transientEvents } = context
  const { channelId, commandName, openedBy, source, target, type, userId } = input
  const interaction: StoredInteraction = {
    id: store.ids.next(),
    token: randomBytes(48).toString("base64url"),
    type,
    userId,
    channelId,
    createdAt: store.clock.now(),
    ...(commandName === undefined ? {} : { commandName }),
    ...(source === undefined ? {} : { sourceId: source.id }),
    ...(target === undefined
      ? {}
      : "messageId" in target
        ? { targetMessageId: target.messageId }
        : { targetUserId: target.userId }),
    ...(openedBy === undefined ? {} : { openedBy: interactionReference(openedBy) })
  }
  store.commit({ kind: "interaction", value: interaction })
  const response = pending.wait(interaction.id, firstResponseMs, () => failUnanswered(context, interaction.id))
  const payload = renderInteraction(store, render, interaction, input)
  transientEvents.emit({ type: "interaction_create", payload })
  return response
}

const failUnanswered = (context: InteractionContext, id: string): void => {
  const interaction = context.store.interactions.get(id)
  if (interaction === undefined || interaction.answered !== undefined) return
  updateInteraction(context.store, interaction, { failed: true })
  settleInteraction(context, interaction, { type: "failed", error: timeoutError })
}
