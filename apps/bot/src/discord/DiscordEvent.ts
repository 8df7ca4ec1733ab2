/** What Discord tells the bot, as plain data: everything that is acted on is in the event itself. */
export type DiscordEvent =
  /** A new session of the gateway: what happened before it is not told. */
  | { readonly _tag: "Ready"; readonly written: ReadonlyArray<Written> }
  | { readonly _tag: "GuildAvailable"; readonly guildId: string }
  | { readonly _tag: "Message"; readonly message: IncomingMessage }
  | { readonly _tag: "MessageEdited"; readonly message: IncomingMessage }
  | { readonly _tag: "MessagesDeleted"; readonly channelId: string; readonly messageIds: ReadonlyArray<string> }
  /** Deleted, or locked. */
  | { readonly _tag: "ThreadGone"; readonly threadId: string }
  | { readonly _tag: "ThreadUnlocked"; readonly threadId: string }
  | MessagePicked
  | Invoked
  | Pressed

/** A slash command with its subcommand, as in `task new`. */
export interface Invoked {
  readonly _tag: "Invoked"
  readonly reply: ReplyTo
  readonly path: string
  readonly options: Readonly<Record<string, string | number | boolean>>
  readonly attachments: ReadonlyArray<Attachment>
}

/** A channel or thread in which something is written, and the newest message there. */
export interface Written {
  readonly channelId: string
  readonly lastMessageId: string
}

/** The command in a message's menu: start a task with this message. */
export interface MessagePicked {
  readonly _tag: "MessagePicked"
  readonly reply: ReplyTo
  readonly message: IncomingMessage
  /** A thread can be opened on the message: it is in a channel and has none. */
  readonly opensThread: boolean
}

/** A button was pressed, something chosen in a select, or a form sent. */
export interface Pressed {
  readonly _tag: "Pressed"
  readonly reply: ReplyTo
  readonly customId: string
  /** What was chosen, or written; empty for a button. */
  readonly values: ReadonlyArray<string>
}

/** Where an interaction happened and how to answer it; the token is good for 15 minutes. */
export interface ReplyTo {
  readonly id: string
  readonly token: string
  readonly userId: string
  readonly guildId: string | undefined
  readonly channelId: string
  /** The channel that the thread belongs to, when it happened in a thread. */
  readonly parentId: string | undefined
  readonly locale: string
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
  readonly content: string
  readonly attachments: ReadonlyArray<Attachment>
  /** Where it was written, when the gateway has told of that channel. */
  readonly place?: Place
}

/** The place of a message, and whether the bot is asked there. */
export interface Place {
  readonly guildId: string
  /** The channel that the thread belongs to, when it is in a thread. */
  readonly parentId: string | undefined
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
