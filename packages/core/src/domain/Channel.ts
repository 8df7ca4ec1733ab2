import type * as Redacted from "effect/Redacted"
import type { TaskId } from "./Task.ts"

/**
 * The address and credential of a task's ACP channel (contract 2.7).
 * The token opens only the channel and the session's artifacts; `expireAt` is Unix time in seconds.
 */
export interface Channel {
  readonly taskId: TaskId
  readonly link: string
  readonly token: Redacted.Redacted
  readonly expireAt?: number
}
