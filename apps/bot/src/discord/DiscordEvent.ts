import type { Person, Roles } from "../model/Access.ts"

/** The gateway's events as plain data, complete enough to act on. */
export type DiscordEvent = UserEvent | SystemEvent

/** An event that a person caused; only guarded handlers receive it. */
export type UserEvent = Interaction | MessageEvent

/** Edits and deletions of messages. */
type MessageEvent =
  | { readonly _tag: "Message"; readonly message: IncomingMessage }
  | { readonly _tag: "MessageEdited"; readonly message: IncomingMessage }
  | { readonly _tag: "MessagesDeleted"; readonly channelId: string; readonly messageIds: ReadonlyArray<string> }

/** Events without a person's request, and moderators' actions: the bot follows them, and they grant nothing. */
export type SystemEvent =
  /** A new gateway session: earlier events are not replayed. */
  | { readonly _tag: "Ready"; readonly written: ReadonlyArray<Written> }
  | { readonly _tag: "GuildAvailable"; readonly guildId: string }
  /** Deleted, or locked. */
  | { readonly _tag: "ThreadGone"; readonly threadId: string }
  | { readonly _tag: "ThreadUnlocked"; readonly threadId: string }
  | { readonly _tag: "PermissionsChanged"; readonly guildId: string }

/** An interaction; Discord expects a response within three seconds. */
export type Interaction = Autocomplete | SlashCommand | MessageCommand | UnknownInteraction | ComponentOrModalSubmit

/** An interaction that this version does not support, such as a command in a user's menu. */
export interface UnknownInteraction {
  readonly _tag: "UnknownInteraction"
  readonly reply: ReplyTo
}

/** A slash command with its subcommand, such as `task new`. */
export interface SlashCommand {
  readonly _tag: "SlashCommand"
  readonly reply: ReplyTo
  readonly path: string
  readonly options: Readonly<Record<string, string | number | boolean>>
  readonly attachments: ReadonlyArray<Attachment>
  /** The bots among the users in the options. */
  readonly bots: ReadonlyArray<string>
}

/** A channel or thread that people write in, with its newest message. */
export interface Written {
  readonly channelId: string
  readonly lastMessageId: string
}

/** Discord requests suggestions for an option that a person is typing. */
export interface Autocomplete extends Omit<SlashCommand, "_tag"> {
  readonly _tag: "Autocomplete"
  /** The option and its current text. */
  readonly focused: { readonly name: string; readonly value: string }
}

/** A command in a message's menu. */
export interface MessageCommand {
  readonly _tag: "MessageCommand"
  readonly reply: ReplyTo
  /** The command's name. */
  readonly name: string
  readonly message: IncomingMessage
  /** A thread can be opened on the message: it is in a channel and has no thread. */
  readonly opensThread: boolean
}

/** A pressed button, a choice in a select, or a submitted form. */
export interface ComponentOrModalSubmit {
  readonly _tag: "ComponentOrModalSubmit"
  readonly reply: ReplyTo
  readonly customId: string
  /** The chosen values, or the texts of a form's fields in order; empty for a button. */
  readonly values: ReadonlyArray<string>
  /** The texts of a form, by field. */
  readonly fields: Readonly<Record<string, string>>
  /** The roles among the chosen values. */
  readonly roles: ReadonlyArray<string>
  /** The interaction whose answer contains the control or opened the form; absent without one. */
  readonly sourceInteractionId?: string
  /** Only the person sees the control's message. */
  readonly inPrivate?: true
}

/** The place of an interaction and the token for its answer, which expires after 15 minutes. */
export interface ReplyTo extends Person {
  readonly id: string
  readonly token: string
  /** The person's display name and unique user name. */
  readonly displayName: string
  readonly userName: string
  readonly channelId: string
  /** The thread's parent channel, in a thread. */
  readonly parentId: string | undefined
  /** The interaction came from a private or unknown thread, which may have fewer readers than its channel. */
  readonly hidden: boolean
  /** The locales of the person and of the server. */
  readonly locale: string
  readonly guildLocale: string | undefined
}

/** A message of a person, a bot or Discord itself. */
export interface IncomingMessage {
  readonly id: string
  readonly channelId: string
  readonly authorId: string
  /** The author's display name. */
  readonly authorName: string
  /** A person wrote it, neither a bot nor Discord's system. */
  readonly fromPerson: boolean
  /** This bot wrote it. */
  readonly own?: "message" | "reply"
  /** The message that it replies to; only for messages read over REST. */
  readonly repliesTo?: string
  readonly content: string
  readonly attachments: ReadonlyArray<Attachment>
  /** A direct message to the bot. */
  readonly direct?: boolean
  /** Its place, when the gateway knows the channel. */
  readonly place?: MessageLocation
  /** The author's membership; undefined for messages read over REST. */
  readonly roleIds?: Roles
}

/** The place of a message, and whether it addresses the bot. */
export interface MessageLocation {
  readonly guildId: string
  /** The thread's parent channel, in a thread. */
  readonly parentId: string | undefined
  /** A private thread, which has fewer readers than its channel. */
  readonly hidden: boolean
  /** The thread is a post in a forum. */
  readonly forum: boolean
  /**
   * The message requests a task: it mentions the bot, or it opens a post in a forum whose guidelines mention the bot.
   * `prompt` is its text without the mention.
   */
  readonly asksForTask: boolean
  readonly prompt: string
}

/** An attachment; `url` is valid for about a day, `size` is in bytes. */
export interface Attachment {
  readonly name: string
  readonly url: string
  readonly size: number
  readonly contentType: string | undefined
}
