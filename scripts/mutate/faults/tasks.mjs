const server = (path) => `packages/server/src/${path}`
const test = (path) => `packages/server/test/${path}`
const steps = test("Transactions.test.ts")

export const places = [
  {
    file: server("tasks/Tickets.ts"),
    tests: [test("oauth/Grants.test.ts"), test("oauth/Lifetimes.test.ts")],
    faults: [
      {
        name: "a ticket of another grant is reused",
        find: "WHERE task_id = ${taskId} AND grant_id = ${grantId} AND may_invoke",
        replace: "WHERE task_id = ${taskId} AND ${grantId} <> '' AND may_invoke"
      },
      {
        name: "a ticket of another task is reused",
        find: "WHERE task_id = ${taskId} AND grant_id = ${grantId} AND may_invoke",
        replace: "WHERE ${taskId} <> '' AND grant_id = ${grantId} AND may_invoke"
      },
      {
        name: "a ticket is reused at a fifth of its life",
        find: "* 5 > expires_at - issued_at",
        replace: "* 5 >= expires_at - issued_at"
      },
      {
        name: "the oldest ticket is reused",
        find: "ORDER BY expires_at DESC LIMIT 1",
        replace: "ORDER BY expires_at LIMIT 1"
      },
      {
        name: "a ticket is valid a millisecond too long",
        find: "ticket.expiresAt <= (yield* Clock.currentTimeMillis)",
        replace: "ticket.expiresAt < (yield* Clock.currentTimeMillis)"
      },
      {
        name: "a ticket is valid after the end of its grant",
        find: "WHERE t.token_hash = ${hash} AND ${isGrantActive}",
        replace: "WHERE t.token_hash = ${hash}"
      },
      {
        name: "a ticket of another right is reused",
        find: "may_invoke = ${mayInvoke ? 1 : 0}",
        replace: "may_invoke = may_invoke"
      },
      {
        name: "every ticket may prompt",
        find: "mayInvoke: row.mayInvoke === 1",
        replace: "mayInvoke: row.mayInvoke >= 0"
      },
      {
        name: "a new ticket ends those that are still valid",
        find: "DELETE FROM tickets WHERE task_id = ${taskId} AND expires_at <= ${now}",
        replace: "DELETE FROM tickets WHERE task_id = ${taskId} AND ${now} > 0"
      },
      {
        name: "all grants count as live",
        find: 'WHERE ${sql.in("g.grant_id", grantIds)} AND ${isGrantActive}',
        replace: 'WHERE ${sql.in("g.grant_id", grantIds)}'
      }
    ]
  },
  {
    file: server("tasks/TaskIdempotencyKeys.ts"),
    tests: [test("tasks/Tasks.test.ts")],
    faults: [
      {
        name: "a key belongs to all applications of a user",
        find: "WHERE client_id = ${owner.clientId} AND user_id = ${owner.userId} AND key_hash",
        replace: "WHERE user_id = ${owner.userId} AND key_hash"
      },
      {
        name: "a key is kept a millisecond too long",
        find: "WHERE expires_at <= ${now}",
        replace: "WHERE expires_at < ${now}"
      },
      {
        name: "a key is never forgotten",
        find: "yield* sql`DELETE FROM task_requests WHERE expires_at <= ${now}`\n",
        replace: "\n"
      },
      {
        name: "all keys are forgotten at once",
        find: "WHERE expires_at <= ${now}",
        replace: "WHERE expires_at > ${now}"
      }
    ]
  },
  {
    file: server("tasks/Tasks.ts"),
    tests: [test("tasks/Tasks.test.ts"), steps],
    faults: [
      {
        name: "a task is created outside of a transaction",
        find: '}).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die))',
        replace: '}).pipe(Effect.catchTag("SqlError", Effect.die))'
      },
      {
        name: "a task is created without the lock of its user",
        find: "yield* UserLock.take(sql, owner.userId)\n",
        replace: "\n"
      },
      {
        name: "a repeated request starts the sandbox again",
        find: "if (earlier === undefined) {\n      yield* sandboxes",
        replace: "if (taskId !== undefined) {\n      yield* sandboxes"
      },
      {
        name: "a key with another request gives the first task",
        find: "if (earlier?.hasSameBody === false)",
        replace: "if (earlier?.hasSameBody === null)"
      },
      {
        name: "a task is created without credits",
        find: "if (Option.isSome(refusal)) return yield*",
        replace: "if (false) return yield*"
      },
      {
        name: "tasks of other users are found",
        find: "row.userId === owner.userId &&\n",
        replace: 'row.userId !== "" &&\n'
      },
      {
        name: "tasks of other applications are found",
        find: '(contract.listScope === "user" || row.clientId === owner.clientId) &&',
        replace: ""
      },
      {
        name: "deleted tasks are found",
        find: '(contract.showDeleted || row.status !== "deleted")',
        replace: "row.status !== undefined"
      },
      {
        name: "a closed task has a channel",
        find: "isClosed(status) ? Effect.succeedNone : sandboxes",
        replace: 'status === "failed" ? Effect.succeedNone : sandboxes'
      },
      {
        name: "a prompt of the longest length is refused",
        find: "Buffer.byteLength(task.prompt) > limits.prompt",
        replace: "Buffer.byteLength(task.prompt) >= limits.prompt"
      },
      {
        name: "a page has more tasks than the most",
        find: "Math.min(requestedSize, maxPageSize)",
        replace: "requestedSize"
      },
      {
        name: "the first page is empty",
        find: "Math.max(WholeNumber.parse(paging.page) ?? 1, 1)",
        replace: "Math.max(WholeNumber.parse(paging.page) ?? 1, 2)"
      }
    ]
  },
  {
    file: server("tasks/TaskStore.ts"),
    tests: [test("tasks/TaskStore.test.ts"), test("oauth/Grants.test.ts"), test("tasks/Tasks.test.ts")],
    faults: [
      {
        name: "a task goes to any status",
        find: 'WHERE task_id = ${taskId} AND ${sql.in("status", from)} RETURNING',
        replace: "WHERE task_id = ${taskId} RETURNING"
      },
      {
        name: "all tasks change their status with one",
        find: 'WHERE task_id = ${taskId} AND ${sql.in("status", from)} RETURNING',
        replace: 'WHERE ${sql.in("status", from)} RETURNING'
      },
      {
        name: "all tasks are renamed with one",
        find: "updated_at = ${now} WHERE task_id = ${taskId}`\n      }, Effect.orDie)\n    }",
        replace: "updated_at = ${now} WHERE ${taskId} <> ''`\n      }, Effect.orDie)\n    }"
      },
      {
        name: "the list has deleted tasks",
        find: "sql`user_id = ${owner.userId} AND status <> 'deleted'`",
        replace: "sql`user_id = ${owner.userId}`"
      },
      {
        name: "the list has tasks of other users",
        find: "sql`user_id = ${owner.userId} AND status <> 'deleted'`",
        replace: "sql`${owner.userId} <> '' AND status <> 'deleted'`"
      },
      {
        name: "the list is oldest first",
        find: "ORDER BY created_at DESC, task_id DESC LIMIT ${size}",
        replace: "ORDER BY created_at, task_id LIMIT ${size}"
      },
      {
        name: "tasks of one moment are in no order in pages",
        find: "(created_at, task_id) < (${lastRow.createdAt}, ${lastRow.taskId})",
        replace: "created_at < ${lastRow.createdAt} AND ${lastRow.taskId} <> ''"
      },
      {
        name: "a task that was archived at this moment is old enough to go",
        find: "status = 'archived' AND updated_at < ${time}",
        replace: "status = 'archived' AND updated_at <= ${time}"
      },
      {
        name: "tasks that wait for a person are not recovered",
        find: "('creating', 'planning', 'working', 'pending') ORDER BY",
        replace: "('creating', 'planning', 'working') ORDER BY"
      }
    ]
  }
]
