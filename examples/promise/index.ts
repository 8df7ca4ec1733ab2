// Starts a task and lists all of the user's tasks, without Effect, with a token that you already have:
//   HEDDLE_BASE_URL=http://127.0.0.1:4310 HEDDLE_ACCESS_TOKEN=… node index.js
import { createClient, InsufficientScope, newIdempotencyKey } from "@heddle/core/promise"

const client = createClient({
  baseUrl: process.env["HEDDLE_BASE_URL"] ?? "",
  accessToken: process.env["HEDDLE_ACCESS_TOKEN"] ?? ""
})

try {
  // Under a key, a request whose answer is lost is sent again without creating a second task.
  await client.tasks.create({ prompt: "How long is this sentence?" }, { idempotencyKey: newIdempotencyKey() })
  for await (const task of client.tasks.all({ signal: AbortSignal.timeout(60_000) })) {
    console.log(`${task.status}: ${task.name ?? task.taskId}`)
  }
} catch (error) {
  if (!(error instanceof InsufficientScope)) throw error
  console.error(`This token may not do that. Authorize again with ${error.required.join(" ")}.`)
} finally {
  await client.close()
}
