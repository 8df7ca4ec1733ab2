import * as SqlClient from "@effect/sql/SqlClient"
import { Task, TaskId, TaskPage, TaskSummary, type NewTask } from "@heddle/core/domain/Task"
import type { AccessDenied, Conflict, InvalidRequest, NotFound } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Crypto from "node:crypto"
import * as ApiError from "../internal/ApiError.ts"
import * as Secret from "../internal/Secret.ts"
import * as TaskName from "./TaskName.ts"
import * as UserLock from "../sql/UserLock.ts"
import { Metering } from "./Metering.ts"
import { Sandboxes } from "./Sandboxes.ts"
import { ServerConfig } from "../config/ServerConfig.ts"
import { isClosed, TaskStore, type Owner, type TaskRow } from "./TaskStore.ts"
import { Tickets } from "./Tickets.ts"

/** The rules of cloud tasks (4.9–4.11): what may be created, who sees what, what is shown of a task. */
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
    /** One page of the owner's tasks, newest first; both numbers as the caller wrote them (4.10). */
    readonly list: (
      owner: Owner,
      paging: { readonly page: PageWord; readonly size: PageWord }
    ) => Effect.Effect<TaskPage>
  }
>() {}

/** Whom a request speaks for, and the grant that lets it; the tickets that it is given end with that grant. */
export interface Caller extends Owner {
  readonly grantId: string
}

/** A page number as it stands in a query: absent, once, or several times. */
export type PageWord = string | ReadonlyArray<string> | undefined

export const layer: Layer.Layer<
  Tasks,
  never,
  SqlClient.SqlClient | Metering | Sandboxes | ServerConfig | TaskStore | Tickets
> = Layer.effect(
  Tasks,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const metering = yield* Metering
    const { contract, limits } = yield* ServerConfig
    const sandboxes = yield* Sandboxes
    const store = yield* TaskStore
    const tickets = yield* Tickets

    /** The address of a task's channel; what is archived or deleted has none. */
    const linkOf = ({ status, taskId }: TaskRow) => (isClosed(status) ? Effect.succeedNone : sandboxes.link(taskId))

    const show = Effect.fnUntraced(function* ({ grantId }: Caller, row: TaskRow) {
      const link = Option.getOrUndefined(yield* linkOf(row))
      const ticket = link === undefined ? undefined : yield* tickets.issue({ taskId: row.taskId, grantId })
      return new Task({
        taskId: row.taskId,
        status: row.status,
        name: row.name,
        ...(link === undefined ? {} : { link, sandboxLink: link.replace(/\/acp$/, "") }),
        ...(ticket === undefined ? {} : { token: ticket.token, expireAt: ticket.expireAt }),
        createdAt: iso(row.createdAt),
        updatedAt: iso(row.updatedAt)
      })
    })

    const check = Effect.fnUntraced(function* (task: NewTask, idempotencyKey: string | undefined) {
      if (task.prompt.trim() === "") return yield* ApiError.invalidRequest("The prompt is empty.")
      if (Buffer.byteLength(task.prompt) > limits.prompt) {
        return yield* ApiError.invalidRequest(
          `The prompt is longer than ${limits.prompt} bytes. Send the long part as an attachment of a message instead.`
        )
      }
      if ([...(task.name ?? "")].length > limits.name) {
        return yield* ApiError.invalidRequest(`The name is longer than ${limits.name} characters.`)
      }
      if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
        return yield* ApiError.invalidRequest("The Idempotency-Key must be 1 to 255 visible ASCII characters.")
      }
    })

    /** Claims the key for this task; or tells which task it was claimed for before. */
    const claim = Effect.fnUntraced(function* (owner: Owner, key: string, task: NewTask, taskId: TaskId) {
      const now = yield* Clock.currentTimeMillis
      const keyHash = Secret.hash(key)
      const bodyHash = Secret.hash(JSON.stringify([task.prompt, task.name ?? "", task.initialPrompt ?? "run"]))
      yield* sql`DELETE FROM task_requests WHERE expires_at <= ${now}`
      const claimed =
        yield* sql`INSERT INTO task_requests (client_id, user_id, key_hash, body_hash, task_id, expires_at)
        VALUES (${owner.clientId}, ${owner.userId}, ${keyHash}, ${bodyHash}, ${taskId}, ${now + Duration.toMillis("24 hours")})
        ON CONFLICT (client_id, user_id, key_hash) DO NOTHING RETURNING task_id`
      if (claimed.length > 0) return undefined
      const rows = yield* sql<{ taskId: TaskId; bodyHash: string }>`
        SELECT task_id AS "taskId", body_hash AS "bodyHash" FROM task_requests
        WHERE client_id = ${owner.clientId} AND user_id = ${owner.userId} AND key_hash = ${keyHash}`
      return rows[0] === undefined ? undefined : { taskId: rows[0].taskId, sameBody: rows[0].bodyHash === bodyHash }
    })

    const owned = (owner: Owner, taskId: TaskId) =>
      Effect.flatMap(
        store.get(taskId),
        Option.filter(
          (row) =>
            row.userId === owner.userId &&
            (contract.listScope === "user" || row.clientId === owner.clientId) &&
            (contract.showDeleted || row.status !== "deleted")
        )
      ).pipe(Effect.mapError(() => ApiError.notFound("There is no such task.")))

    return {
      create: Effect.fn("Tasks.create")(function* (caller, task, idempotencyKey) {
        const owner = { clientId: caller.clientId, userId: caller.userId }
        yield* check(task, idempotencyKey)
        const taskId = TaskId.make(Crypto.randomUUID())
        const earlier = yield* Effect.gen(function* () {
          yield* UserLock.take(sql, owner.userId)
          const claimed = idempotencyKey === undefined ? undefined : yield* claim(owner, idempotencyKey, task, taskId)
          if (claimed === undefined) {
            const refusal = yield* metering.refusal(owner.userId)
            if (Option.isSome(refusal)) return yield* ApiError.accessDenied(refusal.value)
            yield* store.insert({ ...owner, taskId, name: TaskName.nameFor(task.name, task.prompt) })
          }
          return claimed
        }).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die))

        if (earlier?.sameBody === false) {
          return yield* ApiError.conflict("This Idempotency-Key was used with another request. Use a new key.")
        }
        if (earlier === undefined) {
          yield* sandboxes.start({ taskId, prompt: task.prompt, hold: task.initialPrompt === "hold" })
        }
        const row = yield* owned(owner, earlier?.taskId ?? taskId).pipe(
          Effect.mapError(() => ApiError.conflict("The task that this Idempotency-Key created has been deleted."))
        )
        return yield* show(caller, row)
      }),

      get: Effect.fn("Tasks.get")((caller, taskId) =>
        Effect.flatMap(owned(caller, taskId), (row) => show(caller, row))
      ),

      list: Effect.fn("Tasks.list")(function* (owner, paging) {
        const page = Math.max(whole(paging.page) ?? 1, 1)
        const wanted = whole(paging.size) ?? 20
        const size = wanted < 1 ? 20 : Math.min(wanted, 100)
        const whose = contract.listScope === "user" ? { userId: owner.userId } : owner
        const { tasks, total } = yield* store.list(whose, { page, size })
        const items = yield* Effect.forEach(tasks, (row) =>
          Effect.map(
            linkOf(row),
            (link) =>
              new TaskSummary({
                taskId: row.taskId,
                status: row.status,
                name: row.name,
                ...Option.match(link, { onNone: () => ({}), onSome: (link) => ({ link }) }),
                createdAt: iso(row.createdAt),
                updatedAt: iso(row.updatedAt)
              })
          )
        )
        return new TaskPage({ tasks: items, total, pagination: { page, size, total } })
      })
    }
  })
)

/** A whole number as decision 83 reads it: digits only, once. Beyond a billion it means a billion. */
const whole = (word: PageWord): number | undefined => {
  const text = typeof word === "string" ? word : word?.length === 1 ? word[0] : undefined
  return text !== undefined && /^\d+$/.test(text) ? Math.min(Number(text), 1_000_000_000) : undefined
}

const iso = (millis: number): string => new Date(millis).toISOString()
