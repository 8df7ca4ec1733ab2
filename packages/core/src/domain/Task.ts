import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { isTerminal, TaskStatus } from "./TaskStatus.ts"
import { DateTimeText, model, optional, required, UriText, WireInt } from "./Wire.ts"

/** The id of a task: also the cloud session id and the `sessionId` of its ACP channel (contract 2.7). */
export const TaskId = Schema.NonEmptyString.pipe(Schema.brand("TaskId"))
export type TaskId = typeof TaskId.Type

/** The fields of a task in the list. */
const summary = {
  taskId: required("task_id", TaskId, "Also the id of the session on the ACP channel.").annotations({
    examples: ["0d0f6d7e-5d0c-4f4e-8d3c-2f9a7c1b5e64" as TaskId]
  }),
  status: required("status", TaskStatus, "One of these words. New words may be added."),
  name: optional(Schema.String, "The given name, or the first line of the prompt."),
  link: optional(UriText, "The ACP channel's address; missing while the sandbox starts."),
  agent: optional(Schema.String, "The name of the agent that works on it, where the service offers several."),
  createdAt: optional(DateTimeText).pipe(Schema.fromKey("created_at")),
  updatedAt: optional(DateTimeText).pipe(Schema.fromKey("updated_at"))
}

/**
 * A cloud task as create and query-one return it (contract 2.7).
 * `link` and `token` may be missing shortly after creation; `expireAt` is Unix time in seconds.
 */
export class Task extends model<Task>("Task")({
  ...summary,
  token: optional(
    Schema.Redacted(Schema.String),
    "Opens the ACP channel and the session's artifacts, nothing else. Comes with `link`."
  ),
  expireAt: optional(WireInt, "End of the token's life, Unix time in seconds.").pipe(Schema.fromKey("expire_at")),
  initialPrompt: optional(
    Schema.String,
    "`hold` when the service leaves the initial prompt to the caller. Comes with `link`."
  ).pipe(Schema.fromKey("initial_prompt")),
  sandboxLink: optional(UriText),
  sandboxDataLink: optional(UriText)
}) {}

/**
 * Whether a task has ended: it is archived or deleted, or failed without link and token. A failed task that has them
 * takes the next prompt (contract decision 73).
 */
export const hasEnded = ({ link, status, token }: Pick<Task, "link" | "status" | "token">): boolean =>
  isTerminal(status) || (status === "failed" && !link && !isToken(token))

/** Whether there is a token. Some services write an empty text where there is none. */
export const isToken = (token: Redacted.Redacted | undefined): token is Redacted.Redacted =>
  token !== undefined && Redacted.value(token) !== ""

/** A task as the list shows it (contract 2.8): never with a token. Times are ISO 8601. */
export class TaskSummary extends model<TaskSummary>("TaskSummary")(summary) {}

/** One page of the task list (contract 4.10). */
export class TaskPage extends model<TaskPage>("TaskPage")({
  tasks: Schema.Array(TaskSummary),
  total: required("total", WireInt, "How many tasks there are on all pages."),
  pagination: Schema.Struct({ page: WireInt, size: WireInt, total: WireInt })
}) {}

/** An agent that new tasks can have; `name` is what {@link NewTask} takes. */
export class OfferedAgent extends model<OfferedAgent>("OfferedAgent")({
  name: required("name", Schema.NonEmptyString, "What `agent` of a new task takes.").annotations({
    examples: ["codex"]
  })
}) {}

/** The agents that a service offers; the first is the default. An extension of the contract (decision 122). */
export class OfferedAgents extends model<OfferedAgents>("OfferedAgents")({
  agents: required("agents", Schema.Array(OfferedAgent), "The first one works on tasks that name none.")
}) {}

/**
 * The request that creates a task (contract 4.9). `initialPrompt: "hold"` asks the service to create the session
 * without running the prompt. Then the caller can send it with attachments over the ACP channel. A service that does
 * not know the field runs it; one that knows it confirms it in the task. `agent` is one of {@link OfferedAgents}; a
 * service that offers none ignores it, and the task then has no `agent` either.
 */
export class NewTask extends model<NewTask>("NewTask")({
  prompt: Schema.String.annotations({ jsonSchema: { minLength: 1 } }),
  name: optional(Schema.String),
  initialPrompt: optional(
    Schema.Literal("run", "hold"),
    "`hold` starts the session and leaves the prompt for the caller to send over the ACP channel. `run` when left out."
  ).pipe(Schema.fromKey("initial_prompt")),
  agent: optional(Schema.String, "The name of the agent to work on it; the service's default when left out.")
}) {}
