import Sqlite from "better-sqlite3"
import { mkdirSync } from "node:fs"
import * as Http from "node:http"
import { join } from "node:path"
import { insert, rows, taskId } from "./ArtifactRows.ts"

// The least that the list takes: one query over the same rows, and its result as JSON.
const folder = process.env["BENCH_FOLDER"] ?? "bench-data"
mkdirSync(folder, { recursive: true })
const database = new Sqlite(join(folder, "artifacts.db"))
database.exec(`CREATE TABLE sandbox_artifacts (task_id TEXT NOT NULL, uri TEXT NOT NULL, type TEXT NOT NULL,
  event TEXT NOT NULL, artifact TEXT NOT NULL, md5 TEXT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
  PRIMARY KEY (task_id, uri));
  CREATE INDEX sandbox_artifacts_order ON sandbox_artifacts (task_id, created_at, uri)`)
const put = database.prepare(insert)
database.transaction(() => {
  for (const row of rows()) put.run(...row)
})()

const select = database.prepare(
  "SELECT event, artifact, md5 FROM sandbox_artifacts WHERE task_id = ? AND event <> 'deleted' ORDER BY created_at, uri LIMIT ?"
)
const server = Http.createServer((request, response) => {
  const limit = Number(new URL(request.url ?? "/", "http://bench").searchParams.get("limit") ?? "0")
  const found = select.all(taskId, limit === 0 ? -1 : limit)
  const body = JSON.stringify({ code: 0, msg: "success", data: { sessionId: taskId, artifacts: found } })
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body)
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  process.send?.({ ready: { url: `http://127.0.0.1:${address.port}`, path: "/", token: "none" } })
})
