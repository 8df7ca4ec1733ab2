import type { TaskStatus } from "../../domain/TaskStatus.ts"

/** A credential that no log, string or JSON shows; ask for its `value` where it is used. */
export class Secret {
  readonly #value: string
  constructor(value: string) {
    this.#value = value
  }
  get value(): string {
    return this.#value
  }
  toString(): string {
    return "[redacted]"
  }
  toJSON(): string {
    return "[redacted]"
  }
  /** What Node's `util.inspect` and `console.log` show. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[redacted]"
  }
}

/** The user's nickname and avatar URL; a service may leave either out. */
export interface Profile {
  readonly nickname?: string
  readonly avatar?: string
}

/** The user's credits of the current period; `used` may exceed `total`. */
export interface CreditQuota {
  readonly total: number
  readonly used: number
}

/** A task as the list shows it; times are ISO 8601. */
export interface TaskSummary {
  readonly taskId: string
  readonly status: TaskStatus
  readonly name?: string
  readonly link?: string
  readonly createdAt?: string
  readonly updatedAt?: string
}

/** A task with its channel: `link` and `token` may be missing shortly after creation; `expireAt` is Unix time in seconds. */
export interface Task extends TaskSummary {
  readonly token?: Secret
  readonly expireAt?: number
  readonly sandboxLink?: string
  readonly sandboxDataLink?: string
}

/** One page of the task list. */
export interface TaskPage {
  readonly tasks: ReadonlyArray<TaskSummary>
  readonly total: number
  readonly pagination: { readonly page: number; readonly size: number; readonly total: number }
}

/** What a new task starts with; `initialPrompt: "hold"` asks the service not to run the prompt yet. */
export interface NewTask {
  readonly prompt: string
  readonly name?: string | undefined
  readonly initialPrompt?: "run" | "hold" | undefined
}

/** The address and credential of a task's channel; `expireAt` is Unix time in seconds. */
export interface Channel {
  readonly taskId: string
  readonly link: string
  readonly token: Secret
  readonly expireAt?: number
}

/** A task whose creation got no answer: what it was to be, and when it was sent (epoch milliseconds or a date). */
export interface LostTask {
  readonly prompt: string
  readonly name?: string | undefined
  readonly since: Date | number
  /** How far the service's clock may be behind this one; a minute without it. */
  readonly clockSkewMs?: number | undefined
  /** Tasks that are known to be others. */
  readonly except?: Iterable<string> | undefined
}

/** Which tasks may be the lost one: `task` where exactly one has its name, and all that may be it. */
export interface Reconciliation {
  readonly task?: TaskSummary
  readonly candidates: ReadonlyArray<TaskSummary>
}

/** One message of the conversation with the local assistant; `textOf` gives its text. */
export interface AssistantMessage {
  readonly messageId: string
  readonly role: "user" | "assistant" | (string & {})
  readonly content: ReadonlyArray<string | { readonly [key: string]: unknown }>
  readonly msgType?: string
  readonly createdAt?: string
  readonly attachments: ReadonlyArray<unknown>
  readonly metadata: { readonly [key: string]: unknown }
}

/** The answer to a questionnaire or tool approval; `answers` has the keys `q_0`, `q_1` and so on, none to cancel. */
export interface PermissionResponse {
  readonly outcome: "selected" | "cancelled" | (string & {})
  readonly requestId: string
  readonly answers?: { readonly [question: string]: string | ReadonlyArray<string> }
}

/** What a redemption gave: `credits` issued now, to the user that this application knows as `openId`. */
export interface Redemption {
  readonly status: "success" | (string & {})
  readonly flowNo: string
  readonly credits: number
  readonly openId?: string
}
