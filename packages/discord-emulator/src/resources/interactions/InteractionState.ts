import { InteractionKind } from "../../model/Constants.ts"
import type { AnsweredInteraction, StoredInteraction } from "../../model/Records.ts"
import type { Renderer } from "../../render/Renderer.ts"
import type { Store } from "../../state/Store.ts"
import type { TransientEvents } from "../../state/TransientEvents.ts"
import type { Messages } from "../messages/Messages.ts"
import type { FirstResponse } from "./InteractionTypes.ts"
import type { PendingResponses } from "./PendingResponses.ts"

/** What the handling of interactions depends on. */
export interface InteractionContext {
  readonly store: Store
  readonly messages: Messages
  readonly render: Renderer
  readonly transientEvents: TransientEvents
  /** How long an application has for its first response, in milliseconds. */
  readonly firstResponseMs: number
  readonly pending: PendingResponses
}

/** Commits changed fields of an interaction and returns the new record. */
export const updateInteraction = (
  store: Store,
  interaction: StoredInteraction,
  change: Partial<StoredInteraction>
): StoredInteraction => {
  const value = { ...(store.interactions.get(interaction.id) ?? interaction), ...change }
  store.commit({ kind: "interaction", value })
  return value
}

/** Publishes the first response of an interaction, or its failure, and ends the wait for it. */
export const settleInteraction = (
  { pending, transientEvents }: InteractionContext,
  { channelId, id, userId }: StoredInteraction,
  response: Omit<FirstResponse, "id">
): void => {
  transientEvents.emit({
    type: "interaction",
    id,
    channelId,
    userId,
    state: response.type === "failed" ? "failed" : "acknowledged",
    ...(response.error === undefined ? {} : { error: response.error })
  })
  pending.settle({ id, ...response })
}

/** The interaction as its response message refers to it. */
export const interactionReference = (interaction: StoredInteraction): AnsweredInteraction => {
  const { commandName, id, openedBy, sourceId, targetMessageId, targetUserId, type, userId } = interaction
  const isComponent = type === InteractionKind.component
  return {
    id,
    type,
    userId,
    ...(commandName === undefined ? {} : { name: commandName }),
    ...(sourceId === undefined || !isComponent ? {} : { interactedMessageId: sourceId }),
    ...(targetMessageId === undefined ? {} : { targetMessageId }),
    ...(targetUserId === undefined ? {} : { targetUserId }),
    ...(openedBy === undefined ? {} : { openedBy })
  }
}
