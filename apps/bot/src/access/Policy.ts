/** Who wants something, and where they are. */
export interface Person {
  readonly userId: string
  /** The server in which they act; undefined in direct messages. */
  readonly guildId: string | undefined
  /** Their roles in that server; undefined when nobody told them. */
  readonly roleIds: Roles | undefined
  /** They may change the server's settings at Discord, too. */
  readonly managesServer: boolean
}

/** The roles of a member, or that Discord did not tell them when it was asked. */
export type Roles = ReadonlyArray<string> | "unreadable"

/** A task as far as access to it goes. */
export interface Task {
  /** The person whose account runs the task and is charged for it. */
  readonly ownerId: string
  readonly taskId: string
  readonly guildId: string
  /** The channel that the task's thread belongs to. */
  readonly channelId: string
}

/** What a person wants to do: every handler of anything that people do has to name one. */
export type Action =
  /** `hidden`: where they ask for it, fewer people read than in that channel, whose readers see the task. */
  | { readonly _tag: "StartTask"; readonly channelId: string; readonly hidden: boolean }
  /** Things that concern the person's own account only. */
  | { readonly _tag: "OwnAccount" }
  | { readonly _tag: "Reply"; readonly task: Task }
  | { readonly _tag: "Approve"; readonly task: Task }
  | { readonly _tag: "Stop"; readonly task: Task }
  | { readonly _tag: "Read"; readonly task: Task }
  /** Letting others into a task, and ending that. */
  | { readonly _tag: "Share"; readonly task: Task }
  /** Writing to the assistant on a person's own computer, which nobody shares. */
  | { readonly _tag: "Assistant"; readonly ownerId: string }
  /** Reading or changing the settings of the server. */
  | { readonly _tag: "Settings" }
  /** Taking back what was said, which Discord has let them do already. */
  | { readonly _tag: "TakeBack" }
  /** There is nothing here that anybody could use or change; the handler only says so. */
  | { readonly _tag: "NothingHere" }

/** What rules are about. To spend is to have the agent work for credits: it comes on top of starting and replying. */
export type Capability = "start" | "reply" | "approve" | "stop" | "spend"

/** A rule of a server. */
export interface Rule {
  readonly subject: Subject
  /** Undefined: in the whole server. */
  readonly channelId: string | undefined
  readonly capability: Capability
  readonly allow: boolean
}

/** Whom a rule is about. */
export type Subject =
  | { readonly _tag: "Everyone" }
  | { readonly _tag: "Role"; readonly id: string }
  | { readonly _tag: "User"; readonly id: string }

/** What an owner lets somebody do in a task. */
export interface Share {
  readonly userId: string
  /** They may write to the task and stop its answers. */
  readonly reply: boolean
  /** They may answer what the agent asks. */
  readonly approve: boolean
}

/** What was decided before by others: the rules of the server, and whom the owner let into the task. */
export interface Facts {
  readonly rules: ReadonlyArray<Rule>
  readonly shares: ReadonlyArray<Share>
  /** The owner of the task is in its server; undefined when Discord did not tell. */
  readonly ownerIsHere: boolean | undefined
}

export type Decision = "allowed" | Refusal

/** Why not. */
export type Refusal =
  /** It needs a server. */
  | "onlyInServers"
  /** What is said in a private thread would be shown to everybody in its channel. */
  | "onlyInPublic"
  /** The task is another person's. */
  | "notYours"
  /** The task is another person's, who is not in the server any more. */
  | "ownerAway"
  /** They are not in the server of the task any more. */
  | "away"
  /** A rule of the server says no. */
  | "ruledOut"
  /** It is for admins. */
  | "adminsOnly"
  /** It depends on what Discord did not tell just now. */
  | "notKnown"

/**
 * Who may do what; everything that is not allowed here is refused. Rules of the server come first; without one, anyone
 * in a server may start tasks on their own account, and the owner of a task alone may use it, with those whom they let
 * in. Owners may always read and stop what is theirs. While an owner is not in the server, others may only stop.
 */
export const decide = (person: Person, action: Action, facts: Facts): Decision => {
  if (typeof person.roleIds === "object" || person.guildId === undefined) return decideWith(person, action, facts)
  // Of a set of roles that is denied something, one alone is denied it, too.
  const possible = facts.rules.flatMap(({ subject }) => (subject._tag === "Role" ? [[subject.id]] : []))
  const without = decideWith({ ...person, roleIds: [] }, action, facts)
  return possible.every((roleIds) => decideWith({ ...person, roleIds }, action, facts) === without)
    ? without
    : "notKnown"
}

const decideWith = (person: Person, action: Action, facts: Facts): Decision => {
  switch (action._tag) {
    case "OwnAccount":
    case "TakeBack":
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
        (capability) => ruling(person, action.channelId, capability, facts.rules) === "deny"
      )
      return denied ? "ruledOut" : "allowed"
    }
    case "Share":
      return owns(person, action.task) ? "allowed" : "notYours"
    case "Read": {
      if (owns(person, action.task)) return "allowed"
      const uses = (["reply", "approve", "stop"] as const).some(
        (what) => use(person, action.task, what, facts) === "allowed"
      )
      return uses ? onAccount(person, action.task, facts) : "notYours"
    }
    case "Stop":
      return owns(person, action.task) ? "allowed" : use(person, action.task, "stop", facts)
    case "Approve": {
      const may = use(person, action.task, "approve", facts)
      return may === "allowed" ? onAccount(person, action.task, facts) : may
    }
    case "Reply": {
      const may = use(person, action.task, "reply", facts)
      if (may !== "allowed") return may
      const spends = ruling(person, action.task.channelId, "spend", facts.rules) !== "deny"
      return spends ? onAccount(person, action.task, facts) : "ruledOut"
    }
  }
}

/**
 * What the rules of a server say; nothing when none is about this. A rule for a person beats one for a role, which beats
 * one for everyone; of two alike the one for the channel counts; and of two that are alike in this, too, the one that
 * denies.
 */
export const ruling = (
  person: Pick<Person, "roleIds" | "userId">,
  channelId: string,
  capability: Capability,
  rules: ReadonlyArray<Rule>
): "allow" | "deny" | undefined => {
  const fitting = rules.filter(
    (rule) =>
      rule.capability === capability &&
      (rule.channelId === undefined || rule.channelId === channelId) &&
      isAbout(person, rule.subject)
  )
  const highest = Math.max(...fitting.map(weight))
  const deciding = fitting.filter((rule) => weight(rule) === highest)
  if (deciding.length === 0) return undefined
  return deciding.every(({ allow }) => allow) ? "allow" : "deny"
}

const isAbout = (person: Pick<Person, "roleIds" | "userId">, subject: Subject): boolean => {
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

/** Whether a person may do something with a task: by a rule of its server, or because it is theirs or was shared. */
const use = (person: Person, task: Task, what: "approve" | "reply" | "stop", { rules, shares }: Facts): Decision => {
  // A task is used in its own server, whose rules and roles these are.
  if (person.guildId !== task.guildId) return "notYours"
  const said = ruling(person, task.channelId, what, rules)
  if (said !== undefined) return said === "allow" ? "allowed" : "ruledOut"
  const share = shares.find(({ userId }) => userId === person.userId)
  const shared = share !== undefined && (what === "approve" ? share.approve : share.reply)
  return owns(person, task) || shared ? "allowed" : "notYours"
}

/** Whether somebody who may use a task may do so on its owner's account: others only where the owner is, too. */
const onAccount = (person: Person, task: Task, { ownerIsHere }: Facts): Decision => {
  if (ownerIsHere === true || owns(person, task)) return "allowed"
  return ownerIsHere === undefined ? "notKnown" : "ownerAway"
}
