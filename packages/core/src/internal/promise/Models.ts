import type * as Assistant from "../../domain/AssistantMessage.ts"
import type * as DomainChannel from "../../domain/Channel.ts"
import type * as Credit from "../../domain/CreditQuota.ts"
import type * as User from "../../domain/Profile.ts"
import type * as Redemptions from "../../domain/Redemption.ts"
import type * as Tasks from "../../domain/Task.ts"
import type * as Reconciliations from "../../Reconciliation.ts"
import type { PlainInput } from "./Input.ts"
import type { Plain } from "./Plain.ts"

export type { Secret } from "./Plain.ts"

/** The user's nickname and avatar URL; a service may leave either out. */
export type Profile = Plain<User.Profile>

/** The user's credits of the current period; `used` may exceed `total`. */
export type CreditQuota = Plain<Credit.CreditQuota>

/** A task as the list shows it; times are ISO 8601. */
export type TaskSummary = Plain<Tasks.TaskSummary>

/**
 * A task with its channel: `link` and `token` may be missing shortly after creation; `expireAt` is Unix time in
 * seconds.
 */
export type Task = Plain<Tasks.Task>

/** One page of the task list. */
export type TaskPage = Plain<Tasks.TaskPage>

/** An agent that new tasks can have. */
export type OfferedAgent = Plain<Tasks.OfferedAgent>

/**
 * The request that creates a task; `initialPrompt: "hold"` asks the service not to run the prompt yet. `agent` is the
 * name of an {@link OfferedAgent}.
 */
export type NewTask = PlainInput<Tasks.NewTask>

/** The address and credential of a task's channel; `expireAt` is Unix time in seconds. */
export type Channel = Plain<DomainChannel.Channel>

/**
 * A task whose creation got no response: its prompt and name, and when it was sent (epoch milliseconds or a date).
 * `clockSkewMs` is how far the service's clock may be behind this one, one minute by default; `except` has the ids of other tasks.
 */
export type LostTask = PlainInput<Reconciliations.LostTask>

/** The tasks that may be the lost one: `task` where exactly one has its name, and all `candidates`. */
export type Reconciliation = Plain<Reconciliations.Reconciliation>

/** One message of the conversation with the local assistant; `textOf` gives its text. */
export type AssistantMessage = Plain<Assistant.AssistantMessage>

/** The answer to a questionnaire or tool approval; `answers` has the keys `q_0`, `q_1` and so on, none to cancel. */
export type PermissionResponse = PlainInput<Assistant.PermissionResponse>

/** The result of a redemption: `credits` issued to the user with this `openId`. */
export type Redemption = Plain<Redemptions.Redemption>
