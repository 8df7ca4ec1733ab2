import type { APIRole } from "discord-api-types/v10"
import type { OptionInput } from "./Commands.ts"
import type { Channel, Choice, Command, Message, ModalForm, Person, Snapshot } from "./Types.ts"

/** Is a slash command that a person is filling in. */
export interface CommandDraft {
  readonly path: string
  readonly values: Readonly<Record<string, OptionInput>>
  /** Are the optional options that the person asked for. */
  readonly shown: ReadonlyArray<string>
  readonly focused?: string | undefined
  readonly choices?: ReadonlyArray<Choice> | undefined
  readonly problems?: Readonly<Record<string, string>> | undefined
}

/** The mention being typed in front of the caret: where it starts and what it says so far. */
export interface MentionQuery {
  readonly at: number
  readonly typed: string
}

/** Is what a person wrote in one channel and has not sent. */
export interface Draft {
  readonly text: string
  readonly files: ReadonlyArray<File>
  readonly replyTo?: string | undefined
  /** Is the mention that is being typed. */
  readonly mentioning?: MentionQuery | undefined
  readonly command?: CommandDraft | undefined
  /** Is the highlighted line of the list above the composer. */
  readonly highlighted: number
  readonly listClosed: boolean
  readonly sending: boolean
  readonly error?: string | undefined
}

/** Is a command on its way, or one that got no answer. */
export interface Pending {
  readonly key: string
  readonly channel: string
  /** Is the newest message that was there when it was sent; it stands below that one. */
  readonly after?: string | undefined
  readonly command: CommandDraft
  readonly error?: string | undefined
}

/** Is one channel's messages as far as they were loaded, oldest first. */
export interface Loaded {
  readonly list: ReadonlyArray<Message>
  /** Says that there is nothing older. */
  readonly whole: boolean
  /** Says that this has to be loaded (again): it was not yet, or changes may have been missed. */
  readonly stale: boolean
  /** Are the messages that came by themselves while the list was stale; loading must not lose them. */
  readonly news: ReadonlySet<string>
}

// A post (in a forum) or a thread (at a message) that the person is about to open.
interface Making {
  readonly channel: string
  readonly message?: string | undefined
  readonly sending: boolean
  readonly error?: string | undefined
}

// A form that a bot opened for this person.
interface OpenModal {
  readonly interaction: string
  readonly form: ModalForm
  readonly sending: boolean
  readonly error?: string | undefined
}

/** Is all that the page knows; it only changes through `reduce`. */
export interface State {
  readonly connection: "connecting" | "live" | "lost"
  readonly me?: string | undefined
  readonly locale: string
  readonly locales: ReadonlyArray<string>
  readonly guild?: Snapshot["guild"] | undefined
  readonly botId?: string | undefined
  readonly people: Readonly<Record<string, Person>>
  readonly roles: ReadonlyArray<APIRole>
  readonly channels: ReadonlyArray<Channel>
  readonly commands: ReadonlyArray<Command>
  readonly place?: string | undefined
  readonly messages: Readonly<Record<string, Loaded>>
  /** Are messages that are deleted or dismissed: a slower answer must not bring them back. */
  readonly gone: ReadonlySet<string>
  readonly unread: ReadonlySet<string>
  /** Holds until when (ms) each person types, by channel and then person. */
  readonly typing: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly drafts: Readonly<Record<string, Draft>>
  readonly pending: ReadonlyArray<Pending>
  /** Are components in use, as `message:customId`. */
  readonly busy: ReadonlySet<string>
  /** Holds what went wrong at a message, by message. */
  readonly refused: Readonly<Record<string, string>>
  readonly editing?: { readonly message: string; readonly text: string; readonly error?: string } | undefined
  readonly deleting?: string | undefined
  readonly modal?: OpenModal | undefined
  readonly making?: Making | undefined
  /** Says that the list of members is shown. */
  readonly members: boolean
  readonly drawer: boolean
}

/** Is one thing that happened. */
export type Action =
  | { readonly type: "connection"; readonly status: State["connection"] }
  | { readonly type: "snapshot"; readonly snapshot: Snapshot }
  /** People, roles or rights changed; messages did not. */
  | { readonly type: "refresh"; readonly snapshot: Snapshot }
  | { readonly type: "forget" }
  | { readonly type: "visit"; readonly place: string }
  | {
      readonly type: "loaded"
      readonly channel: string
      readonly messages: ReadonlyArray<Message>
      readonly whole: boolean
      readonly older: boolean
    }
  | { readonly type: "message"; readonly message: Message; readonly fresh: boolean }
  | { readonly type: "message_gone"; readonly channel: string; readonly message: string }
  | { readonly type: "channel"; readonly channel: Channel }
  | { readonly type: "channel_gone"; readonly channel: string }
  | { readonly type: "commands"; readonly commands: ReadonlyArray<Command> }
  | { readonly type: "typing"; readonly channel: string; readonly person: string; readonly until: number }
  | { readonly type: "tick"; readonly now: number }
  | { readonly type: "draft"; readonly channel: string; readonly change: Partial<Draft> }
  | { readonly type: "sent"; readonly channel: string }
  | { readonly type: "pending"; readonly pending: Pending }
  | { readonly type: "pending_done"; readonly key: string }
  | { readonly type: "busy"; readonly key: string; readonly busy: boolean }
  | { readonly type: "refused"; readonly message: string; readonly text?: string }
  | { readonly type: "editing"; readonly editing: State["editing"] }
  | { readonly type: "deleting"; readonly message: string | undefined }
  | { readonly type: "modal"; readonly modal: OpenModal | undefined }
  | { readonly type: "making"; readonly making: Making | undefined }
  | { readonly type: "members"; readonly open: boolean }
  | { readonly type: "drawer"; readonly open: boolean }

/** Is what there is before the server said anything. */
export const initial: State = {
  connection: "connecting",
  locale: "en-US",
  locales: [],
  people: {},
  roles: [],
  members: false,
  channels: [],
  commands: [],
  messages: {},
  gone: new Set(),
  unread: new Set(),
  typing: {},
  drafts: {},
  pending: [],
  busy: new Set(),
  refused: {},
  drawer: false
}

/** Is a composer with nothing in it. */
export const emptyDraft: Draft = { text: "", files: [], highlighted: 0, listClosed: false, sending: false }

/** Gives what is being written in a channel. */
export const draftOf = (state: State, channel: string | undefined): Draft =>
  (channel === undefined ? undefined : state.drafts[channel]) ?? emptyDraft

/** Orders ids as Discord does: they are numbers too large for a number. */
export const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id.length - b.id.length || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
