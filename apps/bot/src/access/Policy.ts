import type { Action, Capability, Decision, Facts, Person, Rule, Subject, Task } from "../model/Access.ts"

/**
 * The access policy; it refuses everything that it does not allow. Rules of the server come first. Without a rule,
 * members may start tasks on their own account, and only the owner and the people they share with may use a task.
 * Owners may always read and stop their own tasks. While an owner is not in the server, others may only stop.
 */
export const decide = (person: Person, action: Action, facts: Facts): Decision => {
  if (typeof person.roleIds === "object" || person.guildId === undefined) return decideWith(person, action, facts)
  // Every role of a denied set is denied.
  const possibleRoles = facts.rules.flatMap(({ subject }) => (subject._tag === "Role" ? [[subject.id]] : []))
  const withoutRoles = decideWith({ ...person, roleIds: [] }, action, facts)
  return possibleRoles.every((roleIds) => decideWith({ ...person, roleIds }, action, facts) === withoutRoles)
    ? withoutRoles
    : "indeterminate"
}

const decideWith = (person: Person, action: Action, facts: Facts): Decision => {
  switch (action._tag) {
    case "OwnAccount":
    case "DeleteMessages":
    case "NothingHere":
      return "allowed"
    case "Assistant":
      return person.userId !== "" && person.userId === action.ownerId ? "allowed" : "notYours"
    case "Settings":
      return person.guildId !== undefined && person.managesServer ? "allowed" : "adminsOnly"
    case "StartTask": {
      if (person.guildId === undefined) return "onlyInServers"
      if (action.hidden) return "onlyInPublic"
      const denied = (["start", "spend"] as const).some(
        (capability) => evaluateRules(person, action.channelId, capability, facts.rules) === "deny"
      )
      return denied ? "deniedByRule" : "allowed"
    }
    case "Share":
      return owns(person, action.task) ? "allowed" : "notYours"
    case "Read": {
      if (owns(person, action.task)) return "allowed"
      const mayUse = (["reply", "approve", "stop"] as const).some(
        (capability) => decideUse(person, action.task, capability, facts) === "allowed"
      )
      return mayUse ? requireOwnerPresent(person, action.task, facts) : "notYours"
    }
    case "Stop":
      return owns(person, action.task) ? "allowed" : decideUse(person, action.task, "stop", facts)
    case "Approve": {
      const decision = decideUse(person, action.task, "approve", facts)
      return decision === "allowed" ? requireOwnerPresent(person, action.task, facts) : decision
    }
    case "ChooseForAgent": {
      // Who lets the agent work unasked has answered what it would ask.
      const decision = decideWith(person, { _tag: "Reply", task: action.task }, facts)
      if (decision !== "allowed" || !action.allowsMore) return decision
      const approval = decideWith(person, { _tag: "Approve", task: action.task }, facts)
      return approval === "notYours" ? "needsApproval" : approval
    }
    case "Reply": {
      const decision = decideUse(person, action.task, "reply", facts)
      if (decision !== "allowed") return decision
      const maySpend = evaluateRules(person, action.task.channelId, "spend", facts.rules) !== "deny"
      return maySpend ? requireOwnerPresent(person, action.task, facts) : "deniedByRule"
    }
  }
}

/**
 * The decision of a server's rules; undefined when no rule matches. Person beats role, role beats everyone. Between
 * equal subjects the rule of the channel wins, then the denial.
 */
export const evaluateRules = (
  person: Pick<Person, "roleIds" | "userId">,
  channelId: string,
  capability: Capability,
  rules: ReadonlyArray<Rule>
): "allow" | "deny" | undefined => {
  const matching = rules.filter(
    (rule) =>
      rule.capability === capability &&
      (rule.channelId === undefined || rule.channelId === channelId) &&
      matchesSubject(person, rule.subject)
  )
  const highest = Math.max(...matching.map(weight))
  const decisive = matching.filter((rule) => weight(rule) === highest)
  if (decisive.length === 0) return undefined
  return decisive.every(({ allow }) => allow) ? "allow" : "deny"
}

const matchesSubject = (person: Pick<Person, "roleIds" | "userId">, subject: Subject): boolean => {
  switch (subject._tag) {
    case "Everyone":
      return true
    case "Role":
      return typeof person.roleIds === "object" && person.roleIds.includes(subject.id)
    case "User":
      return person.userId === subject.id
  }
}

const weights = { Everyone: 0, Role: 2, User: 4 } as const

const weight = ({ channelId, subject }: Rule): number => weights[subject._tag] + (channelId === undefined ? 0 : 1)

const owns = (person: Person, task: Task): boolean => person.userId !== "" && person.userId === task.ownerId

/** Whether a person may act on a task: by a rule of its server, by ownership or by a share. */
const decideUse = (
  person: Person,
  task: Task,
  capability: "approve" | "reply" | "stop",
  { rules, shares }: Facts
): Decision => {
  // A task is used only in its own server, whose rules and roles apply.
  if (person.guildId !== task.guildId) return "notYours"
  const ruleDecision = evaluateRules(person, task.channelId, capability, rules)
  if (ruleDecision !== undefined) return ruleDecision === "allow" ? "allowed" : "deniedByRule"
  const share = shares.find(({ userId }) => userId === person.userId)
  const shared = share !== undefined && (capability === "approve" ? share.approve : share.reply)
  return owns(person, task) || shared ? "allowed" : "notYours"
}

/** Whether a person may act on the owner's account: others only while the owner is in the server. */
const requireOwnerPresent = (person: Person, task: Task, { ownerIsHere }: Facts): Decision => {
  if (ownerIsHere === true || owns(person, task)) return "allowed"
  return ownerIsHere === undefined ? "indeterminate" : "ownerNotMember"
}
