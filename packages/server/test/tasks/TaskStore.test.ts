import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import { TaskId } from "@heddle/core/domain/Task"
import { Applications } from "@heddle/server/oauth/Applications"
import { TaskStore } from "@heddle/server/tasks/TaskStore"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { withRules } from "../support/Rules.ts"
import { redirectUri } from "../support/TestServer.ts"

describe("TaskStore", () => {
  it.scoped("pages through every task once, newest first, with deleted tasks on request", () =>
    withRules({}, (_, clientId) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // What is tested is the order, not the disk.
        yield* sql`PRAGMA synchronous = OFF`
        const store = yield* TaskStore
        const other = yield* (yield* Applications).create({ name: "Other", redirectUris: [redirectUri] })
        const ids = Array.from({ length: 1203 }, (_, nth) => TaskId.make(`task-${String(nth).padStart(4, "0")}`))
        for (const [nth, taskId] of ids.entries()) {
          yield* store.insert({
            taskId,
            clientId: nth % 3 === 0 ? other.clientId : clientId,
            userId: "ada",
            name: "x",
            agent: "default"
          })
          // Several share a moment, so that a page ends among equal times.
          if (nth % 7 === 0) yield* TestClock.adjust("1 second")
        }
        const listed = (filter: Parameters<typeof store.all>[0]) =>
          Effect.map(Stream.runCollect(store.all(filter)), (rows) =>
            Chunk.toReadonlyArray(rows).map((row) => row.taskId)
          )
        const newestFirst = ids.toReversed()
        assert.deepStrictEqual(yield* listed({}), newestFirst)

        const [gone = TaskId.make("x"), kept = TaskId.make("x")] = ids
        yield* store.transition(gone, "deleted")
        yield* store.transition(kept, "idle")
        assert.deepStrictEqual(yield* listed({}), newestFirst.slice(0, -1))
        assert.deepStrictEqual(yield* listed({ status: "deleted" }), [gone])
        assert.deepStrictEqual(yield* listed({ status: "idle", userId: "ada", clientId }), [kept])
        assert.deepStrictEqual(yield* listed({ userId: "bob" }), [])
        assert.lengthOf(yield* listed({ clientId: other.clientId }), 400)
        yield* store.transition(kept, "archived")
        assert.deepStrictEqual([...(yield* store.closed(ids))].sort(), [gone, kept])
        assert.deepStrictEqual(yield* store.closed([]), [])
      })
    )
  )
})
