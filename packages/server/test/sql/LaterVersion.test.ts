import { assert, describe, it } from "@effect/vitest"
import * as Database from "@heddle/server/sql/Database"
import * as LaterVersion from "@heddle/test-support/LaterVersion"
import * as SqlClient from "@effect/sql/SqlClient"
import { TaskId } from "@heddle/core/domain/Task"
import { unnamed } from "@heddle/server/config/AgentSettings"
import * as TaskStore from "@heddle/server/tasks/TaskStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestServer from "../support/TestServer.ts"

describe("a database of another version", () => {
  it.scopedLive("is refused in one line with the fix, and stays unchanged", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const { error, isUnchanged } = yield* LaterVersion.open({
        layer: Database.layer(dataDir),
        file: Database.path(dataDir),
        migrationsTable: "schema_migrations",
        tables: ["schema_migration_lock"]
      })
      assert.strictEqual(error.setting, "--data")
      assert.match(error.problem, /another version of this program has written it/)
      assert.match(error.fix, /^Nothing was changed\. Start the version that wrote it, or choose another folder/)
      assert.isTrue(isUnchanged)
    })
  )

  it.scopedLive("keeps its tasks, and its tickets with the rights of their grants", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const layer = Database.layer(dataDir)
      const earlier = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`ALTER TABLE tasks DROP COLUMN agent`
        yield* sql`DROP TABLE master_key`
        yield* sql`DROP INDEX tasks_status`
        yield* sql`ALTER TABLE tickets DROP COLUMN may_invoke`
        yield* sql`DELETE FROM schema_migrations WHERE migration_id > 1`
        yield* sql`INSERT INTO applications (client_id, name, redirect_uris, scopes, active, created_at)
          VALUES ('app', 'app', '[]', '', 1, 0)`
        yield* sql`INSERT INTO accounts (user_id, login, nickname, avatar, created_at) VALUES ('ada', 'ada', '', '', 0)`
        yield* sql`INSERT INTO tasks (task_id, client_id, user_id, name, status, created_at, updated_at)
          VALUES ('t', 'app', 'ada', 'Count', 'completed', 0, 0)`
        for (const [id, scope] of [
          ["reads", "user.task.readable"],
          ["invokes", "user.task.invokable user.task.readable"]
        ]) {
          yield* sql`INSERT INTO grants (grant_id, client_id, user_id, scope, created_at)
            VALUES (${id}, 'app', 'ada', ${scope}, 0)`
          yield* sql`INSERT INTO tickets (token_hash, task_id, grant_id, sealed, issued_at, expires_at)
            VALUES (${id}, 't', ${id}, '', 0, 1)`
        }
      })
      yield* Effect.provide(earlier, layer)
      const tasks = yield* Effect.provide(
        Effect.flatMap(TaskStore.TaskStore, (store) => store.get(TaskId.make("t"))),
        Layer.provide(TaskStore.layer, layer)
      )
      assert.strictEqual(Option.getOrThrow(tasks).agent, unnamed)
      const rights = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`SELECT grant_id AS id, may_invoke AS right FROM tickets ORDER BY grant_id`
      )
      assert.deepStrictEqual(yield* Effect.provide(rights, layer), [
        { id: "invokes", right: 1 },
        { id: "reads", right: 0 }
      ])
    })
  )

  it.scopedLive("is refused where the same migrations once made other tables", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const layer = Database.layer(dataDir)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`ALTER TABLE tasks ADD COLUMN of_another_version TEXT`
      }).pipe(Effect.provide(layer))
      const error = yield* Effect.flip(Effect.provide(Effect.void, layer))
      assert.match(error.problem, /another version of this program has written it/)
    })
  )
})
