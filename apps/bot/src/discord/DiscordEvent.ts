import type { Person, Roles } from "../model/Access.ts"

/** What Discord tells the bot, as plain data: everything that is acted on is in the event itself. */
export type DiscordEvent = ByPeople | BySystem

/** What a person did: none of it is handled but by a handler that asks the policy. */
export type ByPeople = Interacted | Said

/** What becomes of messages. */
type Said =
  | { readonly _tag: "Message"; readonly message: IncomingMessage }
  | { readonly _tag: "MessageEdited"; readonly message: IncomingMessage }
  | { readonly _tag: "MessagesDeleted"; readonly channelId: string; readonly messageIds: ReadonlyArray<string> }

/** What happens by itself, or what Discord let moderators do: the bot follows, and nobody gets anything by it. */
export type BySystem =
  /** A new session of the gateway: what happened before it is not told. */
  | { readonly _tag: "Ready"; readonly written: ReadonlyArray<Written> }
  | { readonly _tag: "GuildAvailable"; readonly guildId: string }
  /** Deleted, or locked. */
  | { readonly _tag: "ThreadGone"; readonly threadId: string }
  | { readonly _tag: "ThreadUnlocked"; readonly threadId: string }
  | { readonly _tag: "PermissionsChanged"; readonly guildId: string }

/** Something that Discord wants an answer to within three seconds. */
export type Interacted = Completing | Invoked | MessagePicked | NotKnown | Pressed

/** Something that this version of the bot has nothing for, such as a command in the menu of a person. */
export interface NotKnown {
  readonly _tag: "NotKnown"
  readonly reply: ReplyTo
}

/** A slash command with its subcommand, as in `task new`. */
export interface Invoked {
  readonly _tag: "Invoked"
  readonly reply: ReplyTo
  readonly path: string
  readonly options: Readonly<Record<string, string | number | boolean>>
  readonly attachments: ReadonlyArray<Attachment>
  /** Which of the people that were named in options are bots. */
  readonly bots: ReadonlyArray<string>
}

/** A channel or thread in which something is written, and the newest message there. */
export interface Written {
  readonly channelId: string
  readonly lastMessageId: string
}

/** An option of a slash command is being typed, and Discord asks what to suggest. */
export interface Completing extends Omit<Invoked, "_tag"> {
  readonly _tag: "Completing"
  /** The option, with what it says so far. */
  readonly focused: { readonly name: string; readonly value: string }
}

/** A command in a message's menu. */
export interface MessagePicked {
  readonly _tag: "MessagePicked"
  readonly reply: ReplyTo
  /** The name of the command. */
  readonly name: string
  readonly message: IncomingMessage
  /** A thread can be opened on the message: it is in a channel and has none. */
  readonly opensThread: boolean
}

/** A button was pressed, something chosen in a select, or a form sent. */
export interface Pressed {
  readonly _tag: "Pressed"
  readonly reply: ReplyTo
  readonly customId: string
  /** What was chosen, or written in the fields of a form one after the other; empty for a button. */
  readonly values: ReadonlyArray<string>
  /** What was written in a form, by field. */
  readonly fields: Readonly<Record<string, string>>
  /** Which of the chosen values are roles. */
  readonly roles: ReadonlyArray<string>
  /** The interaction whose answer the control is on, or the form was opened from; absent where none is. */
  readonly cardId?: string
  /** Nobody else sees the message that the control is on. */
  readonly inPrivate?: true
}

/** Where an interaction happened and how to answer it; the token is good for 15 minutes. */
export interface ReplyTo extends Person {
  readonly id: string
  readonly token: string
  /** What the person is called at Discord, and the unique name that they are known by. */
  readonly displayName: string
  readonly userName: string
  readonly channelId: string
  /** The channel that the thread belongs to, when it happened in a thread. */
  readonly parentId: string | undefined
  /** It happened in a private thread, which fewer people read than its channel, or in a thread of which nothing is known. */
  readonly hidden: boolean
  /** The language of the person, and that of the server. */
  readonly locale: string
  readonly guildLocale: string | undefined
}

/** A message of a person, of a bot, or of Discord itself. */
export interface IncomingMessage {
  readonly id: string
  readonly channelId: string
  readonly authorId: string
  /** What the author is called. */
  readonly authorName: string
  /** A person wrote it: neither a bot nor Discord, which tells of new titles and the like. */
  readonly fromPerson: boolean
  /** This bot wrote it, by itself or as a reply. */
  readonly own?: "message" | "reply"
  /** The message that it replies to; told of messages that were read. */
  readonly repliesTo?: string
  readonly content: string
  readonly attachments: ReadonlyArray<Attachment>
  /** It was written to the bot in direct messages. */
  readonly direct?: boolean
  /** Where it was written, when the gateway has told of that channel. */
  readonly place?: Place
  /** Its author in the server; undefined when the message was read later, which tells nothing of them. */
  readonly roleIds?: Roles
}

/** The author of a message in a server. What they may do at Discord is not told, and no message asks for it. */
export const personOf = ({ authorId, roleIds }: IncomingMessage, guildId: string | undefined): Person => ({
  userId: authorId,
  guildId,
  roleIds,
  managesServer: false
})

/** The place of a message, and whether the bot is asked there. */
export interface Place {
  readonly guildId: string
  /** The channel that the thread belongs to, when it is in a thread. */
  readonly parentId: string | undefined
  /** It is a private thread, which fewer people read than its channel. */
  readonly hidden: boolean
  /** The thread is a post in a forum. */
  readonly forum: boolean
  /**
   * The message asks the bot for a task: it mentions the bot, or it opens a post in a forum whose guidelines mention
   * the bot. What it says besides the mention is `prompt`.
   */
  readonly asksForTask: boolean
  readonly prompt: string
}

/** A file at Discord; `url` is good for about a day, `size` is bytes. */
export interface Attachment {
  readonly name: string
  readonly url: string
  readonly size: number
  readonly contentType: string | undefined
}
