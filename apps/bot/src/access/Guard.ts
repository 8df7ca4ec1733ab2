import * as Effect from "effect/Effect"
import { type Membership, Members } from "./Members.ts"
import type { Action, Decision, Person, Roles, Rule } from "../model/Access.ts"
import { decide } from "./Policy.ts"
import { Rules } from "../store/Rules.ts"
import { Shares } from "../store/Shares.ts"

/** The services that a policy decision needs. */
export type Requirements = Members | Rules | Shares

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
 * member lookup that is at most `within` milliseconds old.
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
  const needsOwner = action._tag === "Approve" || action._tag === "Read" || action._tag === "Reply"
  if (!needsOwner || action.task.ownerId === userId) return true
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
