/** Who wants something, and where they are. */
export interface Person {
  readonly userId: string
  /** The server in which they act; undefined in direct messages. */
  readonly guildId: string | undefined
  /** Their roles in that server; undefined when nobody told them. */
  readonly roleIds: ReadonlyArray<string> | undefined
  /** They may change the server's settings at Discord, too. */
  readonly managesServer: boolean
}

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
  | { readonly _tag: "StartTask"; readonly channelId: string }
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
}

export type Decision = "allowed" | Refusal

/** Why not: it needs a server, the task is another person's, a rule of the server says no, or it is for admins. */
export type Refusal = "onlyInServers" | "notYours" | "ruledOut" | "adminsOnly"

/**
 * Who may do what; everything that is not allowed here is refused. Rules of the server come first; without one, anyone
 * in a server may start tasks on their own account, and the owner of a task alone may use it, with those whom they let
 * in. Owners may always read and stop what is theirs.
 */
export const decide = (person: Person, action: Action, facts: Facts): Decision => {
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
      const denied = (["start", "spend"] as const).some(
        (capability) => ruling(person, action.channelId, capability, facts.rules) === "deny"
      )
      return denied ? "ruledOut" : "allowed"
    }
    case "Share":
      return owns(person, action.task) ? "allowed" : "notYours"
    case "Read":
      return owns(person, action.task) ||
        (["reply", "approve", "stop"] as const).some((what) => use(person, action.task, what, facts) === "allowed")
        ? "allowed"
        : "notYours"
    case "Stop":
      return owns(person, action.task) ? "allowed" : use(person, action.task, "stop", facts)
    case "Approve":
      return use(person, action.task, "approve", facts)
    case "Reply": {
      const may = use(person, action.task, "reply", facts)
      if (may !== "allowed") return may
      return ruling(person, action.task.channelId, "spend", facts.rules) === "deny" ? "ruledOut" : "allowed"
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
      return person.roleIds?.includes(subject.id) === true
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
