import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { Channel } from "./domain/Channel.ts"
import {
  hasEnded,
  isToken,
  type NewTask,
  type OfferedAgent,
  type Task,
  type TaskId,
  type TaskPage,
  type TaskSummary
} from "./domain/Task.ts"
import { isTerminal } from "./domain/TaskStatus.ts"
import * as Pages from "./internal/Pages.ts"
import * as MonotonicClock from "./MonotonicClock.ts"
import * as Span from "./internal/Span.ts"
import { OpenApiClient } from "./OpenApiClient.ts"
import type { OpenApiError } from "./OpenApiError.ts"
import * as Operation from "./Operation.ts"
import * as Reconciliation from "./Reconciliation.ts"
import * as RetryPolicy from "./RetryPolicy.ts"

/**
 * The task has no channel: it ended (`archived`, `deleted`, or `failed` without link and token), or got none before the
 * timeout. `status` is its last status, or `unknown`.
 */
export class ChannelUnavailable extends Schema.TaggedError<ChannelUnavailable>()("ChannelUnavailable", {
  taskId: Schema.String,
  status: Schema.String,
  reason: Schema.Literal("ended", "timeout")
}) {
  override get message(): string {
    if (this.reason === "ended") return `Task ${this.taskId} is ${this.status}; start a new task.`
    return this.status === unknownStatus
      ? `The service did not tell in time whether task ${this.taskId} has a channel; look again later.`
      : `Task ${this.taskId} is still ${this.status} and has no channel yet; look again later.`
  }
}

/** Cloud tasks (contract 4.9–4.11) of the user whose {@link AccessToken} is in context. */
export class Tasks extends Context.Tag("@heddle/core/Tasks")<
  Tasks,
  {
    /**
     * Creates a task; needs `user.task.invokable`. A lost answer fails as `OutcomeUnknown`; with an idempotency key it is
     * first retried, where the service keeps such keys.
     */
    readonly create: (
      task: NewTask,
      options?: { readonly idempotencyKey?: string }
    ) => Effect.Effect<Task, OpenApiError>
    /** Whether a `create` may be sent again under the same key, see `OpenApiClient.keepsIdempotencyKeys`. */
    readonly keepsIdempotencyKeys: Effect.Effect<boolean>
    /** Reads a task with a fresh link and token; needs `user.task.readable`. */
    readonly get: (taskId: TaskId) => Effect.Effect<Task, OpenApiError>
    /** Reads one page of the user's tasks, newest first; `page` from 1, `size` 1–100. */
    readonly list: (options?: {
      readonly page?: number
      readonly size?: number
    }) => Effect.Effect<TaskPage, OpenApiError>
    /** All of the user's tasks, page by page; a task that moves to a later page while reading is returned once. */
    readonly all: Stream.Stream<TaskSummary, OpenApiError>
    /**
     * Waits until a task has link and token (contract decision 75), for at most 2 min. It asks at once, then at
     * intervals that grow from 0.5 to 5 s. Fails at once when the task has ended.
     */
    readonly awaitChannel: (taskId: TaskId) => Effect.Effect<Channel, OpenApiError | ChannelUnavailable>
    /**
     * Looks in the list whether a `create` that ended as `OutcomeUnknown` created its task after all; needs
     * `user.task.readable`. Where the service keeps idempotency keys, send the same `create` again instead.
     * The service may still be processing a request whose answer was lost, so a task that is missing now may appear later.
     */
    readonly reconcile: (lost: Reconciliation.LostTask) => Effect.Effect<Reconciliation.Reconciliation, OpenApiError>
    /**
     * The agents that a new task can have, the default first; needs `user.task.invokable`. It is an extension: a service
     * that does not know it offers none.
     */
    readonly agents: Effect.Effect<ReadonlyArray<OfferedAgent>, OpenApiError>
  }
>() {}

export const layer: Layer.Layer<Tasks, never, OpenApiClient> = /* @__PURE__ */ Layer.suspend(() =>
  Layer.effect(
    Tasks,
    Effect.map(OpenApiClient, (client) => {
      const service = make(client)
      return { ...service, all: Pages.toStream(service.all) }
    })
  )
)

/** The service over a client, with pages instead of streams. */
export const make = (client: Context.Tag.Service<OpenApiClient>): Pages.Paged<Context.Tag.Service<Tasks>> => {
  const create = Span.fn("Tasks.create", (task: NewTask, options?: { readonly idempotencyKey?: string }) =>
    client.call(Operation.createTask, (api) => api.tasks.create({ payload: task, headers: {} }), options)
  )

  const get = Span.fn("Tasks.get", (taskId: TaskId) =>
    client.call(Operation.getTask, (api) => api.tasks.get({ path: { task_id: taskId } }))
  )

  const list = Span.fn("Tasks.list", (options?: { readonly page?: number; readonly size?: number }) =>
    client.call(Operation.listTasks, (api) =>
      api.tasks.list({
        urlParams: {
          ...(options?.page === undefined ? {} : { page: String(options.page) }),
          ...(options?.size === undefined ? {} : { size: String(options.size) })
        }
      })
    )
  )

  const readChannel = (taskId: TaskId) =>
    Effect.flatMap(get(taskId), (task) => {
      const { status } = task
      return Option.getOrElse(
        Option.map(channelOf(task), Effect.succeed),
        () => new ChannelUnavailable({ taskId, status, reason: hasEnded(task) ? "ended" : "timeout" })
      )
    })

  const awaitChannel = Span.fn(
    "Tasks.awaitChannel",
    Effect.fnUntraced(function* (taskId: TaskId) {
      const deadline = (yield* MonotonicClock.now) + maxWaitMs
      let timeout = new ChannelUnavailable({ taskId, status: unknownStatus, reason: "timeout" })
      return yield* readChannel(taskId).pipe(
        Effect.tapErrorTag("ChannelUnavailable", (error) => Effect.sync(() => (timeout = error))),
        RetryPolicy.retryIf(isStarting, RetryPolicy.endingBefore(deadline)(pollSchedule)),
        // A running call has its own deadline, which may end later or at the same instant.
        Effect.timeoutFail({ duration: maxWaitMs, onTimeout: () => timeout }),
        Effect.catchTag("Unreachable", (error) =>
          Effect.flatMap(MonotonicClock.now, (now) => Effect.fail(deadline - now > timerToleranceMs ? error : timeout))
        )
      )
    })
  )

  const all = pagesOf(list)

  const reconcile = Span.fn(
    "Tasks.reconcile",
    Effect.fnUntraced(function* (lost: Reconciliation.LostTask) {
      const nextPage = yield* all
      const tasks: Array<TaskSummary> = []
      for (;;) {
        const page = yield* nextPage
        tasks.push(...(page ?? []))
        if (page === undefined || Reconciliation.isLastPossiblePage(lost, page)) break
      }
      return Reconciliation.findLostTask(lost, tasks)
    })
  )

  const agents = Span.within(
    "Tasks.agents",
    client
      .call(Operation.listAgents, (api) => api.tasks.agents())
      .pipe(
        Effect.map((offered) => offered.agents),
        Effect.catchTag("NotFound", () => Effect.succeed([])),
        Effect.catchIf(isUnknownEndpoint, () => Effect.succeed([]))
      )
  )

  const { keepsIdempotencyKeys } = client
  return { create, keepsIdempotencyKeys, get, list, all, awaitChannel, reconcile, agents }
}

/** How some services answer for an address that they do not know, besides 404. */
const isUnknownEndpoint = (error: OpenApiError): boolean =>
  error._tag === "UnexpectedStatus" && (error.status === 405 || error.status === 501)

const isStarting = (error: OpenApiError | ChannelUnavailable): error is ChannelUnavailable =>
  error._tag === "ChannelUnavailable" && error.reason === "timeout"

const pollSchedule = RetryPolicy.cappedExponential("500 millis", "5 seconds", 1.5)
const maxWaitMs = 120_000
/** Two timers for one instant may fire this far apart. */
const timerToleranceMs = 10
/** The status of a task before the service has sent one. */
const unknownStatus = "unknown"

/** The channel of a task, once the service has sent both its link and its token. */
export const channelOf = ({ expireAt = 0, link = "", status, taskId, token }: Task): Option.Option<Channel> =>
  link === "" || !isToken(token) || isTerminal(status)
    ? Option.none()
    : Option.some({
        taskId,
        link,
        token,
        // Some services write 0 where there is no time.
        ...(expireAt > 0 ? { expireAt } : {})
      })

const pageSize = 100

/** The pages of the list, without the tasks of earlier pages. */
const pagesOf = (
  list: (options: { readonly page: number; readonly size: number }) => Effect.Effect<TaskPage, OpenApiError>
): Pages.Pages<TaskSummary, OpenApiError> =>
  Pages.make(() => {
    const seen = new Set<TaskId>()
    const next = (page: number) =>
      Effect.map(list({ page, size: pageSize }), (response) => {
        const unseen = response.tasks.filter(({ taskId }) => !seen.has(taskId) && seen.add(taskId))
        // The two totals may disagree (contract decision 82), and a service may serve smaller pages than requested.
        const total = Math.max(response.total, response.pagination.total)
        const tasksSoFar = (page - 1) * response.pagination.size + response.tasks.length
        const hasMore = response.tasks.length > 0 && tasksSoFar < total
        return [unseen, hasMore ? Option.some(page + 1) : Option.none()] as const
      })
    return { first: 1, next }
  })
