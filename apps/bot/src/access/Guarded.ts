import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ask, type Requirements } from "./Guard.ts"
import type { Action, Person, Refusal } from "../model/Access.ts"

const asksFirst: unique symbol = Symbol("asksFirst")
declare const permitted: unique symbol

/** A handler that asks the policy before it does anything: only this module makes one. */
export type Guarded<Event, A, E, R> = ((event: Event) => Effect.Effect<A, E, R>) & { readonly [asksFirst]: true }

/** An event that the policy has allowed: only this module makes one, so that what takes one cannot be reached without. */
export type Permitted<Event> = Event & { readonly [permitted]: true }

/** Asks the policy about one event, and goes on by what it says. */
export interface Decide<Event, R1> {
  <A, E, R, B, E2, R2>(
    allowed: (event: Permitted<Event>) => Effect.Effect<A, E, R>,
    refused: (refusal: Refusal, action: Action) => Effect.Effect<B, E2, R2>
  ): Effect.Effect<A | B, E | E2, R | R1 | R2 | Requirements>
}

interface PolicyQuestion<Event, R1> {
  readonly person: (event: Event) => Person
  /** What the policy is asked. */
  readonly action: (event: Event) => Effect.Effect<Action, never, R1>
}

/** Makes a handler of something that a person did. */
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

/** The same where somebody has to hear that it arrived before the policy is asked: `around` says so, then decides. */
export const guardWithin = <Event, A, E, R, R1>(
  handler: PolicyQuestion<Event, R1> & {
    readonly around: (event: Event, decide: Decide<Event, R1>) => Effect.Effect<A, E, R>
  }
): Guarded<Event, A, E, R> =>
  branded((event) =>
    handler.around(event, (allowed, refused) =>
      Effect.gen(function* () {
        const action = yield* handler.action(event)
        const decision = yield* ask(handler.person(event), action)
        return yield* decision === "allowed" ? allowed(event as Permitted<Event>) : refused(decision, action)
      })
    )
  )

/** The same handler for what has its event in it; `then` goes on with what the handler made. */
export const via = <Outer, Event, A, E, R, B, E2, R2>(
  guarded: Guarded<Event, A, E, R>,
  from: (outer: Outer) => Event,
  then: (made: A) => Effect.Effect<B, E2, R2>
): Guarded<Outer, B, E | E2, R | R2> => branded((outer) => Effect.flatMap(guarded(from(outer)), then))

/** The same handler in its time: `when` is given the event and its handling, and says when that is done. */
export const timed = <Event, A, E, R, B, E2, R2>(
  guarded: Guarded<Event, A, E, R>,
  when: (event: Event, handled: Effect.Effect<A, E, R>) => Effect.Effect<B, E2, R2>
): Guarded<Event, B, E2, R2> => branded((event) => when(event, guarded(event)))

/** What the first handler makes, or the second where the first makes nothing. */
export const orElse = <Event, A, E, R, B, E2, R2>(
  first: Guarded<Event, Option.Option<A>, E, R>,
  second: Guarded<Event, B, E2, R2>
): Guarded<Event, A | B, E | E2, R | R2> =>
  branded((event) =>
    Effect.flatMap(
      first(event),
      Option.match({ onNone: (): Effect.Effect<A | B, E2, R2> => second(event), onSome: Effect.succeed })
    )
  )

/** Handles each kind of event by its own handler: no kind compiles without one. */
export const byTag =
  <Event extends Tagged>() =>
  <const Handlers extends ByTag<Event>>(
    handlers: Handlers
  ): Guarded<Event, Made<Handlers, "Success">, Made<Handlers, "Error">, Made<Handlers, "Context">> =>
    branded((event) => {
      const kinds: Readonly<Record<string, unknown>> = handlers
      const handle = kinds[event._tag] as (
        event: Event
      ) => Effect.Effect<Made<Handlers, "Success">, Made<Handlers, "Error">, Made<Handlers, "Context">>
      return handle(event)
    })

interface Tagged {
  readonly _tag: string
}

type ByTag<Event extends Tagged> = {
  readonly [Tag in Event["_tag"]]: Guarded<Extract<Event, { readonly _tag: Tag }>, unknown, unknown, unknown>
}

type Made<Handlers, What extends "Context" | "Error" | "Success"> = Handlers[keyof Handlers] extends infer Handler
  ? Handler extends Guarded<never, infer A, infer E, infer R>
    ? { readonly Success: A; readonly Error: E; readonly Context: R }[What]
    : never
  : never

const branded = <Event, A, E, R>(handle: (event: Event) => Effect.Effect<A, E, R>): Guarded<Event, A, E, R> =>
  Object.assign(handle, { [asksFirst]: true as const })
