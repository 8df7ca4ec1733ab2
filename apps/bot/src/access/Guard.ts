import * as Effect from "effect/Effect"
import { type Action, decide, type Decision, type Person, type Refusal } from "./Policy.ts"

/** What asking needs. */
export type Requirements = never

/** Asks the policy. */
export const ask = Effect.fn("Guard.ask")(function* (person: Person, action: Action) {
  return yield* Effect.succeed<Decision>(decide(person, action, { rules: [], shares: [] }))
})

const asksFirst: unique symbol = Symbol("asksFirst")

/** A handler that asks the policy before it does anything: only {@link guard} makes one. */
export type Guarded<Event, A, E, R> = ((event: Event) => Effect.Effect<A, E, R>) & { readonly [asksFirst]: true }

/** Makes a handler of something that a person did. */
export const guard = <Event, A, E, R, R1, E2, R2>(handler: {
  readonly person: (event: Event) => Person
  /** What the policy is asked. */
  readonly action: (event: Event) => Effect.Effect<Action, never, R1>
  readonly allowed: (event: Event) => Effect.Effect<A, E, R>
  readonly refused: (event: Event, refusal: Refusal, action: Action) => Effect.Effect<A, E2, R2>
}): Guarded<Event, A, E | E2, R | R1 | R2> =>
  Object.assign(
    (event: Event) =>
      Effect.gen(function* () {
        const action = yield* handler.action(event)
        const decision = yield* ask(handler.person(event), action)
        return yield* decision === "allowed" ? handler.allowed(event) : handler.refused(event, decision, action)
      }),
    { [asksFirst]: true as const }
  )
