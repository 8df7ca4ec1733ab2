import type { APIRole } from "discord-api-types/v10"
import type { OptionInput } from "./Commands.ts"
import type { Channel, Choice, Command, Message, ModalForm, Person, Snapshot } from "./Types.ts"

/** A slash command that a person is filling in. */
export interface CommandDraft {
  readonly path: string
  readonly values: Readonly<Record<string, OptionInput>>
  /** The optional options that the person opened. */
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

/** What a person wrote in one channel and has not sent. */
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
  /** Whether this has to be loaded (again): it was not yet, or changes may have been missed. */
  readonly stale: boolean
  /** The messages that came by themselves while the list was stale; loading must not lose them. */
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

/** All that the page knows; it only changes through `reduce`. */
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
  /** What went wrong at a message, by message. */
  readonly messageErrors: Readonly<Record<string, string>>
  readonly editing?: { readonly message: string; readonly text: string; readonly error?: string } | undefined
  readonly deleting?: string | undefined
  readonly modal?: OpenModal | undefined
  readonly newThread?: NewThread | undefined
  /** Whether the list of members is shown. */
  readonly membersShown: boolean
  readonly drawer: boolean
}

/** One thing that happened. */
export type Action =
  | { readonly type: "connection"; readonly status: State["connection"] }
  | { readonly type: "snapshot"; readonly snapshot: Snapshot }
  /** People, roles or rights changed; messages did not. */
  | { readonly type: "refresh"; readonly snapshot: Snapshot }
  | { readonly type: "forget" }
  | { readonly type: "visit"; readonly currentChannel: string }
  | {
      readonly type: "loaded"
      readonly channel: string
      readonly messages: ReadonlyArray<Message>
      readonly complete: boolean
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
  | { readonly type: "new_thread"; readonly newThread: NewThread | undefined }
  | { readonly type: "members"; readonly open: boolean }
  | { readonly type: "drawer"; readonly open: boolean }

/** What there is before the server said anything. */
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

/** Returns what is being written in a channel. */
export const draftOf = (state: State, channel: string | undefined): Draft =>
  (channel === undefined ? undefined : state.drafts[channel]) ?? emptyDraft

/** Orders ids as Discord does: they are numbers too large for a number. */
export const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id.length - b.id.length || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
