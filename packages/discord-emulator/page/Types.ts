import type { APIApplicationCommand, APIMessage, APIModalInteractionResponseCallbackData } from "discord-api-types/v10"

/** Is one account of the local server, a person or a bot. */
export interface Person {
  readonly id: string
  readonly username: string
  readonly globalName?: string | null
  readonly bot?: boolean
  /** Is the RGB colour of the drawn avatar. */
  readonly avatarColor?: number | null
}

/** Is one channel or thread; a thread names its channel in `parentId`. */
export interface Channel {
  readonly id: string
  readonly name: string
  readonly type: number
  readonly parentId?: string | null
  readonly archived?: boolean
  readonly locked?: boolean
  readonly unread?: boolean
}

/** Is everything but messages, sent once per connection. */
export interface Snapshot {
  readonly me: string
  readonly users: ReadonlyArray<Person>
  readonly guild: { readonly id: string; readonly name: string }
  readonly channels: ReadonlyArray<Channel>
  readonly commands: ReadonlyArray<Command>
}

/** Is a slash command as the bot registered it. */
export type Command = APIApplicationCommand

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
