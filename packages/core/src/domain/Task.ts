import * as Schema from "effect/Schema"
import { TaskStatus } from "./TaskStatus.ts"
import { optional, WireInt } from "./Wire.ts"

/** The id of a task: also the cloud session id and the `sessionId` of its ACP channel (contract 2.7). */
export const TaskId = Schema.NonEmptyString.pipe(Schema.brand("TaskId"))
export type TaskId = typeof TaskId.Type

/**
 * A cloud task as create and query-one return it (contract 2.7).
 * `link` and `token` may be missing shortly after creation; `expireAt` is Unix time in seconds.
 */
export class Task extends Schema.Class<Task>("@heddle/core/Task")({
  taskId: Schema.propertySignature(TaskId).pipe(Schema.fromKey("task_id")),
  status: TaskStatus,
  name: optional(Schema.String),
  link: optional(Schema.String),
  token: optional(Schema.Redacted(Schema.String)),
  expireAt: optional(WireInt).pipe(Schema.fromKey("expire_at")),
  sandboxLink: optional(Schema.String),
  sandboxDataLink: optional(Schema.String),
  createdAt: optional(Schema.String).pipe(Schema.fromKey("created_at")),
  updatedAt: optional(Schema.String).pipe(Schema.fromKey("updated_at"))
}) {}

/** A task as the list shows it (contract 2.8): never with a token. Times are ISO 8601. */
export class TaskSummary extends Schema.Class<TaskSummary>("@heddle/core/TaskSummary")({
  taskId: Schema.propertySignature(TaskId).pipe(Schema.fromKey("task_id")),
  status: TaskStatus,
  name: optional(Schema.String),
  link: optional(Schema.String),
  createdAt: optional(Schema.String).pipe(Schema.fromKey("created_at")),
  updatedAt: optional(Schema.String).pipe(Schema.fromKey("updated_at"))
}) {}

/** One page of the task list (contract 4.10). */
export class TaskPage extends Schema.Class<TaskPage>("@heddle/core/TaskPage")({
  tasks: Schema.Array(TaskSummary),
  total: WireInt,
  pagination: Schema.Struct({ page: WireInt, size: WireInt, total: WireInt })
}) {}

/**
 * What a new task starts with (contract 4.9).
 * `initialPrompt: "hold"` asks the service to create the session without running the prompt, so that the
 * caller can send it with attachments over the ACP channel; a service that does not know the field runs it.
 */
export class NewTask extends Schema.Class<NewTask>("@heddle/core/NewTask")({
  prompt: Schema.String,
  name: optional(Schema.String),
  initialPrompt: optional(Schema.Literal("run", "hold")).pipe(Schema.fromKey("initial_prompt"))
}) {}
