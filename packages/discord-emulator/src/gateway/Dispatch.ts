import type { Context } from "../context/Context.ts"
import type { StoredChannel } from "../model/Records.ts"
import { canView } from "../state/Permissions.ts"
import { Intent } from "./Codes.ts"

/** A gateway event, with the fields that decide which sessions receive it. */
export interface Dispatch {
  readonly event: string
  readonly data: object
  /** The intents of which a session needs one; 0 for none. */
  readonly intents: number
  /** Direct messages go to the first shard. */
  readonly isDirectMessage: boolean
  /** Set on messages whose content needs the message content intent. */
  readonly needsContentIntent?: boolean
}

/** Whether the bot can view a channel; `undefined` is a deleted one. */
export const botCanView = ({ store }: Context, channel: StoredChannel | undefined): boolean =>
  channel === undefined || canView(store, store.guild.botId, channel)

/** Whether a channel is a direct message channel. */
export const isDirectChannel = (context: Context, channelId: string): boolean =>
  context.store.channels.get(channelId)?.recipientId !== undefined

/** The guild of an event; direct channels have none. */
export const guildField = (context: Context, isDirectMessage: boolean): object =>
  isDirectMessage ? {} : { guild_id: context.store.guild.guildId }

/** The intent that lets the messages of a channel through. */
export const messageIntents = (isDirectMessage: boolean): number =>
  isDirectMessage ? Intent.directMessages : Intent.guildMessages
