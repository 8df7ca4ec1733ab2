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
