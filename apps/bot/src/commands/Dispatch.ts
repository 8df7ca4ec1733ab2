import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Guard from "../access/Guard.ts"
import { byTag, type Decide, type Guarded, guardWithin, type Permitted } from "../access/Guarded.ts"
import { Members } from "../access/Members.ts"
import type { Action } from "../model/Access.ts"
import { DirectMessages } from "../account/DirectMessages.ts"
import { failedFor } from "../account/ConnectFailure.ts"
import { type CardReply, OpenCards } from "../account/OpenCards.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { DiscordError } from "../discord/DiscordError.ts"
import type { Completing, Interacted, ReplyTo } from "../discord/DiscordEvent.ts"
import { retryWhileUnavailable } from "../discord/RetryPolicy.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import { tell } from "../messages/Explain.ts"
import { Languages } from "../store/Languages.ts"
import type { Messages } from "../messages/Messages.ts"
import { english } from "../messages/Translations.ts"
import { refused } from "../messages/Refused.ts"
import { reference } from "../text/Reference.ts"
import { type Handler, say } from "./Command.ts"
import * as Line from "../concurrency/KeyedMutex.ts"
import { commands, components, menu, type Requirements as CommandRequirements } from "./Commands.ts"

type NeedsAnswer = Exclude<Interacted, Completing>

type Needs = CommandRequirements | DiscordApi | Guard.Requirements | Languages | Members | DirectMessages | OpenCards

/** Answers what a person did by the handler that is found for it. */
const answering = <Event extends NeedsAnswer>(
  find: (event: Event) => readonly [handler: Handler<Event, CommandRequirements>, what: string]
): Guarded<Event, void, DiscordError, Needs> =>
  guardWithin({
    person: ({ reply }: Event) => reply,
    action: (event) => find(event)[0].action(event),
    around: (event, decide) =>
      Effect.zipLeft(
        use(event, ...find(event), decide),
        Effect.flatMap(Languages, ({ spoken }) => spoken(event.reply))
      )
  })

/** Says that there is nothing like it any more. */
const unknown = (words: (messages: Messages) => string): Handler<NeedsAnswer, never> => ({
  answers: "withForm",
  action: () => Effect.succeed({ _tag: "NothingHere" }),
  handle: (_, messages) => Effect.succeed(say(words(messages)))
})
const unknownCommand = unknown(({ commandUnknown }) => commandUnknown)
const unknownControl = unknown(({ buttonUnknown }) => buttonUnknown)

const use = <Event extends NeedsAnswer>(
  event: Event,
  handler: Handler<Event, CommandRequirements>,
  what: string,
  decide: Decide<Event, CommandRequirements>
): Effect.Effect<void, DiscordError, Needs> =>
  // Taken before anything is waited for, while events come in their order.
  Effect.flatMap(Line.join("about" in handler ? handler.about(event) : undefined), (place) =>
    Effect.ensuring(useInTurn(event, handler, what, decide, place), place.leave)
  )

const useInTurn = <Event extends NeedsAnswer>(
  event: Event,
  handler: Handler<Event, CommandRequirements>,
  what: string,
  decide: Decide<Event, CommandRequirements>,
  place: Line.Place
): Effect.Effect<void, DiscordError, Needs> =>
  Effect.gen(function* () {
    const api = yield* DiscordApi
    const { reply } = event
    yield* met(reply)
    const messages = yield* (yield* Languages).ofPerson(reply)
    const here = event._tag === "Pressed" && event.inPrivate === true
    if (handler.answers === "onceStored") {
      const acknowledge = yield* Effect.once(api.defer(reply))
      const { body } = yield* settle(reply, messages, what, handler, decide, (allowed) =>
        handler.handle(allowed, messages, Effect.orDie(acknowledge))
      )
      if (Option.isNone(body)) return
      yield* opened({ reply }, body.value)
      yield* acknowledge
      return yield* retryWhileUnavailable(api.editReply(reply, body.value))
    }
    if (handler.answers === "withForm") {
      // Nothing may come before a form, so a store that is slow ends in words instead.
      const made = yield* Effect.timeoutOption(
        settle(reply, messages, what, handler, decide, (allowed) => Effect.asSome(handler.handle(allowed, messages))),
        "2 seconds"
      )
      const answer = Option.flatMap(made, ({ body }) => body).pipe(Option.getOrElse(() => say(messages.answerSlow)))
      if ("customId" in answer) return yield* api.modal(reply, answer)
      yield* api.respond(reply, answer)
      return yield* opened({ reply }, answer)
    }
    const answered = settle(reply, messages, what, handler, decide, (allowed) => handler.handle(allowed, messages))
    const answers = handler.answers === "personally" ? (here ? "inPlace" : "privately") : handler.answers
    switch (answers) {
      case "privately": {
        yield* api.defer(reply)
        const { body } = yield* answered
        if (Option.isSome(body)) {
          yield* opened({ reply }, body.value)
          yield* retryWhileUnavailable(api.editReply(reply, body.value))
        }
        return yield* (yield* DirectMessages).sendWaiting(reply)
      }
      case "inPlace":
      case "quietly": {
        // Discord hears at once that the click arrived, whatever the store and the service are doing.
        const acknowledged = yield* Effect.fork(api.deferUpdate(reply))
        // The store comes second, but no click waits for a Discord that does not answer.
        yield* Effect.timeoutOption(Fiber.await(acknowledged), "1 second")
        const { body, handled } = yield* place.inTurn(answered)
        // A click whose acknowledgement is lost counts all the same: what it changed is shown.
        const heard = yield* Fiber.await(acknowledged)
        if (heard._tag === "Failure") yield* Effect.logWarning("A click could not be acknowledged", heard.cause)
        if (Option.isNone(body)) return
        if (handled && answers === "inPlace" && body.value.besides !== true) {
          yield* opened(event, body.value)
          return yield* retryWhileUnavailable(api.editReply(reply, body.value))
        }
        const messageId = yield* api.followUp(reply, body.value)
        // The post that the control is on stays as it is: what was said besides is what ends.
        return yield* opened({ reply }, body.value, messageId)
      }
    }
  })

/** Notes an answer by which its person is to connect or to allow more, so that it ends when they did. */
const opened = (card: CardReply, body: MessageBody, messageId?: string) =>
  (body.buttons ?? []).flat().some(({ customId }) => /^(c1:|g1:|c2:code$)/.test(customId ?? ""))
    ? Effect.flatMap(OpenCards, (cards) => cards.opened(card, messageId === undefined ? {} : { messageId })).pipe(
        // It is told all the same; what is pressed in it then says that it is over.
        Effect.catchAllDefect((defect) => Effect.logWarning("An answer could not be noted", defect))
      )
    : Effect.void

/** Whoever does something is in the server, with the roles that Discord tells of them. */
const met = Effect.fnUntraced(function* ({ guildId, roleIds, userId }: ReplyTo) {
  if (guildId !== undefined) yield* (yield* Members).told(guildId, userId, roleIds)
})

/** Asks the policy, then handles; a refusal and every failure end in words, which are told from what the handler made. */
const settle = <Event, A, R1, R2>(
  { userId }: ReplyTo,
  messages: Messages,
  what: string,
  { reads }: { readonly reads?: true },
  decide: Decide<Event, R1>,
  handle: (event: Permitted<Event>) => Effect.Effect<Option.Option<A>, OpenApiError, R2>
) => {
  const instead = (body: MessageBody) => ({ handled: false, body: Option.some<A | MessageBody>(body) })
  return decide(
    (event) => Effect.map(handle(event), (body: Option.Option<A | MessageBody>) => ({ handled: true, body })),
    (refusal, action) => Effect.succeed(instead(say(refused(messages, refusal, action))))
  ).pipe(
    Effect.catchAll((error) =>
      Effect.map(failedFor(userId, messages, error, reads === true ? "read" : "act"), instead)
    ),
    Effect.catchAllDefect((defect) => {
      const id = reference()
      return Effect.as(
        Effect.logError(`${what} failed (${id})`, defect),
        instead(say(tell(messages, messages.failures.internal(id))))
      )
    })
  )
}

const suggestFor = (event: Completing) => commands.find(({ path }) => path === event.path)?.suggest

/** Suggests; who may not use the command, and whoever would have to wait too long, is suggested nothing. */
const suggesting: Guarded<Completing, void, DiscordError, Needs> = guardWithin({
  person: ({ reply }: Completing) => reply,
  action: (event): Effect.Effect<Action, never, CommandRequirements> =>
    suggestFor(event)?.action(event) ?? Effect.succeed({ _tag: "NothingHere" }),
  around: Effect.fnUntraced(function* (event, decide) {
    yield* met(event.reply)
    const messages = yield* (yield* Languages).ofPerson(event.reply)
    const found = yield* decide(
      (allowed) => suggestFor(event)?.handle(allowed, messages) ?? Effect.succeed([]),
      () => Effect.succeed([])
    ).pipe(
      Effect.timeoutOption("2 seconds"),
      Effect.catchAllCause((cause) =>
        Effect.as(Effect.logInfo(`Nothing could be suggested for /${event.path}`, cause), Option.none())
      )
    )
    yield* (yield* DiscordApi).suggest(event.reply, Option.getOrElse(found, () => []).slice(0, 25))
  })
})

/**
 * Answers what a person did with a command, a button, a list or a form. Each kind of it has a handler that asks the policy
 * before it is handled.
 */
export const interaction = byTag<Interacted>()({
  Completing: suggesting,
  Invoked: answering((event) => [commands.find(({ path }) => path === event.path) ?? unknownCommand, `/${event.path}`]),
  MessagePicked: answering((event) => [
    menu.find(({ name }) => name(english) === event.name) ?? unknownCommand,
    event.name
  ]),
  Pressed: answering((event) => {
    const component = components.find(({ id }) => id.test(event.customId))
    return component === undefined ? [unknownControl, "control"] : [component, String(component.id)]
  }),
  NotKnown: answering(() => [unknownCommand, "interaction"])
})
