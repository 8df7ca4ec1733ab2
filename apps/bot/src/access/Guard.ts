import * as Effect from "effect/Effect"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { type Action, decide, type Person, type Refusal, type Rule } from "./Policy.ts"
import { Rules } from "./Rules.ts"
import { Shares } from "./Shares.ts"

/** What asking needs. */
export type Requirements = DiscordApi | Rules | Shares

/** Asks the policy, with the rules of the server and whom the owner of the task let in. */
export const ask = Effect.fn("Guard.ask")(function* (person: Person, action: Action) {
  const guildId = "task" in action ? action.task.guildId : action._tag === "StartTask" ? person.guildId : undefined
  const rules = guildId === undefined ? [] : yield* (yield* Rules).of(guildId)
  // Owners need no share.
  const shared = "task" in action && action.task.ownerId !== person.userId ? action.task.taskId : undefined
  const shares = shared === undefined ? [] : yield* (yield* Shares).of(shared)
  return decide(yield* withRoles(person, rules), action, { rules, shares })
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
}): Guarded<Event, A, E | E2, R | R1 | R2 | Requirements> =>
  Object.assign(
    (event: Event) =>
      Effect.gen(function* () {
        const action = yield* handler.action(event)
        const decision = yield* ask(handler.person(event), action)
        return yield* decision === "allowed" ? handler.allowed(event) : handler.refused(event, decision, action)
      }),
    { [asksFirst]: true as const }
  )

/** The roles of somebody whose message was read later, as far as the rules of the server are about roles. */
export const rolesOf = Effect.fn("Guard.rolesOf")(function* (guildId: string, userId: string) {
  return yield* rolesFor(guildId, userId, yield* (yield* Rules).of(guildId))
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
): Effect.fn.Return<ReadonlyArray<string>, never, DiscordApi> {
  if (!rules.some(({ subject }) => subject._tag === "Role")) return []
  return yield* (yield* DiscordApi)
    .rolesOf(guildId, userId)
    .pipe(
      Effect.catchAll((error) =>
        Effect.as(Effect.logWarning("The roles of a member could not be read; none count", error.message), [])
      )
    )
})
