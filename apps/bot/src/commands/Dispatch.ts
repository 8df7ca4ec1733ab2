import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import {
  byTag,
  type Decide,
  type Guarded,
  guardWithin,
  type Permitted,
  type Requirements as PolicyRequirements
} from "../access/Guard.ts"
import { Members } from "../access/Members.ts"
import type { Action } from "../model/Access.ts"
import { DirectMessages } from "../account/DirectMessages.ts"
import { failureBodyFor } from "../account/ConnectFailure.ts"
import { type ConnectReply, ConnectMessages } from "../account/ConnectMessages.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { DiscordError } from "../discord/DiscordError.ts"
import type { Autocomplete, Interaction, ReplyTo } from "../discord/DiscordEvent.ts"
import { retryWhileUnavailable } from "../discord/RetryPolicy.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import { tell } from "../messages/Explain.ts"
import { Languages } from "../store/Languages.ts"
import type { Messages } from "../messages/Messages.ts"
import { english } from "../messages/Translations.ts"
import { refused } from "../messages/Refused.ts"
import { reference } from "../text/Reference.ts"
import { type Handler, maxSuggestions, say } from "./Command.ts"
import * as KeyedMutex from "../concurrency/KeyedMutex.ts"
import { commands, components, menu, type Requirements as CommandRequirements } from "./Commands.ts"

type NeedsAnswer = Exclude<Interaction, Autocomplete>

type Requirements =
  | CommandRequirements
  | DiscordApi
  | PolicyRequirements
  | Languages
  | Members
  | DirectMessages
  | ConnectMessages

/** Runs the handler of an interaction and answers with its result. */
const answerInteraction = <Event extends NeedsAnswer>(
  find: (event: Event) => readonly [handler: Handler<Event, CommandRequirements>, what: string]
): Guarded<Event, void, DiscordError, Requirements> =>
  guardWithin({
    person: ({ reply }: Event) => reply,
    action: (event) => find(event)[0].action(event),
    around: (event, decide) =>
      Effect.zipLeft(
        handleInOrder(event, ...find(event), decide),
        Effect.flatMap(Languages, ({ rememberLocale }) => rememberLocale(event.reply))
      )
  })

/** Answers that this command or control no longer exists. */
const goneHandler = (words: (messages: Messages) => string): Handler<NeedsAnswer, never> => ({
  answers: "withForm",
  action: () => Effect.succeed({ _tag: "NothingHere" }),
  handle: (_, messages) => Effect.succeed(say(words(messages)))
})
const unknownCommand = goneHandler(({ commandUnknown }) => commandUnknown)
const unknownControl = goneHandler(({ buttonUnknown }) => buttonUnknown)

const handleInOrder = <Event extends NeedsAnswer>(
  event: Event,
  handler: Handler<Event, CommandRequirements>,
  what: string,
  decide: Decide<Event, CommandRequirements>
): Effect.Effect<void, DiscordError, Requirements> =>
  // Take the place in the queue before any wait, while events still arrive in order.
  Effect.flatMap(KeyedMutex.enqueue("orderingKey" in handler ? handler.orderingKey(event) : undefined), (position) =>
    Effect.ensuring(handleAtPosition(event, handler, what, decide, position), position.release)
  )

const handleAtPosition = <Event extends NeedsAnswer>(
  event: Event,
  handler: Handler<Event, CommandRequirements>,
  what: string,
  decide: Decide<Event, CommandRequirements>,
  position: KeyedMutex.QueuePosition
): Effect.Effect<void, DiscordError, Requirements> =>
  Effect.gen(function* () {
    const api = yield* DiscordApi
    const { reply } = event
    yield* observeMember(reply)
    const messages = yield* (yield* Languages).ofPerson(reply)
    const isInPrivate = event._tag === "ComponentOrModalSubmit" && event.inPrivate === true
    if (handler.answers === "onceStored") {
      const acknowledge = yield* Effect.once(api.defer(reply))
      const { body } = yield* decideAndHandle(reply, messages, what, handler, decide, (allowed) =>
        handler.handle(allowed, messages, Effect.orDie(acknowledge))
      )
      if (Option.isNone(body)) return
      yield* trackConnectMessage({ reply }, body.value)
      yield* acknowledge
      return yield* retryWhileUnavailable(api.editReply(reply, body.value))
    }
    if (handler.answers === "withForm") {
      // A form has to be the first response, so a slow store gets a text instead.
      const answerInTime = yield* Effect.timeoutOption(
        decideAndHandle(reply, messages, what, handler, decide, (allowed) =>
          Effect.asSome(handler.handle(allowed, messages))
        ),
        "2 seconds"
      )
      const answer = Option.flatMap(answerInTime, ({ body }) => body).pipe(
        Option.getOrElse(() => say(messages.answerSlow))
      )
      if ("customId" in answer) return yield* api.modal(reply, answer)
      yield* api.respond(reply, answer)
      return yield* trackConnectMessage({ reply }, answer)
    }
    const runHandler = decideAndHandle(reply, messages, what, handler, decide, (allowed) =>
      handler.handle(allowed, messages)
    )
    const answers = handler.answers === "personally" ? (isInPrivate ? "inPlace" : "privately") : handler.answers
    switch (answers) {
      case "privately": {
        yield* api.defer(reply)
        const { body } = yield* runHandler
        if (Option.isSome(body)) {
          yield* trackConnectMessage({ reply }, body.value)
          yield* retryWhileUnavailable(api.editReply(reply, body.value))
        }
        return yield* (yield* DirectMessages).sendWaiting(reply)
      }
      case "inPlace":
      case "quietly": {
        // Acknowledge the click at once, independent of the store and the service.
        const acknowledged = yield* Effect.fork(api.deferUpdate(reply))
        // Acknowledge first, but let no click wait for a Discord that does not answer.
        yield* Effect.timeoutOption(Fiber.await(acknowledged), "1 second")
        const { body, handled } = yield* position.run(runHandler)
        // A click with a lost acknowledgement still counts, so show what it changed.
        const acknowledgement = yield* Fiber.await(acknowledged)
        if (acknowledgement._tag === "Failure")
          yield* Effect.logWarning("A click could not be acknowledged", acknowledgement.cause)
        if (Option.isNone(body)) return
        if (handled && answers === "inPlace" && body.value.besides !== true) {
          yield* trackConnectMessage(event, body.value)
          return yield* retryWhileUnavailable(api.editReply(reply, body.value))
        }
        const messageId = yield* api.followUp(reply, body.value)
        // The control's message stays; only the separate answer ends.
        return yield* trackConnectMessage({ reply }, body.value, messageId)
      }
    }
  })

/** Records an answer that asks its person to connect or to grant more, so that it can show the outcome. */
const trackConnectMessage = (request: ConnectReply, body: MessageBody, messageId?: string) =>
  (body.rows ?? []).flat().some(({ customId }) => /^(c1:|g1:|c2:code$)/.test(customId ?? ""))
    ? Effect.flatMap(ConnectMessages, (connectMessages) =>
        connectMessages.track(request, messageId === undefined ? {} : { messageId })
      ).pipe(
        // Continue without the record; a press of its buttons then says that it has ended.
        Effect.catchAllDefect((defect) => Effect.logWarning("An answer could not be noted", defect))
      )
    : Effect.void

/** The author of an interaction is in the server, with the roles in the event. */
const observeMember = Effect.fnUntraced(function* ({ guildId, roleIds, userId }: ReplyTo) {
  if (guildId !== undefined) yield* (yield* Members).observe(guildId, userId, roleIds)
})

/** Asks the policy, then runs the handler. Refusals and failures become texts. */
const decideAndHandle = <Event, A, R1, R2>(
  { userId }: ReplyTo,
  messages: Messages,
  what: string,
  { reads }: { readonly reads?: true },
  decide: Decide<Event, R1>,
  handle: (event: Permitted<Event>) => Effect.Effect<Option.Option<A>, OpenApiError, R2>
) => {
  const asUnhandled = (body: MessageBody) => ({ handled: false, body: Option.some<A | MessageBody>(body) })
  return decide(
    (event) => Effect.map(handle(event), (body: Option.Option<A | MessageBody>) => ({ handled: true, body })),
    (refusal, action) => Effect.succeed(asUnhandled(say(refused(messages, refusal, action))))
  ).pipe(
    Effect.catchAll((error) =>
      Effect.map(failureBodyFor(userId, messages, error, reads === true ? "read" : "act"), asUnhandled)
    ),
    Effect.catchAllDefect((defect) => {
      const id = reference()
      return Effect.as(
        Effect.logError(`${what} failed (${id})`, defect),
        asUnhandled(say(tell(messages, messages.failures.internal(id))))
      )
    })
  )
}

const suggestFor = (event: Autocomplete) => commands.find(({ path }) => path === event.path)?.suggest

/** Suggests values; nothing for people without access or when it takes too long. */
const suggestValues: Guarded<Autocomplete, void, DiscordError, Requirements> = guardWithin({
  person: ({ reply }: Autocomplete) => reply,
  action: (event): Effect.Effect<Action, never, CommandRequirements> =>
    suggestFor(event)?.action(event) ?? Effect.succeed({ _tag: "NothingHere" }),
  around: Effect.fnUntraced(function* (event, decide) {
    yield* observeMember(event.reply)
    const messages = yield* (yield* Languages).ofPerson(event.reply)
    const suggestions = yield* decide(
      (allowed) => suggestFor(event)?.handle(allowed, messages) ?? Effect.succeed([]),
      () => Effect.succeed([])
    ).pipe(
      Effect.timeoutOption("2 seconds"),
      Effect.catchAllCause((cause) =>
        Effect.as(Effect.logInfo(`Nothing could be suggested for /${event.path}`, cause), Option.none())
      )
    )
    yield* (yield* DiscordApi).suggest(event.reply, Option.getOrElse(suggestions, () => []).slice(0, maxSuggestions))
  })
})

/** Handles a command, a button, a select or a form. Every kind asks the policy first. */
export const interaction = byTag<Interaction>()({
  Autocomplete: suggestValues,
  SlashCommand: answerInteraction((event) => [
    commands.find(({ path }) => path === event.path) ?? unknownCommand,
    `/${event.path}`
  ]),
  MessageCommand: answerInteraction((event) => [
    menu.find(({ name }) => name(english) === event.name) ?? unknownCommand,
    event.name
  ]),
  ComponentOrModalSubmit: answerInteraction((event) => {
    const component = components.find(({ id }) => id.test(event.customId))
    return component === undefined ? [unknownControl, "control"] : [component, String(component.id)]
  }),
  UnknownInteraction: answerInteraction(() => [unknownCommand, "interaction"])
})
