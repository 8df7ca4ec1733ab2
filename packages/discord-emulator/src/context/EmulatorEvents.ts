import type { APIChannel, APIMessage } from "discord-api-types/v10"
import type { Context } from "./Context.ts"
import type { StoredChannel, StoredMessage } from "../model/Records.ts"
import type { InteractionEvent, PresenceEvent, TransientEvent, TypingEvent } from "../state/TransientEvents.ts"
import type { Committed } from "../state/Store.ts"

/** The main fields of a thread. */
export interface ThreadInfo {
  readonly id: string
  readonly name: string
  readonly parentId: string
  readonly archived: boolean
  readonly locked: boolean
}

/** A visible change; `visibleTo` is set when only one person sees it. */
export type EmulatorEvent =
  | {
      readonly type: "message_create" | "message_update"
      readonly channelId: string
      readonly message: APIMessage
      readonly visibleTo?: string
    }
  | {
      readonly type: "message_delete"
      readonly channelId: string
      readonly messageId: string
      readonly visibleTo?: string
    }
  | {
      readonly type: "thread_create" | "thread_update" | "thread_delete"
      readonly channelId: string
      readonly thread: ThreadInfo
    }
  | {
      readonly type: "channel_create" | "channel_update" | "channel_delete"
      readonly channelId: string
      readonly channel: APIChannel
    }
  | TypingEvent
  | PresenceEvent
  | { readonly type: "commands" }
  | (InteractionEvent & { readonly visibleTo: string })

/** The event that people see of a committed change; `viewerId` decides `me` of the reactions. */
export const emulatorEventOf = (
  { render, store }: Context,
  { before, change }: Committed,
  viewerId = store.guild.ownerId
): EmulatorEvent | undefined => {
  switch (change.kind) {
    case "message": {
      const { channelId, visibleTo } = change.value
      const message = render.message(change.value, viewerId)
      const type = before === undefined ? "message_create" : "message_update"
      return { type, channelId, message, ...(visibleTo === undefined ? {} : { visibleTo }) }
    }
    case "message_gone": {
      const visibleTo = (before as StoredMessage | undefined)?.visibleTo
      return {
        type: "message_delete",
        channelId: change.channelId,
        messageId: change.id,
        ...(visibleTo === undefined ? {} : { visibleTo })
      }
    }
    case "channel": {
      const { value } = change
      if (value.thread === undefined)
        return {
          type: before === undefined ? "channel_create" : "channel_update",
          channelId: value.id,
          channel: render.channel(value)
        }
      return {
        type: before === undefined ? "thread_create" : "thread_update",
        channelId: value.id,
        thread: threadInfo(value)
      }
    }
    case "channel_gone": {
      const deleted = before as StoredChannel | undefined
      if (deleted === undefined) return undefined
      if (deleted.thread === undefined)
        return { type: "channel_delete", channelId: deleted.id, channel: render.channel(deleted) }
      return { type: "thread_delete", channelId: deleted.id, thread: threadInfo(deleted) }
    }
    case "commands":
      return { type: "commands" }
    default:
      return undefined
  }
}

/** The event that people see of a transient event. */
export const emulatorEventOfTransient = (event: TransientEvent): EmulatorEvent | undefined => {
  if (event.type === "interaction_create") return undefined
  return event.type === "interaction" ? { ...event, visibleTo: event.userId } : event
}

export const threadInfo = (channel: StoredChannel): ThreadInfo => ({
  id: channel.id,
  name: channel.name,
  parentId: channel.parentId ?? "",
  archived: channel.thread?.archived ?? false,
  locked: channel.thread?.locked ?? false
})
