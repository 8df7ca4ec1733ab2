import type {
  APIApplicationCommand,
  APIMessage,
  APIModalInteractionResponseCallbackData,
  APIRole
} from "discord-api-types/v10"

/** One account of the local server, a person or a bot. */
export interface Person {
  readonly id: string
  readonly username: string
  readonly globalName?: string | null
  readonly bot?: boolean
  /** The colour of the drawn avatar, as `#rrggbb`. */
  readonly avatarColor?: string
  /** What this person is called in the guild. */
  readonly nick?: string | null
  /** The ids of their roles. */
  readonly roles?: ReadonlyArray<string>
  /** False once they left the guild. */
  readonly member?: boolean
  readonly status?: string
}

/** A tag that a forum offers for its posts. */
export interface ForumTag {
  readonly id: string
  readonly name: string
  readonly emoji_name?: string | null
}

/** One channel or thread; a thread names its channel in `parentId`. */
export interface Channel {
  readonly id: string
  readonly name: string
  readonly type: number
  readonly parentId?: string | null
  readonly position?: number
  readonly topic?: string
  readonly ownerId?: string
  readonly flags?: number
  /** A forum's tags, and those of a post by their ids. */
  readonly tags?: ReadonlyArray<ForumTag>
  readonly appliedTags?: ReadonlyArray<string>
  /** Whether the person may write here, delete what others wrote, and start threads. */
  readonly canSend?: boolean
  readonly canManage?: boolean
  readonly canThread?: boolean
  readonly archived?: boolean
  readonly locked?: boolean
  readonly unread?: boolean
}

/** The server, with its language and whether this person may change it. */
interface Guild {
  readonly id: string
  readonly name: string
  readonly ownerId: string
  readonly locale: string
  readonly canManage: boolean
}

/** Everything but messages, sent once per connection. */
export interface Snapshot {
  readonly me: string
  /** The language of this person's client, and all that there are. */
  readonly locale: string
  readonly locales: ReadonlyArray<string>
  readonly botId: string
  readonly users: ReadonlyArray<Person>
  readonly roles: ReadonlyArray<APIRole>
  readonly guild: Guild
  readonly channels: ReadonlyArray<Channel>
  readonly commands: ReadonlyArray<Command>
}

/** A command as the bot registered it, with its texts in the person's language where it has some. */
export type Command = APIApplicationCommand & Localized

/** What a command, an option or a choice is called in the person's language. */
export interface Localized {
  readonly name_localized?: string
  readonly description_localized?: string
}

/** A message as the REST API shows it. */
export type Message = APIMessage

/** The form that a bot opened. */
export type ModalForm = APIModalInteractionResponseCallbackData

/** One suggestion for a command option. */
export interface Choice {
  readonly name: string
  readonly value: string | number | boolean
}

/** What became of an interaction once the bot acknowledged it, or did not. */
export interface InteractionResponse {
  readonly id: string
  readonly type: "message" | "deferred" | "update" | "modal" | "failed" | "choices"
  readonly modal?: ModalForm
  readonly choices?: ReadonlyArray<Choice>
  readonly error?: string
}

/** Set on messages that only one person sees. */
export const EPHEMERAL = 64
/** Set on a deferred response without content. */
export const LOADING = 128

/** The channel types that the page distinguishes. */
export const ChannelType = { text: 0, direct: 1, category: 4, announcement: 5, forum: 15 } as const

/** Whether a channel is a thread. */
export const isThread = (channel: Pick<Channel, "type">): boolean => channel.type >= 10 && channel.type <= 12
