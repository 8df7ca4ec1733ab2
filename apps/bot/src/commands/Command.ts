import type { OpenApiError } from "@heddle/core/OpenApiError"
import type { APIApplicationCommandBasicOption } from "../discord/ApplicationCommands.ts"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permitted } from "../access/Guarded.ts"
import type { Action } from "../model/Access.ts"
import type { Completing, Invoked, MessagePicked, Pressed, ReplyTo } from "../discord/DiscordEvent.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import type { Modal } from "../model/Post.ts"

/** What every handler says first: what the policy is asked before anything is done. Its words are in the language of the person. */
interface AsksFirst<Event, R> {
  /** It looks something up and changes nothing, so a failure does not say that nothing was changed. */
  readonly reads?: true
  readonly action: (event: Event) => Effect.Effect<Action, never, R>
}

/** Makes the private answer; none when whatever was started answers later. It is acknowledged before. */
interface AnswersPrivately<Event, R> extends AsksFirst<Event, R> {
  readonly answers: "privately"
  readonly handle: (
    event: Permitted<Event>,
    messages: Messages
  ) => Effect.Effect<Option.Option<MessageBody>, OpenApiError, R>
}

/**
 * Answers privately like the others, but acknowledges by itself: at once, or by whoever acts on the row that it stored,
 * so that nothing is lost that was acknowledged.
 */
interface AnswersOnceStored<Event, R> extends AsksFirst<Event, R> {
  readonly answers: "onceStored"
  readonly handle: (
    event: Permitted<Event>,
    messages: Messages,
    acknowledge: Effect.Effect<void>
  ) => Effect.Effect<Option.Option<MessageBody>, OpenApiError, R>
}

/** Opens a form, which nothing may come before, or says at once why not; it has two seconds. */
interface AnswersWithForm<Event, R> extends AsksFirst<Event, R> {
  readonly answers: "withForm"
  readonly handle: (event: Permitted<Event>, messages: Messages) => Effect.Effect<MessageBody | Modal, OpenApiError, R>
}

/** Makes what the message of the control says from now on; none when it stays. It is acknowledged before. */
interface AnswersInPlace<Event, R> extends AsksFirst<Event, R> {
  readonly answers: "inPlace"
  /** What it is about: of one thing everything is done in the order in which people did it. */
  readonly about?: (event: Event) => string | undefined
  readonly handle: (
    event: Permitted<Event>,
    messages: Messages
  ) => Effect.Effect<Option.Option<MessageBody>, OpenApiError, R>
}

/** Does the same where nobody else sees that message; below a message that others see it is a private answer. */
interface AnswersPersonally<Event, R> extends AsksFirst<Event, R> {
  readonly answers: "personally"
  readonly handle: (
    event: Permitted<Event>,
    messages: Messages
  ) => Effect.Effect<Option.Option<MessageBody>, OpenApiError, R>
}

/** Needs no words: the message of the control changes by itself; what there is to say is said besides. Acknowledged before. */
interface AnswersQuietly<Event, R> extends AsksFirst<Event, R> {
  readonly answers: "quietly"
  /** What it is about: of one thing everything is done in the order in which people did it. */
  readonly about?: (event: Event) => string | undefined
  readonly handle: (
    event: Permitted<Event>,
    messages: Messages
  ) => Effect.Effect<Option.Option<MessageBody>, OpenApiError, R>
}

/** What is done about something that a person did, and how it is answered. */
export type Handler<Event, R> =
  | AnswersInPlace<Event, R>
  | AnswersOnceStored<Event, R>
  | AnswersPersonally<Event, R>
  | AnswersPrivately<Event, R>
  | AnswersQuietly<Event, R>
  | AnswersWithForm<Event, R>

/** A slash command: how it is registered, what the policy is asked, what it does. */
export type Command<R> = {
  /** One word, or a group and a word: `task new`. */
  readonly path: string
  /** What Discord shows of it, in each language; only words differ between them. */
  readonly describe: (messages: Messages) => Described
  /** What is suggested while an option is typed that has `autocomplete`; it has two seconds. */
  readonly suggest?: Suggest<R>
} & (AnswersOnceStored<Invoked, R> | AnswersPrivately<Invoked, R> | AnswersWithForm<Invoked, R>)

/** A command as Discord lists it; descriptions have at most 100 characters. */
export interface Described {
  readonly description: string
  readonly options: ReadonlyArray<APIApplicationCommandBasicOption>
}

/** Suggestions, of which Discord shows 25. */
export interface Suggest<R> extends AsksFirst<Completing, R> {
  readonly handle: (
    event: Permitted<Completing>,
    messages: Messages
  ) => Effect.Effect<ReadonlyArray<Suggestion>, OpenApiError, R>
}

/** What a person picks, at most 100 characters, and what the option says then. */
export interface Suggestion {
  readonly name: string
  readonly value: string
}

/** A button, a list or a form of the bot, by its custom id: a version first, no secrets, and all state that it needs. */
export type Component<R> = {
  /** The ids that it handles. */
  readonly id: RegExp
} & Handler<Pressed, R>

/** A command in the menu of a message. */
export type MenuCommand<R> = {
  /** At most 32 characters. */
  readonly name: (messages: Messages) => string
} & AnswersOnceStored<MessagePicked, R>

/** An answer of words alone. */
export const say = (content: string): MessageBody => ({ content })

/** What the policy is asked by whatever starts a task: a thread cannot have threads, so that of a task is in its channel. */
export const startTask = ({ channelId, hidden, parentId }: ReplyTo): Action => ({
  _tag: "StartTask",
  channelId: parentId ?? channelId,
  hidden
})
