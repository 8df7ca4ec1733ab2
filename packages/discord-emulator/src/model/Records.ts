import type {
  APIApplicationCommand,
  APIEmbed,
  APIGuildForumTag,
  APIMessageTopLevelComponent
} from "discord-api-types/v10"

/** The one guild of the emulator, with the application installed in it. Logs on disk call its kind `realm`. */
export interface StoredGuild {
  readonly applicationId: string
  readonly botId: string
  readonly botToken: string
  readonly guildId: string
  readonly guildName: string
  readonly ownerId: string
  readonly everyoneRoleId: string
  readonly botRoleId: string
  readonly channelId: string
  /** The preferred locale of the guild. */
  readonly locale?: string
  readonly createdAt: string
  /** Changed fields of the guild and of the application, as Discord's API names them. */
  readonly guild?: Readonly<Record<string, unknown>>
  readonly application?: Readonly<Record<string, unknown>>
}

/** A person or a bot. */
export interface StoredUser {
  readonly id: string
  readonly username: string
  readonly globalName: string | null
  readonly bot: boolean
  /** Colour of the drawn avatar, as `#rrggbb`. */
  readonly avatarColor: string
  /** The locale of the client, such as `en-US`. */
  readonly locale?: string
  /** Whether the user blocks direct messages from the bot. */
  readonly blocksDirectMessages?: boolean
}

/** A guild member; `id` is the id of the user. */
export interface StoredMember {
  readonly id: string
  readonly nick: string | null
  readonly roleIds: ReadonlyArray<string>
  readonly joinedAt: string
  /** When a timeout ends; it may lie in the past. */
  readonly timeoutUntil: string | null
}

/** A role; permissions are a decimal text, as Discord sends them. */
export interface StoredRole {
  readonly id: string
  readonly name: string
  readonly permissions: string
  readonly position: number
  readonly color: number
  readonly hoist: boolean
  readonly mentionable: boolean
  /** The role of the bot, which cannot be assigned or deleted. */
  readonly managed: boolean
}

/** A permission overwrite of a role (type 0) or a member (type 1). */
export interface Overwrite {
  readonly id: string
  readonly type: 0 | 1
  readonly allow: string
  readonly deny: string
}

/** A webhook of a channel. */
export interface StoredWebhook {
  readonly id: string
  readonly token: string
  readonly channelId: string
  readonly name: string
  readonly creatorId: string
}

/** The fields that only a thread has. */
interface ThreadState {
  readonly archived: boolean
  readonly locked: boolean
  readonly invitable: boolean
  /** Minutes: 60, 1440, 4320 or 10080. */
  readonly autoArchiveDuration: number
  readonly archiveTimestamp: string
  readonly createTimestamp: string
  readonly memberIds: ReadonlyArray<string>
  /** The join time of members who joined after the thread was created. */
  readonly joined?: Readonly<Record<string, string>>
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
  readonly overwrites?: ReadonlyArray<Overwrite>
  readonly nsfw?: boolean
  readonly flags?: number
  readonly lastPinAt?: string
  /** The default auto archive duration of new threads, in minutes. */
  readonly defaultAutoArchiveDuration?: number | null
  /** Copied to new threads, in seconds. */
  readonly defaultThreadSlowmode?: number
  readonly defaultReaction?: DefaultReaction | null
  readonly defaultSortOrder?: number | null
  readonly defaultLayout?: number
  /** How many messages of a thread were deleted before the log was last compacted. */
  readonly deletedMessages?: number
}

/** The default reaction of a forum's posts. */
export interface DefaultReaction {
  readonly emoji_id: string | null
  readonly emoji_name: string | null
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

/** One emoji of a message and the users who reacted with it. */
export interface StoredReaction {
  readonly emoji: { readonly id: string | null; readonly name: string }
  readonly userIds: ReadonlyArray<string>
}

/** The interaction that a message responds to. */
export interface AnsweredInteraction {
  readonly id: string
  readonly type: number
  readonly userId: string
  readonly name?: string
  /** The message whose component was used. */
  readonly interactedMessageId?: string
  /** The message or user that a context menu command was used on. */
  readonly targetMessageId?: string
  readonly targetUserId?: string
  /** Set on follow-ups: the id of the first response. */
  readonly originalId?: string
  /** The interaction that opened the submitted modal. */
  readonly openedBy?: AnsweredInteraction
}

/** The message that a message replies to, refers to or forwards. */
interface MessageReference {
  readonly channelId: string
  readonly messageId?: string
  readonly forward?: true
}

/** The copy of a message that a forward shows, with copies of its files. */
export type MessageSnapshot = Pick<
  StoredMessage,
  | "type"
  | "content"
  | "flags"
  | "timestamp"
  | "editedTimestamp"
  | "embeds"
  | "components"
  | "attachments"
  | "mentionIds"
  | "mentionRoleIds"
>

/** A stored message; `renderMessage` makes the message object of Discord's API. */
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
  readonly pinnedAt?: string
  readonly mentionRoleIds?: ReadonlyArray<string>
  /** The name under which a webhook sent it; `authorId` is the id of the webhook. */
  readonly webhook?: { readonly name: string; readonly avatarUrl?: string }
  readonly reference?: MessageReference
  /** Set on forwards: the message as it was then. */
  readonly snapshot?: MessageSnapshot
  /** Whether it is read aloud. */
  readonly tts?: boolean
  readonly nonce?: string | number
  readonly enforceNonce?: boolean
  readonly interaction?: AnsweredInteraction
  /** Set on ephemeral messages: the id of the user who sees it. */
  readonly visibleTo?: string
}

/** An interaction and the state of its response. */
export interface StoredInteraction {
  readonly id: string
  readonly token: string
  readonly type: number
  readonly userId: string
  readonly channelId: string
  /** Milliseconds. */
  readonly createdAt: number
  readonly commandName?: string
  /** The interaction that opened the submitted modal. */
  readonly openedBy?: AnsweredInteraction
  /** The message whose component was used, or from which the modal came. */
  readonly sourceId?: string
  readonly targetMessageId?: string
  readonly targetUserId?: string
  /** The callback type of the first response, once there is one. */
  readonly answered?: number
  /** The application sent no first response in time. */
  readonly failed?: boolean
  /** The id of the `@original` message. */
  readonly originalId?: string
  /** Whether the deferred response is still empty. */
  readonly pending?: boolean
  readonly ephemeral?: boolean
  /** The opened modal, which the submitted values are checked against. */
  readonly modal?: unknown
}

/** One entry of the journal: the new state of a record, or its removal. */
export type Change =
  | { readonly kind: "realm"; readonly value: StoredGuild }
  | { readonly kind: "user"; readonly value: StoredUser }
  | { readonly kind: "member"; readonly value: StoredMember }
  | { readonly kind: "member_gone"; readonly id: string }
  | { readonly kind: "role"; readonly value: StoredRole }
  | { readonly kind: "role_gone"; readonly id: string }
  | { readonly kind: "webhook"; readonly value: StoredWebhook }
  | { readonly kind: "webhook_gone"; readonly id: string }
  /** A quiet change sends no channel update event. */
  | { readonly kind: "channel"; readonly value: StoredChannel; readonly quiet?: boolean }
  | { readonly kind: "channel_gone"; readonly id: string }
  /** `cleared`: all reactions were removed at once, or those with one emoji. */
  | { readonly kind: "message"; readonly value: StoredMessage; readonly cleared?: "all" | StoredReaction["emoji"] }
  | { readonly kind: "message_gone"; readonly channelId: string; readonly id: string }
  | { readonly kind: "messages_gone"; readonly channelId: string; readonly ids: ReadonlyArray<string> }
  | {
      readonly kind: "commands"
      readonly guildId: string | null
      readonly value: ReadonlyArray<APIApplicationCommand>
    }
  | { readonly kind: "interaction"; readonly value: StoredInteraction }
