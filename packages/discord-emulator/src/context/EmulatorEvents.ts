import type { APIChannel, APIMessage } from "discord-api-types/v10"
import type { Context } from "./Context.ts"
import type { StoredChannel, StoredMessage } from "../model/Records.ts"
import type { TransientEvent } from "../state/TransientEvents.ts"
import type { Committed } from "../state/Store.ts"

/** A thread in short. */
export interface ThreadInfo {
  readonly id: string
  readonly name: string
  readonly parentId: string
  readonly archived: boolean
  readonly locked: boolean
}

/** A change somebody can see; with `visibleTo` only that person can. */
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
  | { readonly type: "typing"; readonly channelId: string; readonly userId: string }
  /** The bot came, went, or shows something else of itself. */
  | {
      readonly type: "presence"
      readonly userId: string
      readonly status: string
      readonly activities: ReadonlyArray<object>
    }
  | { readonly type: "commands" }
  | {
      readonly type: "interaction"
      readonly id: string
      readonly channelId: string
      readonly userId: string
      readonly state: "acknowledged" | "failed"
      readonly error?: string
      readonly visibleTo: string
    }

/** What people see of a change to the store; `viewerId` decides which reactions are their own. */
export const emulatorEventOf = (
  { render, store }: Context,
  { before, change }: Committed,
  viewerId = store.realm.ownerId
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
      const gone = before as StoredChannel | undefined
      if (gone === undefined) return undefined
      if (gone.thread === undefined)
        return { type: "channel_delete", channelId: gone.id, channel: render.channel(gone) }
      return { type: "thread_delete", channelId: gone.id, thread: threadInfo(gone) }
    }
    case "commands":
      return { type: "commands" }
    default:
      return undefined
  }
}

/** What people see of a signal. */
export const emulatorEventOfTransient = (signal: TransientEvent): EmulatorEvent | undefined => {
  if (signal.type === "interaction_create") return undefined
  return signal.type === "interaction" ? { ...signal, visibleTo: signal.userId } : signal
}

export const threadInfo = (channel: StoredChannel): ThreadInfo => ({
  id: channel.id,
  name: channel.name,
  parentId: channel.parentId ?? "",
  archived: channel.thread?.archived ?? false,
  locked: channel.thread?.locked ?? false
})
