import type {
  APIApplicationCommand,
  APIMessage,
  APIModalInteractionResponseCallbackData,
  APIRole
} from "discord-api-types/v10"

/** Is one account of the local server, a person or a bot. */
export interface Person {
  readonly id: string
  readonly username: string
  readonly globalName?: string | null
  readonly bot?: boolean
  /** Is the colour of the drawn avatar, as `#rrggbb`. */
  readonly avatarColor?: string
  /** Is what this person is called in the guild. */
  readonly nick?: string | null
  /** Are the ids of their roles. */
  readonly roles?: ReadonlyArray<string>
  /** Is false once they left the guild. */
  readonly member?: boolean
  readonly status?: string
}

/** Is a tag that a forum offers for its posts. */
export interface ForumTag {
  readonly id: string
  readonly name: string
  readonly emoji_name?: string | null
}

/** Is one channel or thread; a thread names its channel in `parentId`. */
export interface Channel {
  readonly id: string
  readonly name: string
  readonly type: number
  readonly parentId?: string | null
  readonly position?: number
  readonly topic?: string
  readonly ownerId?: string
  readonly flags?: number
  /** Are a forum's tags, and those of a post by their ids. */
  readonly tags?: ReadonlyArray<ForumTag>
  readonly appliedTags?: ReadonlyArray<string>
  /** Says whether the person may write here, delete what others wrote, and start threads. */
  readonly canSend?: boolean
  readonly canManage?: boolean
  readonly canThread?: boolean
  readonly archived?: boolean
  readonly locked?: boolean
  readonly unread?: boolean
}

/** Is the server, with its language and whether this person may change it. */
interface Guild {
  readonly id: string
  readonly name: string
  readonly ownerId: string
  readonly locale: string
  readonly canManage: boolean
}

/** Is everything but messages, sent once per connection. */
export interface Snapshot {
  readonly me: string
  /** Is the language of this person's client, and all that there are. */
  readonly locale: string
  readonly locales: ReadonlyArray<string>
  readonly botId: string
  readonly users: ReadonlyArray<Person>
  readonly roles: ReadonlyArray<APIRole>
  readonly guild: Guild
  readonly channels: ReadonlyArray<Channel>
  readonly commands: ReadonlyArray<Command>
}

/** Is a command as the bot registered it, with its texts in the person's language where it has some. */
export type Command = APIApplicationCommand & Localized

/** Holds what a command, an option or a choice is called in the person's language. */
export interface Localized {
  readonly name_localized?: string
  readonly description_localized?: string
}

/** Is a message as the REST API shows it. */
export type Message = APIMessage

/** Is the form that a bot opened. */
export type ModalForm = APIModalInteractionResponseCallbackData

/** Is one suggestion for a command option. */
export interface Choice {
  readonly name: string
  readonly value: string | number | boolean
}

/** Is what became of an interaction once the bot acknowledged it, or did not. */
export interface InteractionAnswer {
  readonly id: string
  readonly type: "message" | "deferred" | "update" | "modal" | "failed" | "choices"
  readonly modal?: ModalForm
  readonly choices?: ReadonlyArray<Choice>
  readonly error?: string
}

/** Is set on messages that only one person sees. */
export const EPHEMERAL = 64
/** Is set on a deferred answer that is not there yet. */
export const LOADING = 128

/** Are the numbers of the kinds of channel that the page tells apart. */
export const ChannelType = { text: 0, direct: 1, category: 4, announcement: 5, forum: 15 } as const

/** Says whether a channel is a thread. */
export const isThread = (channel: Pick<Channel, "type">): boolean => channel.type >= 10 && channel.type <= 12
