import * as Ticket from "@heddle/acp/Ticket"
import type { Task, TaskId, TaskSummary } from "@heddle/core/domain/Task"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import type { Tasks } from "@heddle/core/Tasks"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

type TaskService = Context.Tag.Service<Tasks>

/** Reads the tasks of one person without ending their open channels. */
export interface TaskReader {
  /** Waits until a task has a channel, see `Tasks.awaitChannel`. */
  readonly awaitChannel: TaskService["awaitChannel"]
  /** Reads a task; its channel may be open. */
  readonly read: (taskId: TaskId) => Effect.Effect<Task | TaskSummary, OpenApiError>
  /** Gives an open channel's ticket to other readers of the task, until the scope ends. */
  readonly shareTicket: (taskId: TaskId, ticket: Ticket.Ticket["Type"]) => Effect.Effect<void, never, Scope.Scope>
  /** The ticket of the task's open channel; without one, a ticket of its own. */
  readonly ticket: (taskId: TaskId) => Effect.Effect<Ticket.Ticket["Type"]>
}

/**
 * Makes a reader. A service may move the link of a task with each query, which ends the open channel. A second query
 * before the first channel tells; where the link moves, tasks with an open channel are read from the list.
 */
export const make = ({ all, awaitChannel, get }: Pick<TaskService, "all" | "awaitChannel" | "get">): TaskReader => {
  let doQueriesMoveLinks: boolean | undefined
  const shared = new Map<TaskId, Ticket.Ticket["Type"]>()
  const find = (taskId: TaskId) =>
    Effect.map(Stream.runHead(Stream.filter(all, (task) => task.taskId === taskId)), Option.getOrUndefined)
  const awaitUsableChannel: TaskReader["awaitChannel"] = Effect.fn("TaskReader.awaitChannel")(function* (taskId) {
    const channel = yield* awaitChannel(taskId)
    if (doQueriesMoveLinks !== undefined) return channel
    const { link, ...again } = yield* awaitChannel(taskId)
    doQueriesMoveLinks = link !== channel.link
    return { link, ...again }
  })
  return {
    awaitChannel: awaitUsableChannel,
    shareTicket: (taskId, ticket) =>
      Effect.acquireRelease(
        Effect.sync(() => void shared.set(taskId, ticket)),
        () => Effect.sync(() => void (shared.get(taskId) === ticket && shared.delete(taskId)))
      ),
    ticket: (taskId) =>
      Effect.suspend(() => {
        const ticket = shared.get(taskId)
        return ticket === undefined ? Ticket.fromChannel(awaitUsableChannel(taskId)) : Effect.succeed(ticket)
      }),
    read: Effect.fn("TaskReader.read")(function* (taskId) {
      const listed = doQueriesMoveLinks === true ? yield* find(taskId) : undefined
      // Whether a failed task still has a channel is only known by a query.
      return listed === undefined || listed.status === "failed" ? yield* get(taskId) : listed
    })
  }
}
