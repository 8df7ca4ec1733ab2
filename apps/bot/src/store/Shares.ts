import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { AuditLog } from "./AuditLog.ts"
import type { Share, Task } from "../model/Access.ts"
import type { By } from "./Rules.ts"
import * as Table from "./database/Table.ts"

/** The shares of tasks. */
export class Shares extends Context.Tag("@heddle/bot/Shares")<
  Shares,
  {
    readonly of: (taskId: string) => Effect.Effect<ReadonlyArray<Share>>
    /** An owner's shared tasks, newest first, with the names of their threads. */
    readonly tasksOf: (
      ownerId: string
    ) => Effect.Effect<ReadonlyArray<{ readonly taskId: string; readonly name: string }>>
    /** Shares a task with a person for one capability, and logs who did it. */
    readonly add: (task: Task & { readonly threadId: string }, share: Share, by: By) => Effect.Effect<void>
    /** Ends a share; false when it did not exist. */
    readonly end: (task: Task & { readonly threadId: string }, userId: string, by: By) => Effect.Effect<boolean>
  }
>() {}

export const layer = Table.layerWith(Shares, AuditLog, (sql, audit) => {
  return Shares.of({
    of: (taskId) =>
      sql<Row>`SELECT user_id, reply, approve FROM task_shares WHERE task_id = ${taskId} ORDER BY user_id`.pipe(
        Table.all((row) => ({ userId: row.user_id, reply: row.reply === 1, approve: row.approve === 1 }))
      ),
    tasksOf: (ownerId) =>
      sql<{ task_id: string; name: string }>`SELECT task_id, name FROM threads
          WHERE owner_id = ${ownerId} AND task_id IN (SELECT task_id FROM task_shares)
          GROUP BY task_id ORDER BY MAX(created_at) DESC LIMIT 100`.pipe(
        Table.all(({ name, task_id: taskId }) => ({ name, taskId }))
      ),
    add: Effect.fn("Shares.add")(function* ({ guildId, taskId, threadId }, share, by) {
      const row = sql.insert({
        task_id: taskId,
        user_id: share.userId,
        reply: share.reply ? 1 : 0,
        approve: share.approve ? 1 : 0
      })
      const change = sql`INSERT INTO task_shares ${row}
          ON CONFLICT (task_id, user_id) DO UPDATE SET reply = excluded.reply, approve = excluded.approve`
      const action = { _tag: "Shared", ...share } as const
      yield* sql.withTransaction(
        Effect.zipRight(change, audit.record({ ...by, actorId: by.userId, guildId, threadId, action }))
      )
    }, Effect.orDie),
    end: Effect.fn("Shares.end")(function* ({ guildId, taskId, threadId }, userId, by) {
      const action = { _tag: "Unshared", userId } as const
      return yield* sql.withTransaction(
        Effect.gen(function* () {
          const deleted = yield* sql`DELETE FROM task_shares WHERE task_id = ${taskId} AND user_id = ${userId}
              RETURNING user_id`
          if (deleted.length === 0) return false
          yield* audit.record({ ...by, actorId: by.userId, guildId, threadId, action })
          return true
        })
      )
    }, Effect.orDie)
  })
})

interface Row {
  readonly user_id: string
  readonly reply: number
  readonly approve: number
}
