import type { OpenApiError } from "@heddle/core/OpenApiError"
import type { APIApplicationCommandBasicOption } from "../discord/ApplicationCommands.ts"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permitted } from "../access/Guard.ts"
import type { Action } from "../model/Access.ts"
import type {
  Autocomplete,
  SlashCommand,
  MessageCommand,
  ComponentOrModalSubmit,
  ReplyTo
} from "../discord/DiscordEvent.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import type { Embed, Modal } from "../model/Post.ts"
import { comparable } from "../text/Comparable.ts"
import { plainName } from "../text/PlainName.ts"

/** What every handler declares: the action for the policy. Its texts use the person's language. */
interface PolicyChecked<Event, R> {
  /** It only reads, so a failure does not mention that data was unchanged. */
  readonly reads?: true
  readonly action: (event: Event) => Effect.Effect<Action, never, R>
}

/** Makes the answer, or none. */
type Answer<Event, R> = (
  event: Permitted<Event>,
  messages: Messages
) => Effect.Effect<Option.Option<MessageBody>, OpenApiError, R>

/** Makes the private answer; none when the started work answers later. The interaction is acknowledged before. */
interface AnswersPrivately<Event, R> extends PolicyChecked<Event, R> {
  readonly answers: "privately"
  readonly handle: Answer<Event, R>
}

/**
 * Answers privately but acknowledges by itself: at once, or after it stored the row of the work. An acknowledged
 * interaction is therefore never lost.
 */
interface AnswersOnceStored<Event, R> extends PolicyChecked<Event, R> {
  readonly answers: "onceStored"
  readonly handle: (
    event: Permitted<Event>,
    messages: Messages,
    acknowledge: Effect.Effect<void>
  ) => Effect.Effect<Option.Option<MessageBody>, OpenApiError, R>
}

/** Opens a form as the first response, or says at once why it cannot; it has two seconds. */
interface AnswersWithForm<Event, R> extends PolicyChecked<Event, R> {
  readonly answers: "withForm"
  readonly handle: (event: Permitted<Event>, messages: Messages) => Effect.Effect<MessageBody | Modal, OpenApiError, R>
}

/** Answers to a control whose interactions may have to keep their order. */
interface InOrder<Event, R> extends PolicyChecked<Event, R> {
  /** The ordering key: interactions with the same key are handled in their order. */
  readonly orderingKey?: (event: Event) => string | undefined
  readonly handle: Answer<Event, R>
}

/** Makes the new content of the control's message; none leaves it unchanged. The interaction is acknowledged before. */
interface AnswersInPlace<Event, R> extends InOrder<Event, R> {
  readonly answers: "inPlace"
}

/** Does the same when only the person sees that message; below a public message it answers privately. */
interface AnswersPersonally<Event, R> extends PolicyChecked<Event, R> {
  readonly answers: "personally"
  readonly handle: Answer<Event, R>
}

/**
 * The control's message changes by itself, and further text is a separate answer. The interaction is acknowledged
 * before.
 */
interface AnswersQuietly<Event, R> extends InOrder<Event, R> {
  readonly answers: "quietly"
}

/** How an interaction is handled and answered. */
export type Handler<Event, R> =
  | AnswersInPlace<Event, R>
  | AnswersOnceStored<Event, R>
  | AnswersPersonally<Event, R>
  | AnswersPrivately<Event, R>
  | AnswersQuietly<Event, R>
  | AnswersWithForm<Event, R>

/** A slash command: its registration, its action for the policy and its handler. */
export type CommandHandler<R> = {
  /** One word, or a group and a word: `task new`. */
  readonly path: string
  /** The definition that Discord shows, per language; only texts differ between languages. */
  readonly describe: (messages: Messages) => Described
  /** Suggests values while a person types an option with `autocomplete`; it has two seconds. */
  readonly suggest?: Suggest<R>
} & (AnswersOnceStored<SlashCommand, R> | AnswersPrivately<SlashCommand, R> | AnswersWithForm<SlashCommand, R>)

/** A command's registration; descriptions have at most 100 characters. */
export interface Described {
  readonly description: string
  readonly options: ReadonlyArray<APIApplicationCommandBasicOption>
}

/** How many suggestions Discord shows. */
export const maxSuggestions = 25

/** Suggestions; Discord shows {@link maxSuggestions}. */
export interface Suggest<R> extends PolicyChecked<Autocomplete, R> {
  readonly handle: (
    event: Permitted<Autocomplete>,
    messages: Messages
  ) => Effect.Effect<ReadonlyArray<Suggestion>, OpenApiError, R>
}

/** A suggestion's label, at most 100 characters, and the option's value. */
export interface Suggestion {
  readonly name: string
  readonly value: string
}

/** The suggestions that contain what a person typed, as long as Discord shows them. */
export const matching = (suggestions: ReadonlyArray<Suggestion>, typed: string): ReadonlyArray<Suggestion> => {
  const query = comparable(typed)
  return suggestions
    .filter(({ name, value }) => value.length <= 100 && comparable(`${name} ${value}`).includes(query))
    .map(({ name, value }) => ({ name: plainName(name, 100) || "…", value }))
}

/** Suggestions that read as what they fill in. */
export const asSuggestions = (values: Iterable<string>): ReadonlyArray<Suggestion> =>
  Array.from(values, (value) => ({ name: value, value }))

/** A button, select or form by its custom id: a version first, no secrets, and all state that it needs. */
export type Component<R> = {
  /** Whether it handles this custom id. */
  readonly id: RegExp
} & Handler<ComponentOrModalSubmit, R>

/** A command in the menu of a message. */
export type MenuCommand<R> = {
  /** At most 32 characters. */
  readonly name: (messages: Messages) => string
} & AnswersOnceStored<MessageCommand, R>

/** An answer that is plain text. */
export const say = (content: string): MessageBody => ({ content })

/** Why nothing is done on the account of a task's owner, which is not connected, as this person reads it. */
export const notConnected = (messages: Messages, ownerId: string, userId: string): string =>
  ownerId === userId ? messages.notConnected : messages.ownerNotConnected(ownerId)

/** Removes the controls of the message whose control was used, which are over; a failure only leaves them there. */
export const removeControls = (reply: ReplyTo, embed?: Embed): Effect.Effect<void, never, DiscordApi> =>
  Effect.flatMap(DiscordApi, (api) => api.removeControls(reply, embed)).pipe(
    Effect.catchAll((error) => Effect.logDebug("The controls of a message could not be removed", error.message))
  )

/**
 * The action for the policy when a command starts a task. A thread cannot contain threads, so the task's thread opens
 * in its channel.
 */
export const startTask = ({ channelId, hidden, parentId }: ReplyTo): Action => ({
  _tag: "StartTask",
  channelId: parentId ?? channelId,
  hidden
})

/** Asks the policy about the person's own account. */
export const ownAccount = (): Effect.Effect<Action> => Effect.succeed({ _tag: "OwnAccount" })

/** A private answer about the person's own account. */
export const privateOwnAccount = { answers: "privately", action: ownAccount } as const

/** A private answer that reads the person's own account and changes nothing. */
export const readsOwnAccount = { ...privateOwnAccount, reads: true } as const
