import type { APIRole } from "discord-api-types/v10"
import type { OptionInput } from "./Commands.ts"
import type { Channel, Choice, Command, Message, ModalForm, Person, Snapshot } from "./Types.ts"

/** A slash command that a person is filling in. */
export interface CommandDraft {
  readonly path: string
  readonly values: Readonly<Record<string, OptionInput>>
  /** The optional options that the person opened. */
  readonly openedOptions: ReadonlyArray<string>
  readonly focused?: string | undefined
  readonly choices?: ReadonlyArray<Choice> | undefined
  readonly problems?: Readonly<Record<string, string>> | undefined
}

/** The mention before the caret: its position and its typed text. */
export interface MentionQuery {
  readonly at: number
  readonly typed: string
}

/** The unsent text, files and command of one channel. */
export interface Draft {
  readonly text: string
  readonly files: ReadonlyArray<File>
  readonly replyTo?: string | undefined
  /** The mention that is being typed. */
  readonly mentionQuery?: MentionQuery | undefined
  readonly command?: CommandDraft | undefined
  /** The highlighted line of the list above the composer. */
  readonly highlighted: number
  readonly listClosed: boolean
  readonly sending: boolean
  readonly error?: string | undefined
}

/** A command that was sent, or that failed. */
export interface Pending {
  readonly key: string
  readonly channel: string
  /** The id of the message that it is shown below. */
  readonly after?: string | undefined
  readonly command: CommandDraft
  readonly error?: string | undefined
}

/** The loaded messages of a channel, oldest first. */
export interface LoadedMessages {
  readonly list: ReadonlyArray<Message>
  /** Whether the list starts with the first message of the channel. */
  readonly complete: boolean
  /** Whether the list has to be loaded: it was not loaded yet, or it may miss changes. */
  readonly stale: boolean
  /** The messages that events brought while the list was stale; loading must not drop them. */
  readonly updatedIds: ReadonlySet<string>
}

// A post (in a forum) or a thread (at a message) that the person is about to open.
interface NewThread {
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

/** The state of the page; only `reduce` changes it. */
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
  readonly currentChannel?: string | undefined
  readonly messages: Readonly<Record<string, LoadedMessages>>
  /** The ids of deleted and dismissed messages, which a late response must not bring back. */
  readonly deletedIds: ReadonlySet<string>
  readonly unread: ReadonlySet<string>
  /** Until when (ms) each person types, by channel and then person. */
  readonly typing: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly drafts: Readonly<Record<string, Draft>>
  readonly pending: ReadonlyArray<Pending>
  /** Components in use, as `message:customId`. */
  readonly busy: ReadonlySet<string>
  /** The error shown at a message, by message id. */
  readonly messageErrors: Readonly<Record<string, string>>
  readonly editing?: { readonly message: string; readonly text: string; readonly error?: string } | undefined
  readonly deleting?: string | undefined
  readonly modal?: OpenModal | undefined
  readonly newThread?: NewThread | undefined
  /** Whether the list of members is shown. */
  readonly membersShown: boolean
  readonly drawer: boolean
}

/** A change of the state. */
export type Action =
  | { readonly type: "connection"; readonly status: State["connection"] }
  | { readonly type: "snapshot"; readonly snapshot: Snapshot }
  /** People, roles or rights changed; messages did not. */
  | { readonly type: "refresh"; readonly snapshot: Snapshot }
  | { readonly type: "person_switched" }
  | { readonly type: "channel_opened"; readonly currentChannel: string }
  | {
      readonly type: "loaded"
      readonly channel: string
      readonly messages: ReadonlyArray<Message>
      readonly complete: boolean
      readonly isOlderPage: boolean
    }
  | { readonly type: "message"; readonly message: Message; readonly isCreated: boolean }
  | { readonly type: "message_deleted"; readonly channel: string; readonly message: string }
  | { readonly type: "channel"; readonly channel: Channel }
  | { readonly type: "channel_deleted"; readonly channel: string }
  | { readonly type: "commands"; readonly commands: ReadonlyArray<Command> }
  | { readonly type: "typing"; readonly channel: string; readonly person: string; readonly until: number }
  | { readonly type: "tick"; readonly now: number }
  | { readonly type: "draft"; readonly channel: string; readonly change: Partial<Draft> }
  | { readonly type: "draft_sent"; readonly channel: string }
  | { readonly type: "pending"; readonly pending: Pending }
  | { readonly type: "pending_done"; readonly key: string }
  | { readonly type: "busy"; readonly key: string; readonly busy: boolean }
  | { readonly type: "message_error"; readonly message: string; readonly text?: string }
  | { readonly type: "editing"; readonly editing: State["editing"] }
  | { readonly type: "deleting"; readonly message: string | undefined }
  | { readonly type: "modal"; readonly modal: OpenModal | undefined }
  | { readonly type: "new_thread"; readonly newThread: NewThread | undefined }
  | { readonly type: "members"; readonly open: boolean }
  | { readonly type: "drawer"; readonly open: boolean }

/** The state before the first snapshot. */
export const initialState: State = {
  connection: "connecting",
  locale: "en-US",
  locales: [],
  people: {},
  roles: [],
  membersShown: false,
  channels: [],
  commands: [],
  messages: {},
  deletedIds: new Set(),
  unread: new Set(),
  typing: {},
  drafts: {},
  pending: [],
  busy: new Set(),
  messageErrors: {},
  drawer: false
}

/** An empty draft. */
export const emptyDraft: Draft = { text: "", files: [], highlighted: 0, listClosed: false, sending: false }

/** The draft of a channel. */
export const draftOf = (state: State, channel: string | undefined): Draft =>
  (channel === undefined ? undefined : state.drafts[channel]) ?? emptyDraft

/** Orders ids as Discord does: they exceed the safe integers. */
export const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id.length - b.id.length || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
