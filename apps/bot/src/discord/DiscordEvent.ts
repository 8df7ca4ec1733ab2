/** What Discord tells the bot, as plain data: everything that is acted on is in the event itself. */
export type DiscordEvent =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "GuildAvailable"; readonly guildId: string }
  | { readonly _tag: "Message"; readonly message: IncomingMessage }
  | { readonly _tag: "ThreadGone"; readonly threadId: string }
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

/** A message of a person or a bot. */
export interface IncomingMessage {
  readonly id: string
  readonly channelId: string
  readonly authorId: string
  readonly bot: boolean
  readonly content: string
  readonly attachments: ReadonlyArray<Attachment>
}

/** A file at Discord; `url` is good for about a day, `size` is bytes. */
export interface Attachment {
  readonly name: string
  readonly url: string
  readonly size: number
  readonly contentType: string | undefined
}
