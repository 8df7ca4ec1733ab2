import type { Context } from "../context/Context.ts"
import type { StoredChannel } from "../model/Records.ts"
import { canView } from "../state/Permissions.ts"
import { Intent } from "./Codes.ts"

/** A gateway event, with what decides which sessions receive it. */
export interface Dispatch {
  readonly event: string
  readonly data: object
  /** The intents of which a session needs one; 0 for none. */
  readonly intents: number
  /** Direct messages go to the first shard. */
  readonly direct: boolean
  /** Set on messages whose content needs the message content intent. */
  readonly contentProtected?: boolean
}

/** Whether the bot sees a channel. */
export const isSeen = ({ store }: Context, channel: StoredChannel | undefined): boolean =>
  channel === undefined || canView(store, store.realm.botId, channel)

/** Whether a channel is a direct one. */
export const isDirect = (context: Context, channelId: string): boolean =>
  context.store.channels.get(channelId)?.recipientId !== undefined

/** The guild of an event; direct channels have none. */
export const guildField = (context: Context, direct: boolean): object =>
  direct ? {} : { guild_id: context.store.realm.guildId }

/** The intent that lets the messages of a channel through. */
export const messageIntents = (direct: boolean): number => (direct ? Intent.directMessages : Intent.messages)
