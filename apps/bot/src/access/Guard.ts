import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { IncomingMessage } from "../discord/DiscordEvent.ts"
import { type Membership, Members } from "./Members.ts"
import type { Action, Decision, Person, Refusal, Roles, Rule } from "../model/Access.ts"
import { decide } from "./Policy.ts"
import { Rules } from "../store/Rules.ts"
import { Shares } from "../store/Shares.ts"

/** The services that a policy decision needs. */
export type Requirements = Members | Rules | Shares

const asksPolicy: unique symbol = Symbol("asksPolicy")
declare const permitted: unique symbol

/** A handler that asks the policy before it acts. Only this module creates one. */
export type Guarded<Event, A, E, R> = ((event: Event) => Effect.Effect<A, E, R>) & { readonly [asksPolicy]: true }

/**
 * An event that the policy has allowed. Only this module creates one, so code that takes it always runs behind the
 * policy.
 */
export type Permitted<Event> = Event & { readonly [permitted]: true }

/** Asks the policy about one event and continues by its decision. */
export interface Decide<Event, R1> {
  <A, E, R, B, E2, R2>(
    allowed: (event: Permitted<Event>) => Effect.Effect<A, E, R>,
    refused: (refusal: Refusal, action: Action) => Effect.Effect<B, E2, R2>
  ): Effect.Effect<A | B, E | E2, R | R1 | R2 | Requirements>
}

interface PolicyQuestion<Event, R1> {
  readonly person: (event: Event) => Person
  /** The action that the policy decides about. */
  readonly action: (event: Event) => Effect.Effect<Action, never, R1>
}

/** Makes a handler of an event that a person caused. */
export const guard = <Event, A, E, R, R1, E2, R2>(
  handler: PolicyQuestion<Event, R1> & {
    readonly allowed: (event: Permitted<Event>) => Effect.Effect<A, E, R>
    readonly refused: (event: Event, refusal: Refusal, action: Action) => Effect.Effect<A, E2, R2>
  }
): Guarded<Event, A, E | E2, R | R1 | R2 | Requirements> =>
  guardWithin({
    ...handler,
    around: (event: Event, decide: Decide<Event, R1>) =>
      decide(handler.allowed, (refusal, action) => handler.refused(event, refusal, action))
  })

/** Like {@link guard}, but `around` first acknowledges the event and then decides. */
export const guardWithin = <Event, A, E, R, R1>(
  handler: PolicyQuestion<Event, R1> & {
    readonly around: (event: Event, decide: Decide<Event, R1>) => Effect.Effect<A, E, R>
  }
): Guarded<Event, A, E, R> =>
  brand((event) =>
    handler.around(event, (allowed, refused) =>
      Effect.gen(function* () {
        const action = yield* handler.action(event)
        const decision = yield* decideFor(handler.person(event), action)
        return yield* decision === "allowed" ? allowed(event as Permitted<Event>) : refused(decision, action)
      })
    )
  )

/** Adapts a handler to an event that contains its own event; `onResult` continues with the handler's result. */
export const via = <Outer, Event, A, E, R, B, E2, R2>(
  guarded: Guarded<Event, A, E, R>,
  from: (outer: Outer) => Event,
  onResult: (result: A) => Effect.Effect<B, E2, R2>
): Guarded<Outer, B, E | E2, R | R2> => brand((outer) => Effect.flatMap(guarded(from(outer)), onResult))

/** Wraps the handling of each event. */
export const around = <Event, A, E, R, B, E2, R2>(
  guarded: Guarded<Event, A, E, R>,
  wrap: (event: Event, handled: Effect.Effect<A, E, R>) => Effect.Effect<B, E2, R2>
): Guarded<Event, B, E2, R2> => brand((event) => wrap(event, guarded(event)))

/** Returns the first handler's result, or the second's when the first returns none. */
export const orElse = <Event, A, E, R, B, E2, R2>(
  first: Guarded<Event, Option.Option<A>, E, R>,
  second: Guarded<Event, B, E2, R2>
): Guarded<Event, A | B, E | E2, R | R2> =>
  brand((event) =>
    Effect.flatMap(
      first(event),
      Option.match({ onNone: (): Effect.Effect<A | B, E2, R2> => second(event), onSome: Effect.succeed })
    )
  )

/** Dispatches each event to the handler of its tag. A missing handler does not compile. */
export const byTag =
  <Event extends Tagged>() =>
  <const Handlers extends ByTag<Event>>(
    handlers: Handlers
  ): Guarded<Event, ResultOf<Handlers, "Success">, ResultOf<Handlers, "Error">, ResultOf<Handlers, "Context">> =>
    brand((event) => {
      const byKind: Readonly<Record<string, unknown>> = handlers
      const handle = byKind[event._tag] as (
        event: Event
      ) => Effect.Effect<ResultOf<Handlers, "Success">, ResultOf<Handlers, "Error">, ResultOf<Handlers, "Context">>
      return handle(event)
    })

/** The author of a server message. Discord does not include their permissions, and messages need none. */
export const personOf = ({ authorId, roleIds }: IncomingMessage, guildId: string | undefined): Person => ({
  userId: authorId,
  guildId,
  roleIds,
  managesServer: false
})

/** Decides by the policy, the rules of the server and the shares of the task's owner. */
export const decideFor = Effect.fn("Guard.decideFor")(function* (
  person: Person,
  action: Action
): Effect.fn.Return<Decision, never, Requirements> {
  const rules = yield* rulesAbout(person, action)
  // A message is checked again before the agent gets it, so reading does not wait for Discord.
  const ownerIsHere = action._tag === "Reply" || (yield* isOwnerHere(person, action, 0))
  return decide(yield* withRoles(person, rules), action, {
    rules,
    shares: yield* sharesFor(person, action),
    ownerIsHere
  })
})

/**
 * Decides about an action that was allowed earlier and runs only now: the current roles and membership count. Accepts a
 * member lookup that is at most `maxAgeMs` old.
 */
export const askPolicyAgain = Effect.fn("Guard.askPolicyAgain")(function* (
  userId: string,
  guildId: string,
  action: Action,
  maxAgeMs = 0
): Effect.fn.Return<Decision, never, Requirements> {
  const isOwnAccount = action._tag === "StartTask" || ("task" in action && action.task.ownerId === userId)
  const membership = yield* (yield* Members).find(guildId, userId, maxAgeMs)
  if (membership._tag === "NotMember") return "notMember"
  // When a lookup fails, the rules alone decide for people on their own account.
  if (membership._tag === "NotKnown" && !isOwnAccount) return "indeterminate"
  const person: Person = { userId, guildId, roleIds: rolesOf(membership), managesServer: false }
  const rules = yield* rulesAbout(person, action)
  const ownerIsHere = yield* isOwnerHere(person, action, maxAgeMs)
  return decide(person, action, { rules, shares: yield* sharesFor(person, action), ownerIsHere })
})

/** The roles of the author of a message that was read later, if any rule of the server is about roles. */
export const rolesForMissedMessage = Effect.fn("Guard.rolesForMissedMessage")(function* (
  guildId: string,
  userId: string
) {
  return yield* rolesFor(guildId, userId, yield* (yield* Rules).of(guildId))
})

const rulesAbout = Effect.fnUntraced(function* (person: Person, action: Action) {
  const guildId = "task" in action ? action.task.guildId : action._tag === "StartTask" ? person.guildId : undefined
  return guildId === undefined ? [] : yield* (yield* Rules).of(guildId)
})

/** Owners need no share. */
const sharesFor = Effect.fnUntraced(function* ({ userId }: Person, action: Action) {
  return "task" in action && action.task.ownerId !== userId ? yield* (yield* Shares).of(action.task.taskId) : []
})

/** The owner's own membership is not checked, and only needed lookups are made. */
const isOwnerHere = Effect.fnUntraced(function* ({ userId }: Person, action: Action, maxAgeMs: number) {
  const needsOwner = ["Approve", "ChooseForAgent", "Read", "Reply"].includes(action._tag)
  if (!needsOwner || !("task" in action) || action.task.ownerId === userId) return true
  const { _tag } = yield* (yield* Members).find(action.task.guildId, action.task.ownerId, maxAgeMs)
  return _tag === "NotKnown" ? undefined : _tag === "Here"
})

const withRoles = Effect.fnUntraced(function* (person: Person, rules: ReadonlyArray<Rule>) {
  const { guildId, roleIds, userId } = person
  if (roleIds !== undefined || guildId === undefined) return person
  return { ...person, roleIds: yield* rolesFor(guildId, userId, rules) }
})

const rolesFor = Effect.fnUntraced(function* (
  guildId: string,
  userId: string,
  rules: ReadonlyArray<Rule>
): Effect.fn.Return<Roles, never, Members> {
  if (!rules.some(({ subject }) => subject._tag === "Role")) return []
  return rolesOf(yield* (yield* Members).find(guildId, userId, maxRolesAgeMs))
})

const rolesOf = (membership: Membership): Roles => {
  switch (membership._tag) {
    case "Here":
      return membership.roleIds
    case "NotMember":
      return []
    case "NotKnown":
      return "unreadable"
  }
}

/** The largest accepted age of an author's roles, in milliseconds. */
const maxRolesAgeMs = 5000

interface Tagged {
  readonly _tag: string
}

type ByTag<Event extends Tagged> = {
  readonly [Tag in Event["_tag"]]: Guarded<Extract<Event, { readonly _tag: Tag }>, unknown, unknown, unknown>
}

type ResultOf<
  Handlers,
  Channel extends "Context" | "Error" | "Success"
> = Handlers[keyof Handlers] extends infer Handler
  ? Handler extends Guarded<never, infer A, infer E, infer R>
    ? { readonly Success: A; readonly Error: E; readonly Context: R }[Channel]
    : never
  : never

const brand = <Event, A, E, R>(handle: (event: Event) => Effect.Effect<A, E, R>): Guarded<Event, A, E, R> =>
  Object.assign(handle, { [asksPolicy]: true as const })
