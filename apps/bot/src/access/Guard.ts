import * as Effect from "effect/Effect"
import { type Membership, Members } from "./Members.ts"
import type { Action, Decision, Person, Roles, Rule } from "../model/Access.ts"
import { decide } from "./Policy.ts"
import { Rules } from "../store/Rules.ts"
import { Shares } from "../store/Shares.ts"

/** What asking needs. */
export type Requirements = Members | Rules | Shares

/** Asks the policy, with the rules of the server and whom the owner of the task let in. */
export const ask = Effect.fn("Guard.ask")(function* (
  person: Person,
  action: Action
): Effect.fn.Return<Decision, never, Requirements> {
  const rules = yield* rulesAbout(person, action)
  // Messages are asked about again before an agent gets them, and reading them waits for nobody.
  const ownerIsHere = action._tag === "Reply" || (yield* isOwnerHere(person, action, 0))
  return decide(yield* withRoles(person, rules), action, {
    rules,
    shares: yield* sharesFor(person, action),
    ownerIsHere
  })
})

/**
 * Asks the policy about something that somebody was allowed to ask for, and that is only done now: what counts is who
 * they are now, and whether they are in the server at all. What Discord told `within` so many milliseconds is taken as it
 * was.
 */
export const askAgain = Effect.fn("Guard.askAgain")(function* (
  userId: string,
  guildId: string,
  action: Action,
  within = 0
): Effect.fn.Return<Decision, never, Requirements> {
  const own = action._tag === "StartTask" || ("task" in action && action.task.ownerId === userId)
  const membership = yield* (yield* Members).find(guildId, userId, within)
  if (membership._tag === "Away") return "away"
  // On their own account, whoever cannot be looked up is only held to what the rules may say.
  if (membership._tag === "NotKnown" && !own) return "notKnown"
  const person: Person = { userId, guildId, roleIds: rolesOf(membership), managesServer: false }
  const rules = yield* rulesAbout(person, action)
  const ownerIsHere = yield* isOwnerHere(person, action, within)
  return decide(person, action, { rules, shares: yield* sharesFor(person, action), ownerIsHere })
})

/** The roles of somebody whose message was read later, as far as the rules of the server are about roles. */
export const rolesLater = Effect.fn("Guard.rolesLater")(function* (guildId: string, userId: string) {
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

/** Owners are not in the way of themselves, and nobody is asked about who is not needed. */
const isOwnerHere = Effect.fnUntraced(function* ({ userId }: Person, action: Action, within: number) {
  const asked = action._tag === "Approve" || action._tag === "Read" || action._tag === "Reply"
  if (!asked || action.task.ownerId === userId) return true
  const { _tag } = yield* (yield* Members).find(action.task.guildId, action.task.ownerId, within)
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
  return rolesOf(yield* (yield* Members).find(guildId, userId, moments))
})

const rolesOf = (membership: Membership): Roles => {
  switch (membership._tag) {
    case "Here":
      return membership.roleIds
    case "Away":
      return []
    case "NotKnown":
      return "unreadable"
  }
}

/** So long ago Discord may have told the roles of somebody whose messages are read, in milliseconds. */
const moments = 5000
