const server = (path) => `packages/server/src/${path}`
const test = (path) => `packages/server/test/${path}`
const durable = [test("sandbox/journal/Durable.test.ts")]
const assistant = [test("assistant/Messages.test.ts"), test("Transactions.test.ts")]

export const places = [
  {
    file: server("sandbox/TaskClients.ts"),
    tests: [test("sandbox/Unloading.test.ts")],
    faults: [
      {
        name: "messages that wait for a sandbox are lost",
        find: "    for (const event of this.waiting?.events ?? []) offer(event)\n",
        replace: ""
      },
      {
        name: "clients of a sandbox that cannot be loaded wait for ever",
        find: "      subscriber.channel.close()\n",
        replace: ""
      }
    ]
  },
  {
    file: server("sandbox/agent/ReportedError.ts"),
    tests: [test("sandbox/agent/AgentHost.test.ts")],
    faults: [
      {
        name: "a turn with an error of its thread ends as done",
        find: 'status === "systemError" ? "" : undefined',
        replace: "undefined"
      }
    ]
  },
  {
    file: server("sandbox/journal/UnitOfWork.ts"),
    tests: durable,
    faults: [
      {
        name: "clients are told before it is stored",
        find: "      return Effect.andThen(store, () => {\n        for (const run of afterCommit) run()\n      })",
        replace: "      for (const run of afterCommit) run()\n      return store"
      },
      {
        name: "the changes of a unit of work are not one transaction",
        find: "sql.withTransaction, Effect.orDie)",
        replace: "Effect.orDie)"
      },
      {
        name: "changes are stored twice",
        find: "      batch = emptyBatch()\n      const store",
        replace: "      const store"
      },
      { name: "two entries have one number", find: "      seq += 1\n", replace: "      seq = lastSeq + 1\n" },
      {
        name: "the history is not measured",
        find: "      publishedBytes += Buffer.byteLength(entry.params)\n",
        replace: ""
      }
    ]
  },
  {
    file: server("sandbox/journal/Journal.ts"),
    tests: durable,
    faults: [
      {
        name: "the journals of all tasks have one length",
        find: "SELECT MAX(seq) AS last FROM sandbox_journal\n          WHERE task_id = ${taskId}`",
        replace: "SELECT MAX(seq) AS last FROM sandbox_journal\n          WHERE ${taskId} <> ''`"
      },
      {
        name: "an entry is read twice at the border of pages",
        find: "WHERE task_id = ${taskId} AND seq > ${range.after} AND seq <=",
        replace: "WHERE task_id = ${taskId} AND seq >= ${range.after} AND seq <="
      },
      {
        name: "entries are read beyond the last that is asked for",
        find: "AND seq > ${after} AND seq <= ${upTo} ORDER BY seq LIMIT",
        replace: "AND seq > ${after} AND ${upTo} > 0 ORDER BY seq LIMIT"
      },
      {
        name: "the last entry that is asked for is missing",
        find: "AND seq > ${after} AND seq <= ${upTo} ORDER BY seq LIMIT",
        replace: "AND seq > ${after} AND seq < ${upTo} ORDER BY seq LIMIT"
      },
      {
        name: "the journals of all tasks are deleted with one",
        find: "sql`DELETE FROM sandbox_journal WHERE task_id = ${taskId}\n",
        replace: "sql`DELETE FROM sandbox_journal WHERE ${taskId} <> ''\n"
      },
      {
        name: "only the first page of a journal is deleted",
        find: "while ((yield* Effect.zipLeft(removePage, nextEvents)).length > 0);",
        replace: "yield* removePage"
      },
      {
        name: "entries of a statement too many are lost",
        find: "from += rowsPerStatement) {\n          const rows = entries",
        replace: "from += 2 * rowsPerStatement) {\n          const rows = entries"
      },
      {
        name: "text is looked for on the first page alone",
        find: "after = isEnough(rows) ? undefined : rows.at(-1)?.seq",
        replace: "after = isEnough(rows) || rows.length > 0 ? undefined : rows.at(-1)?.seq"
      }
    ]
  },
  {
    file: server("sandbox/journal/SandboxStore.ts"),
    tests: [...durable, test("Transactions.test.ts")],
    faults: [
      {
        name: "a turn ends twice",
        find: "WHERE turn_id = ${turnId} AND ended_at IS NULL`",
        replace: "WHERE turn_id = ${turnId}`"
      },
      {
        name: "open turns of all tasks are one task's",
        find: "WHERE task_id = ${taskId} AND ended_at IS NULL ORDER BY",
        replace: "WHERE ${taskId} <> '' AND ended_at IS NULL ORDER BY"
      },
      {
        name: "turns that ended are open",
        find: "WHERE task_id = ${taskId} AND ended_at IS NULL ORDER BY",
        replace: "WHERE task_id = ${taskId} ORDER BY"
      },
      {
        name: "a permission is answered twice in its row",
        find: "WHERE permission_id = ${permissionId} AND answered_at IS NULL`",
        replace: "WHERE permission_id = ${permissionId}`"
      },
      {
        name: "the requests of all tasks are withdrawn with one",
        find: "WHERE task_id = ${taskId} AND answered_at IS NULL`",
        replace: "WHERE ${taskId} <> '' AND answered_at IS NULL`"
      },
      {
        name: "answered requests are withdrawn",
        find: "WHERE task_id = ${taskId} AND answered_at IS NULL`",
        replace: "WHERE task_id = ${taskId}`"
      },
      {
        name: "the rows of a task are not removed in one transaction",
        find: "            { discard: true }\n          ).pipe(sql.withTransaction),",
        replace: "            { discard: true }\n          ),"
      },
      {
        name: "the sandboxes of all tasks are removed with one",
        find: "sql`DELETE FROM ${sql(table)} WHERE task_id = ${taskId}`",
        replace: "sql`DELETE FROM ${sql(table)} WHERE ${taskId} <> ''`"
      },
      {
        name: "the row that says what is left goes first",
        find: '["sandbox_turns", "sandbox_permissions", "sandbox_artifacts", "tickets", "sandboxes"]',
        replace: '["sandboxes"]'
      }
    ]
  },
  {
    file: server("sandbox/journal/SandboxStore.ts"),
    tests: [test("sandbox/session/Closing.test.ts")],
    faults: [{ name: "a deleted task keeps its tickets", find: '"tickets", "sandboxes"]', replace: '"sandboxes"]' }]
  },
  {
    file: server("sandbox/Recovery.ts"),
    tests: durable,
    faults: [
      {
        name: "the recovery of a task is not one transaction",
        find: "yield* Effect.orDie(sql.withTransaction(close(taskId, openTurns, toolCalls)))",
        replace: "yield* Effect.orDie(close(taskId, openTurns, toolCalls))"
      },
      {
        name: "a turn that was lost is charged",
        find: "metering.end({ taskId, turnId, counts: false })",
        replace: "metering.end({ taskId, turnId, counts: true })"
      },
      {
        name: "of two lost turns one stays open",
        find: "for (const turnId of openTurns) {",
        replace: "for (const turnId of openTurns.slice(0, 1)) {"
      },
      {
        name: "a task whose turn was lost works on",
        find: '    yield* unitOfWork.commit\n    yield* tasks.transition(taskId, "failed")',
        replace: "    yield* unitOfWork.commit"
      },
      {
        name: "a recovered task keeps its requests",
        find: "    yield* store.withdrawPermissions(taskId)\n    const lastSeq",
        replace: "    const lastSeq"
      }
    ]
  },
  {
    file: server("accounts/SignIns.ts"),
    tests: [test("accounts/SignIns.test.ts"), test("Transactions.test.ts")],
    faults: [
      {
        name: "a session is valid a millisecond too long",
        find: "AND expires_at > ${now}`",
        replace: "AND expires_at >= ${now}`"
      },
      { name: "a session never ends", find: "AND expires_at > ${now}`", replace: "AND ${now} >= 0`" },
      {
        name: "a sign-in and its event are not one transaction",
        find: "          sql.withTransaction,\n          Effect.orDie\n        )\n        return Option.some(Redacted.make(session))",
        replace: "          Effect.orDie\n        )\n        return Option.some(Redacted.make(session))"
      },
      {
        name: "all sessions end with one",
        find: "DELETE FROM sign_ins WHERE session_hash = ${Secret.hash(Redacted.value(session))}",
        replace: "DELETE FROM sign_ins WHERE ${Secret.hash(Redacted.value(session))} <> ''"
      },
      {
        name: "wrong passwords of all accounts of a network count for one",
        find: 'JSON.stringify([name.trim().normalize("NFKC").toLowerCase(), IpAddress.network(address)])',
        replace: "JSON.stringify([name.length === -1, IpAddress.network(address)])"
      },
      {
        name: "a guesser elsewhere locks an account",
        find: "toLowerCase(), IpAddress.network(address)])",
        replace: "toLowerCase()])"
      },
      {
        name: "an account has more tries by other spellings",
        find: 'name.trim().normalize("NFKC").toLowerCase(), IpAddress',
        replace: "name, IpAddress"
      },
      { name: "a right password does not end the count", find: "accountAttempts.succeed(key)\n", replace: "\n" },
      { name: "a network has tries without end", find: "if (pause !== undefined) {", replace: "if (pause === -1) {" },
      {
        name: "a form's token is good for other forms",
        find: "JSON.stringify([Redacted.value(session), question])",
        replace: "JSON.stringify([Redacted.value(session)])"
      },
      {
        name: "a form's token is good for other sessions",
        find: "JSON.stringify([Redacted.value(session), question])",
        replace: "JSON.stringify([question])"
      }
    ]
  },
  {
    file: server("limits/Attempts.ts"),
    tests: [test("accounts/SignIns.test.ts")],
    faults: [
      {
        name: "a try counts a millisecond too long",
        find: "time > now - options.windowMillis",
        replace: "time >= now - options.windowMillis"
      },
      {
        name: "one try more than the limit",
        find: "times[times.length - options.limit]",
        replace: "times[times.length - options.limit - 1]"
      },
      { name: "refused tries count", find: "if (wait === undefined) count(id, now)", replace: "count(id, now)" }
    ]
  },
  {
    file: server("assistant/AssistantMessages.ts"),
    tests: assistant,
    faults: [
      {
        name: "the conversations of a user are one",
        find: "sql`m.client_id = ${owner.clientId} AND m.user_id = ${owner.userId}`",
        replace: "sql`${owner.clientId} <> '' AND m.user_id = ${owner.userId}`"
      },
      {
        name: "the conversations of an application are one",
        find: "sql`m.client_id = ${owner.clientId} AND m.user_id = ${owner.userId}`",
        replace: "sql`m.client_id = ${owner.clientId} AND ${owner.userId} <> ''`"
      },
      {
        name: "answered messages count for the backlog",
        find: "WHERE ${isInConversation(owner)} AND waiting = 1`",
        replace: "WHERE ${isInConversation(owner)}`"
      },
      {
        name: "the newest message is answered first",
        find: "AND m.user_id = ${userId} ORDER BY m.seq LIMIT 1",
        replace: "AND m.user_id = ${userId} ORDER BY m.seq DESC LIMIT 1"
      },
      {
        name: "messages of all users are next",
        find: "WHERE m.waiting = 1 AND m.user_id = ${userId} ORDER",
        replace: "WHERE m.waiting = 1 AND ${userId} <> '' ORDER"
      },
      {
        name: "a message is answered twice",
        find: "if (earlier[0] !== undefined) return Option.some(earlier[0].messageId)",
        replace: ""
      },
      {
        name: "an answered message waits on",
        find: "yield* sql`UPDATE assistant_messages SET waiting = 0 WHERE message_id = ${messageId}`",
        replace: ""
      },
      {
        name: "the questions of an answered message stay open",
        find: "yield* sql`UPDATE assistant_questions SET state = 'withdrawn' WHERE about = ${messageId} AND state = 'open'`",
        replace: ""
      },
      {
        name: "answered questions are withdrawn with their message",
        find: "WHERE about = ${messageId} AND state = 'open'`",
        replace: "WHERE about = ${messageId}`"
      },
      {
        name: "an answer of several parts is not one transaction",
        find: "          return Option.fromNullable(ids.at(-1))\n        },\n        sql.withTransaction,",
        replace: "          return Option.fromNullable(ids.at(-1))\n        },"
      }
    ]
  },
  {
    file: server("assistant/AssistantQuestions.ts"),
    tests: assistant,
    faults: [
      {
        name: "a question is answered twice",
        find: "            AND state = 'open' RETURNING request_id`",
        replace: "            RETURNING request_id`"
      },
      {
        name: "another user answers a question",
        find: "WHERE message_id = ${messageId} AND user_id = ${owner.userId} AND client_id",
        replace: "WHERE message_id = ${messageId} AND client_id"
      },
      {
        name: "another application answers a question",
        find: "AND user_id = ${owner.userId} AND client_id = ${owner.clientId}\n            AND state",
        replace: "AND user_id = ${owner.userId}\n            AND state"
      },
      {
        name: "another application finds a question",
        find: "AND q.request_id = ${requestId} AND q.client_id = ${owner.clientId}",
        replace: "AND q.request_id = ${requestId}"
      },
      {
        name: "another computer withdraws a question",
        find: "AND assistant_id = ${assistantId} AND state = 'open'`.pipe(\n          Effect.asVoid,\n          Effect.orDie\n        )\n      ),\n\n      withdrawEarlier",
        replace:
          "AND ${assistantId} <> '' AND state = 'open'`.pipe(\n          Effect.asVoid,\n          Effect.orDie\n        )\n      ),\n\n      withdrawEarlier"
      },
      {
        name: "a new run withdraws its own questions",
        find: "AND instance <> ${instance} AND state = 'open'",
        replace: "AND ${instance} <> '' AND state = 'open'"
      },
      {
        name: "a run gets the answers of another",
        find: "WHERE about = ${messageId} AND instance = ${instance} AND state",
        replace: "WHERE about = ${messageId} AND ${instance} <> '' AND state"
      },
      {
        name: "a question is stored without its message",
        find: "          return Option.some(messageId)\n        },\n        sql.withTransaction,",
        replace: "          return Option.some(messageId)\n        },"
      },
      {
        name: "an answer is stored without its message",
        find: "metadata: { requestId } })\n          )\n        },\n        sql.withTransaction,",
        replace: "metadata: { requestId } })\n          )\n        },"
      }
    ]
  },
  {
    file: server("assistant/MessageIdempotencyKeys.ts"),
    tests: assistant,
    faults: [
      {
        name: "a message's key belongs to all applications",
        find: "WHERE client_id = ${owner.clientId} AND user_id = ${owner.userId} AND key_hash",
        replace: "WHERE user_id = ${owner.userId} AND key_hash"
      },
      {
        name: "a message's key belongs to all users",
        find: "WHERE client_id = ${owner.clientId} AND user_id = ${owner.userId} AND key_hash",
        replace: "WHERE client_id = ${owner.clientId} AND key_hash"
      },
      {
        name: "a message's key is good a millisecond too long",
        find: "AND expires_at > ${now}`",
        replace: "AND expires_at >= ${now}`"
      },
      {
        name: "a message's key cannot be used again after its end",
        find: "yield* sql`DELETE FROM assistant_requests WHERE expires_at <= ${now}`\n",
        replace: "\n"
      },
      {
        name: "a key with another message gives the first",
        find: "if (rows[0].bodyHash === key.bodyHash) return",
        replace: 'if (rows[0].bodyHash !== "") return'
      }
    ]
  },
  {
    file: server("config/SandboxOptions.ts"),
    tests: [test("sandbox/channel/SseChannel.test.ts"), test("sandbox/agent/AgentHost.test.ts")],
    faults: [
      {
        name: "a person has an hour for an answer",
        find: "permission: Duration.minutes(5)",
        replace: "permission: Duration.minutes(60)"
      },
      {
        name: "an idle stream has a comment each minute",
        find: "heartbeat: Duration.seconds(15)",
        replace: "heartbeat: Duration.seconds(60)"
      },
      {
        name: "a stream can be resumed for half a minute",
        find: "resume: Duration.seconds(60)",
        replace: "resume: Duration.seconds(30)"
      }
    ]
  }
]
