import type {
  APIApplicationCommand,
  APIEmbed,
  APIGuildForumTag,
  APIMessageTopLevelComponent
} from "discord-api-types/v10"

/** The one guild and the one application of this Discord. */
export interface Realm {
  readonly applicationId: string
  readonly botId: string
  readonly botToken: string
  readonly guildId: string
  readonly guildName: string
  readonly ownerId: string
  readonly everyoneRoleId: string
  readonly botRoleId: string
  readonly channelId: string
  /** The language that the guild has chosen. */
  readonly locale?: string
  readonly createdAt: string
}

/** A person or a bot, member of the guild. */
export interface StoredUser {
  readonly id: string
  readonly username: string
  readonly globalName: string | null
  readonly bot: boolean
  /** Colour of the drawn avatar, as `#rrggbb`. */
  readonly avatarColor: string
  /** Language of the client, such as `en-US`. */
  readonly locale?: string
}

/** What only a thread has. */
interface ThreadState {
  readonly archived: boolean
  readonly locked: boolean
  readonly invitable: boolean
  /** Minutes: 60, 1440, 4320 or 10080. */
  readonly autoArchiveDuration: number
  readonly archiveTimestamp: string
  readonly createTimestamp: string
  readonly memberIds: ReadonlyArray<string>
}

/** A guild channel, a thread (`thread` is set) or a direct channel (`recipientId` is set). */
export interface StoredChannel {
  readonly id: string
  readonly type: number
  readonly name: string
  readonly guildId?: string
  readonly parentId: string | null
  readonly position: number
  readonly topic: string | null
  readonly ownerId?: string
  readonly slowmode: number
  readonly thread?: ThreadState
  readonly recipientId?: string
  readonly appliedTags?: ReadonlyArray<string>
  readonly availableTags?: ReadonlyArray<APIGuildForumTag>
}

/** A file of a message; its bytes are kept under `id`. */
export interface StoredAttachment {
  readonly id: string
  readonly filename: string
  readonly title?: string
  readonly description?: string
  readonly contentType: string
  readonly size: number
  readonly width?: number
  readonly height?: number
}

/** One emoji below a message and who gave it. */
export interface StoredReaction {
  readonly emoji: { readonly id: string | null; readonly name: string }
  readonly userIds: ReadonlyArray<string>
}

/** A message as kept; `Render` turns it into what a client gets. */
export interface StoredMessage {
  readonly id: string
  readonly channelId: string
  readonly authorId: string
  readonly type: number
  readonly content: string
  readonly flags: number
  readonly timestamp: string
  readonly editedTimestamp: string | null
  readonly embeds: ReadonlyArray<APIEmbed>
  readonly components: ReadonlyArray<APIMessageTopLevelComponent>
  readonly attachments: ReadonlyArray<StoredAttachment>
  readonly mentionIds: ReadonlyArray<string>
  readonly mentionEveryone: boolean
  readonly reactions: ReadonlyArray<StoredReaction>
  readonly pinned: boolean
  readonly reference?: { readonly channelId: string; readonly messageId?: string }
  readonly nonce?: string | number
  readonly enforceNonce?: boolean
  /** The interaction this answers, as it is shown above the message. */
  readonly interaction?: { readonly id: string; readonly type: number; readonly userId: string; readonly name?: string }
  /** Set on ephemeral messages: the only person who sees it. */
  readonly visibleTo?: string
}

/** An interaction and how far its answer got. */
export interface StoredInteraction {
  readonly id: string
  readonly token: string
  readonly type: number
  readonly userId: string
  readonly channelId: string
  /** Milliseconds. */
  readonly createdAt: number
  readonly commandName?: string
  /** The message whose component was used, or from which the modal came. */
  readonly sourceId?: string
  /** The first answer, once given: a callback type. */
  readonly answered?: number
  /** Nobody answered in time. */
  readonly failed?: boolean
  /** The message that `@original` means. */
  readonly originalId?: string
  /** The deferred answer is still to be filled. */
  readonly pending?: boolean
  readonly ephemeral?: boolean
  /** The opened modal, for checking what is submitted. */
  readonly modal?: unknown
}

/** One entry of the event log: a record in its new state, or the removal of one. */
export type Change =
  | { readonly kind: "realm"; readonly value: Realm }
  | { readonly kind: "user"; readonly value: StoredUser }
  | { readonly kind: "channel"; readonly value: StoredChannel }
  | { readonly kind: "channel_gone"; readonly id: string }
  | { readonly kind: "message"; readonly value: StoredMessage }
  | { readonly kind: "message_gone"; readonly channelId: string; readonly id: string }
  | {
      readonly kind: "commands"
      readonly guildId: string | null
      readonly value: ReadonlyArray<APIApplicationCommand>
    }
  | { readonly kind: "interaction"; readonly value: StoredInteraction }
