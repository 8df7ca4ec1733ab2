import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Guard from "../access/Guard.ts"
import { Members } from "../access/Members.ts"
import type { Action } from "../access/Policy.ts"
import { Notices } from "../account/Notices.ts"
import { failed } from "../connect/Failed.ts"
import { type Card, OpenCards } from "../connect/OpenCards.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { DiscordError } from "../discord/DiscordError.ts"
import type { Completing, Interacted, ReplyTo } from "../discord/DiscordEvent.ts"
import { patiently } from "../discord/Patiently.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import { tell } from "../messages/Explain.ts"
import { Languages } from "../messages/Languages.ts"
import { english, type Messages } from "../messages/Messages.ts"
import { refused } from "../messages/Refused.ts"
import { reference } from "../Reference.ts"
import { type Handler, say } from "./Command.ts"
import { commands, components, menu } from "./Commands.ts"

/** Answers what a person did with a command, a button, a list or a form; the policy is asked before it is handled. */
export const interaction = Effect.fn("Dispatch.interaction")(function* (event: Interacted) {
  const { guildId, roleIds, userId } = event.reply
  if (guildId !== undefined) yield* (yield* Members).told(guildId, userId, roleIds)
  switch (event._tag) {
    case "Completing":
      return yield* suggest(event)
    case "Invoked": {
      const command = commands.find(({ path }) => path === event.path)
      return yield* use(event, command, `/${event.path}`)
    }
    case "MessagePicked": {
      const command = menu.find(({ name }) => name(english) === event.name)
      return yield* use(event, command, event.name)
    }
    case "Pressed": {
      const component = components.find(({ id }) => id.test(event.customId))
      return yield* use(event, component, component === undefined ? "control" : String(component.id))
    }
  }
})

const use = <Event extends Exclude<Interacted, Completing>, R>(
  event: Event,
  handler: Handler<Event, R> | undefined,
  what: string
): Effect.Effect<void, DiscordError, DiscordApi | Guard.Requirements | Languages | Notices | OpenCards | R> =>
  Effect.gen(function* () {
    const api = yield* DiscordApi
    const { reply } = event
    const messages = yield* (yield* Languages).ofPerson(reply)
    if (handler === undefined) {
      const { buttonUnknown, commandUnknown } = messages
      return yield* api.respond(reply, say(event._tag === "Pressed" ? buttonUnknown : commandUnknown))
    }
    const here = event._tag === "Pressed" && event.inPrivate === true
    if (handler.answers === "onceStored") {
      const acknowledge = yield* Effect.once(api.defer(reply))
      const handle = handler.handle(event, messages, Effect.orDie(acknowledge))
      const { body } = yield* settle(reply, messages, what, handler, handler.action(event), handle)
      if (Option.isNone(body)) return
      yield* opened({ reply }, body.value)
      yield* acknowledge
      return yield* patiently(api.editReply(reply, body.value))
    }
    if (handler.answers === "withForm") {
      const form = Effect.map(handler.handle(event, messages), Option.some)
      // Nothing may come before a form, so a store that is slow ends in words instead.
      const made = yield* Effect.timeoutOption(
        settle(reply, messages, what, handler, handler.action(event), form),
        "2 seconds"
      )
      const answer = Option.flatMap(made, ({ body }) => body).pipe(Option.getOrElse(() => say(messages.answerSlow)))
      if ("customId" in answer) return yield* api.modal(reply, answer)
      yield* api.respond(reply, answer)
      return yield* opened({ reply }, answer)
    }
    const answered = settle(reply, messages, what, handler, handler.action(event), handler.handle(event, messages))
    const answers = handler.answers === "personally" ? (here ? "inPlace" : "privately") : handler.answers
    switch (answers) {
      case "privately": {
        yield* api.defer(reply)
        const { body } = yield* answered
        if (Option.isSome(body)) {
          yield* opened({ reply }, body.value)
          yield* patiently(api.editReply(reply, body.value))
        }
        return yield* (yield* Notices).waiting(reply)
      }
      case "inPlace":
      case "quietly": {
        // Discord hears at once that the click arrived, whatever the store and the service are doing.
        const acknowledged = yield* Effect.fork(api.deferUpdate(reply))
        // The store comes second, but no click waits for a Discord that does not answer.
        yield* Effect.timeoutOption(Fiber.await(acknowledged), "1 second")
        const { body, handled } = yield* answered
        // A click whose acknowledgement is lost counts all the same: what it changed is shown.
        const heard = yield* Fiber.await(acknowledged)
        if (heard._tag === "Failure") yield* Effect.logWarning("A click could not be acknowledged", heard.cause)
        if (Option.isNone(body)) return
        if (handled && answers === "inPlace" && body.value.besides !== true) {
          yield* opened(event, body.value)
          return yield* patiently(api.editReply(reply, body.value))
        }
        const messageId = yield* api.followUp(reply, body.value)
        // The post that the control is on stays as it is: what was said besides is what ends.
        return yield* opened({ reply }, body.value, messageId)
      }
    }
  })

/** Notes an answer by which its person is to connect or to allow more, so that it ends when they did. */
const opened = (card: Card, body: MessageBody, messageId?: string) =>
  (body.buttons ?? []).flat().some(({ customId }) => /^(c1:|g1:|c2:code$)/.test(customId ?? ""))
    ? Effect.flatMap(OpenCards, (cards) => cards.opened(card, messageId === undefined ? {} : { messageId })).pipe(
        // It is told all the same; what is pressed in it then says that it is over.
        Effect.catchAllDefect((defect) => Effect.logWarning("An answer could not be noted", defect))
      )
    : Effect.void

/** Asks the policy, then handles; a refusal and every failure end in words, which are told from what the handler made. */
const settle = <A, R1, R2>(
  reply: ReplyTo,
  messages: Messages,
  what: string,
  { reads }: { readonly reads?: true },
  asked: Effect.Effect<Action, never, R1>,
  handle: Effect.Effect<Option.Option<A>, OpenApiError, R2>
) =>
  Effect.gen(function* () {
    const instead = (body: MessageBody) => ({ handled: false, body: Option.some<A | MessageBody>(body) })
    return yield* Effect.gen(function* () {
      const action = yield* asked
      const decision = yield* Guard.ask(reply, action)
      if (decision !== "allowed") return instead(say(refused(messages, decision, action)))
      return { handled: true, body: (yield* handle) as Option.Option<A | MessageBody> }
    }).pipe(
      Effect.catchAll((error) => Effect.succeed(instead(failed(messages, error, reads === true ? "read" : "act")))),
      Effect.catchAllDefect((defect) => {
        const id = reference()
        return Effect.as(
          Effect.logError(`${what} failed (${id})`, defect),
          instead(say(tell(messages, messages.failures.internal(id))))
        )
      })
    )
  })

/** Suggests; who may not use the command, and whoever would have to wait too long, is suggested nothing. */
const suggest = Effect.fnUntraced(function* (event: Completing) {
  const api = yield* DiscordApi
  const { suggest } = commands.find(({ path }) => path === event.path) ?? {}
  const found =
    suggest === undefined
      ? Option.none()
      : yield* Effect.gen(function* () {
          const decision = yield* Guard.ask(event.reply, yield* suggest.action(event))
          return decision === "allowed"
            ? yield* suggest.handle(event, yield* (yield* Languages).ofPerson(event.reply))
            : []
        }).pipe(
          Effect.timeoutOption("2 seconds"),
          Effect.catchAllCause((cause) =>
            Effect.as(Effect.logInfo(`Nothing could be suggested for /${event.path}`, cause), Option.none())
          )
        )
  yield* api.suggest(event.reply, Option.getOrElse(found, () => []).slice(0, 25))
})
