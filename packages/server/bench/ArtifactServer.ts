import { Accounts } from "@heddle/server/accounts/Accounts"
import * as Administration from "@heddle/server/Administration"
import { Applications } from "@heddle/server/oauth/Applications"
import { Grants } from "@heddle/server/oauth/Grants"
import * as Database from "@heddle/server/sql/Database"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { insert, rows, taskId } from "./ArtifactRows.ts"
import { serveHere } from "./ServeHere.ts"

const data = process.env["BENCH_FOLDER"] ?? "bench-data"
const scopes = ["user.task.readable"] as const

const { clientId, token, userId } = await Effect.gen(function* () {
  const redirectUris = ["http://127.0.0.1/callback"]
  const { clientId } = yield* (yield* Applications).create({ name: "bench", redirectUris, scopes })
  const { userId } = yield* (yield* Accounts).create({ name: "Ada" })
  const { accessToken } = yield* (yield* Grants).issue({ clientId, userId, scopes: new Set(scopes) })
  return { clientId, token: Redacted.value(accessToken), userId }
}).pipe(Effect.provide(Administration.layer(data)), Effect.runPromise)

// A task with the artifacts of a long session, as its rows.
const database = new Sqlite(Database.path(data))
const now = Date.now()
database
  .prepare(
    `INSERT INTO tasks (task_id, client_id, user_id, name, status, created_at, updated_at) VALUES (?, ?, ?, 'bench', 'completed', ?, ?)`
  )
  .run(taskId, clientId, userId, now, now)
database.prepare("INSERT INTO sandboxes (task_id, prompt, held, created_at) VALUES (?, '', 1, ?)").run(taskId, now)
const put = database.prepare(insert)
database.transaction(() => {
  for (const row of rows()) put.run(...row)
})()
database.close()

await serveHere(data, (url) => {
  const path = `/sandboxes/${taskId}/api/session/artifacts`
  void fetch(`${url}/openapi/v2/tasks/${taskId}`, { headers: { authorization: `Bearer ${token}` } })
    .then((response) => response.text())
    .then((text) => process.send?.({ ready: { url, path, token: JSON.parse(text).token } }))
})
