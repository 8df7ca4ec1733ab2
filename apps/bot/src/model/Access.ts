/** A person and the place of their action. */
export interface Person {
  readonly userId: string
  /** The server of the action; undefined in direct messages. */
  readonly guildId: string | undefined
  /** Their roles in that server; undefined when unknown. */
  readonly roleIds: Roles | undefined
  /** They may change the server's settings in Discord. */
  readonly managesServer: boolean
}

/** The roles of a member, or that Discord did not return them. */
export type Roles = ReadonlyArray<string> | "unreadable"

/** The part of a task that access depends on. */
export interface Task {
  /** The person whose account runs the task and is charged. */
  readonly ownerId: string
  readonly taskId: string
  readonly guildId: string
  /** The parent channel of the task's thread. */
  readonly channelId: string
}

/** An action of a person; every handler of a person's event declares one. */
export type Action =
  /** `hidden`: the request comes from a place with fewer readers than the channel that will show the task. */
  | { readonly _tag: "StartTask"; readonly channelId: string; readonly hidden: boolean }
  /** Actions on the person's own account only. */
  | { readonly _tag: "OwnAccount" }
  | { readonly _tag: "Reply"; readonly task: Task }
  | { readonly _tag: "Approve"; readonly task: Task }
  /** Choosing the agent's mode, model or options. `allowsMore`: it may then do more without asking. */
  | { readonly _tag: "ChooseForAgent"; readonly task: Task; readonly allowsMore: boolean }
  | { readonly _tag: "Stop"; readonly task: Task }
  | { readonly _tag: "Read"; readonly task: Task }
  /** Sharing a task and ending a share. */
  | { readonly _tag: "Share"; readonly task: Task }
  /** Writing to the assistant on a person's own computer, which cannot be shared. */
  | { readonly _tag: "Assistant"; readonly ownerId: string }
  /** Reading or changing the server's settings. */
  | { readonly _tag: "Settings" }
  /** Deletions of messages, which Discord has already permitted. */
  | { readonly _tag: "DeleteMessages" }
  /** A control without a target; the handler only says so. */
  | { readonly _tag: "NothingHere" }

/** What rules are about. To spend is to let the agent work for credits; starting and replying need it in addition. */
export type Capability = "start" | "reply" | "approve" | "stop" | "spend"

/** A rule of a server. */
export interface Rule {
  readonly subject: Subject
  /** Undefined: the whole server. */
  readonly channelId: string | undefined
  readonly capability: Capability
  readonly allow: boolean
}

/** The subject of a rule. */
export type Subject =
  | { readonly _tag: "Everyone" }
  | { readonly _tag: "Role"; readonly id: string }
  | { readonly _tag: "User"; readonly id: string }

/** What a share permits. */
export interface Share {
  readonly userId: string
  /** Write to the task and stop its answers. */
  readonly reply: boolean
  /** Answer the agent's requests. */
  readonly approve: boolean
}

/** The stored decisions: rules of the server and shares of the task. */
export interface Facts {
  readonly rules: ReadonlyArray<Rule>
  readonly shares: ReadonlyArray<Share>
  /** Whether the owner of the task is in its server; undefined when unknown. */
  readonly ownerIsHere: boolean | undefined
}

export type Decision = "allowed" | Refusal

/** The reason of a refusal. */
export type Refusal =
  /** The action needs a server. */
  | "onlyInServers"
  /** The task would show a private thread's content in its channel. */
  | "onlyInPublic"
  /** The task belongs to another person. */
  | "notYours"
  /** The person may write to the task, but not answer what its agent would then not ask. */
  | "needsApproval"
  /** The task's owner is no longer in the server. */
  | "ownerNotMember"
  /** The person is no longer in the task's server. */
  | "notMember"
  /** A rule of the server denies it. */
  | "deniedByRule"
  /** Admins only. */
  | "adminsOnly"
  /** Discord did not return a needed membership. */
  | "indeterminate"
