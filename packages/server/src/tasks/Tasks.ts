import * as SqlClient from "@effect/sql/SqlClient"
import type { Scope } from "@heddle/core/domain/Scope"
import { Task, TaskId, TaskPage, TaskSummary, type NewTask } from "@heddle/core/domain/Task"
import type { AccessDenied, Conflict, InvalidRequest, NotFound } from "@heddle/core/OpenApiError"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Crypto from "node:crypto"
import * as ApiError from "../internal/ApiError.ts"
import * as IdempotencyKey from "../internal/IdempotencyHeader.ts"
import * as WholeNumber from "../internal/WholeNumber.ts"
import * as TaskName from "./TaskName.ts"
import * as UserLock from "../sql/UserLock.ts"
import * as WriteCheck from "../sql/WriteCheck.ts"
import { Metering } from "./Metering.ts"
import { Sandboxes } from "./Sandboxes.ts"
import { unnamed, type Agent } from "../config/AgentSettings.ts"
import { ServerConfig, type Limits } from "../config/ServerConfig.ts"
import { isClosed, TaskStore, type Owner, type TaskRow } from "./TaskStore.ts"
import * as TaskIdempotencyKeys from "./TaskIdempotencyKeys.ts"
import { Tickets } from "./Tickets.ts"

/** The rules of cloud tasks (contract 4.9–4.11): creation, access and listing. */
export class Tasks extends Context.Tag("@heddle/server/tasks/Tasks")<
  Tasks,
  {
    /**
     * Creates a task and starts its sandbox. The same idempotency key with the same body within 24 hours gives the
     * same task, with another body a conflict.
     */
    readonly create: (
      caller: Caller,
      task: NewTask,
      idempotencyKey?: string
    ) => Effect.Effect<Task, InvalidRequest | AccessDenied | Conflict>
    /** Reads a task of the owner with its link and, once there is a link, a ticket for it. */
    readonly get: (caller: Caller, taskId: TaskId) => Effect.Effect<Task, NotFound>
    /** One page of the owner's tasks, newest first; both numbers as unparsed text (contract 4.10). */
    readonly list: (
      owner: Owner,
      paging: { readonly page: PageParameter; readonly size: PageParameter }
    ) => Effect.Effect<TaskPage>
  }
>() {}

/** The owner, grant and scopes of a request. Its tickets end with that grant and may do no more than these scopes. */
export interface Caller extends Owner {
  readonly grantId: string
  readonly scopes: ReadonlySet<Scope>
}

/** A number of the query as text: absent, once, or repeated. */
export type PageParameter = string | ReadonlyArray<string> | undefined

export const layer: Layer.Layer<
  Tasks,
  never,
  SqlClient.SqlClient | Metering | Sandboxes | ServerConfig | TaskStore | Tickets
> = Layer.effect(
  Tasks,
  Effect.gen(function* () {
    const view = yield* makeView
    const findOwned = yield* makeFindOwned
    return {
      create: yield* makeCreate(view, findOwned),
      get: Effect.fn("Tasks.get")((caller, taskId) =>
        Effect.flatMap(findOwned(caller, taskId), (row) => view.task(caller, row))
      ),
      list: yield* makeList(view)
    }
  })
)

/** Tasks as callers see them. */
const makeView = Effect.gen(function* () {
  const sandboxes = yield* Sandboxes
  const tickets = yield* Tickets
  const { agents } = yield* ServerConfig

  /** The channel of a task; archived and deleted tasks have none. */
  const channelOf = ({ status, taskId }: TaskRow) =>
    Effect.map(isClosed(status) ? Effect.succeedNone : sandboxes.channel(taskId), Option.getOrUndefined)

  const commonFields = (row: TaskRow) => ({
    taskId: row.taskId,
    status: row.status,
    name: row.name,
    agent: row.agent === unnamed ? agents[0].name : row.agent,
    createdAt: toIsoTime(row.createdAt),
    updatedAt: toIsoTime(row.updatedAt)
  })

  const task = Effect.fnUntraced(function* ({ grantId, scopes }: Caller, row: TaskRow) {
    const channel = yield* channelOf(row)
    const mayInvoke = scopes.has("user.task.invokable")
    const ticket = channel === undefined ? undefined : yield* tickets.issue({ taskId: row.taskId, grantId, mayInvoke })
    return new Task({
      ...commonFields(row),
      ...(channel === undefined ? {} : { link: channel.link, sandboxLink: channel.link.replace(/\/acp$/, "") }),
      ...(channel?.held === true ? { initialPrompt: "hold" } : {}),
      ...(ticket === undefined ? {} : { token: ticket.token, expireAt: ticket.expireAt })
    })
  })

  const summary = (row: TaskRow) =>
    Effect.map(
      channelOf(row),
      (channel) => new TaskSummary({ ...commonFields(row), ...(channel === undefined ? {} : { link: channel.link }) })
    )

  return { task, summary }
})

type View = Effect.Effect.Success<typeof makeView>

/** Reads a task that the owner may see. */
const makeFindOwned = Effect.gen(function* () {
  const store = yield* TaskStore
  const { contract } = yield* ServerConfig
  return (owner: Owner, taskId: TaskId) =>
    Effect.flatMap(
      store.get(taskId),
      Option.filter(
        (row) =>
          row.userId === owner.userId &&
          (contract.listScope === "user" || row.clientId === owner.clientId) &&
          (contract.showDeleted || row.status !== "deleted")
      )
    ).pipe(Effect.mapError(() => ApiError.notFound("There is no such task.")))
})

const makeCreate = Effect.fnUntraced(function* (view: View, findOwned: Effect.Effect.Success<typeof makeFindOwned>) {
  const sql = yield* SqlClient.SqlClient
  const metering = yield* Metering
  const requests = yield* TaskIdempotencyKeys.make
  const sandboxes = yield* Sandboxes
  const store = yield* TaskStore
  const { agents, limits } = yield* ServerConfig
  const checkWrites = yield* WriteCheck.make

  return Effect.fn("Tasks.create")(function* (caller: Caller, task: NewTask, idempotencyKey?: string) {
    const owner = { clientId: caller.clientId, userId: caller.userId }
    yield* checkNewTask(task, limits)
    const chosen = Option.fromNullable(task.agent)
    // The agent only where it is given, so that keys from before there were several stay valid.
    const body = JSON.stringify([task.prompt, task.name ?? "", task.initialPrompt ?? "run", ...Option.toArray(chosen)])
    const key = yield* IdempotencyKey.parse(idempotencyKey, body)
    const taskId = TaskId.make(Crypto.randomUUID())
    const earlier = yield* Effect.gen(function* () {
      yield* UserLock.take(sql, owner.userId)
      const claimed = key === undefined ? undefined : yield* requests.claim(owner, key, taskId)
      if (claimed !== undefined) return claimed
      const refusal = yield* metering.refusal(owner.userId)
      if (Option.isSome(refusal)) return yield* ApiError.accessDenied(refusal.value)
      const { name: agent } = yield* findAgent(agents, task.agent)
      yield* checkWrites
      yield* store.insert({ ...owner, taskId, name: TaskName.nameFor(task.name, task.prompt), agent })
      return undefined
    }).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die))

    if (earlier?.hasSameBody === false) {
      return yield* ApiError.conflict("This Idempotency-Key was used with another request. Use a new key.")
    }
    if (earlier === undefined) {
      yield* sandboxes.start({ taskId, prompt: task.prompt, hold: task.initialPrompt === "hold" })
    }
    const row = yield* findOwned(owner, earlier?.taskId ?? taskId).pipe(
      Effect.mapError(() => ApiError.conflict("The task that this Idempotency-Key created has been deleted."))
    )
    return yield* view.task(caller, row)
  })
})

/** The agent that a new task asks for; the first without such a wish. */
const findAgent = (agents: NonEmptyReadonlyArray<Agent>, wanted = agents[0].name) => {
  const agent = agents.find(({ name }) => name === wanted)
  if (agent !== undefined) return Effect.succeed(agent)
  const names = agents.map(({ name }) => name).join(", ")
  return Effect.fail(
    ApiError.invalidRequest(
      `This service has no agent ${JSON.stringify(wanted.slice(0, 40))}; it offers ${names}. Leave \`agent\` out for ${agents[0].name}.`
    )
  )
}

const makeList = Effect.fnUntraced(function* (view: View) {
  const store = yield* TaskStore
  const { contract } = yield* ServerConfig
  return Effect.fn("Tasks.list")(function* (
    owner: Owner,
    paging: { readonly page: PageParameter; readonly size: PageParameter }
  ) {
    const page = Math.max(WholeNumber.parse(paging.page) ?? 1, 1)
    const requestedSize = WholeNumber.parse(paging.size) ?? defaultPageSize
    const size = requestedSize < 1 ? defaultPageSize : Math.min(requestedSize, maxPageSize)
    const listOwner = contract.listScope === "user" ? { userId: owner.userId } : owner
    const { tasks, total } = yield* store.list(listOwner, { page, size })
    const items = yield* Effect.forEach(tasks, view.summary)
    return new TaskPage({ tasks: items, total, pagination: { page, size, total } })
  })
})

const checkNewTask = (task: NewTask, limits: Limits): Effect.Effect<void, InvalidRequest> => {
  if (task.prompt.trim() === "") return Effect.fail(ApiError.invalidRequest("The prompt is empty."))
  if (Buffer.byteLength(task.prompt) > limits.prompt) {
    return Effect.fail(
      ApiError.invalidRequest(
        `The prompt is longer than ${limits.prompt} bytes. Send the long part as an attachment of a message instead.`
      )
    )
  }
  return [...(task.name ?? "")].length > limits.name
    ? Effect.fail(ApiError.invalidRequest(`The name is longer than ${limits.name} characters.`))
    : Effect.void
}

const defaultPageSize = 20
const maxPageSize = 100

const toIsoTime = (millis: number): string => new Date(millis).toISOString()
