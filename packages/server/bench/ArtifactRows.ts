import { createHash, randomUUID } from "node:crypto"

/** As many artifacts as the list is long. */
export const count = 10_000

/** The task that they belong to. */
export const taskId = randomUUID()

/** The rows of the table `sandbox_artifacts`: media of every second kind, in the order of the columns. */
export const rows = (): ReadonlyArray<ReadonlyArray<string | number>> => {
  const now = Date.now() - count
  return Array.from({ length: count }, (_, n) => {
    const name = `chart ${n}.png`
    const uri = `agent:///artifacts/charts/${encodeURIComponent(name)}`
    const at = now + n
    const times = { createdAt: at, updatedAt: at }
    const picture = { mimeType: "image/png", contentType: "image", size: 20_000 + n, width: 1200, height: 800 }
    const artifact = { name, title: name, ...picture, type: "media", uri, ...times }
    const md5 = createHash("md5").update(name).digest("hex")
    return [taskId, uri, "media", "created", JSON.stringify(artifact), md5, at, at]
  })
}

/** Puts a row in. */
export const insert = `INSERT INTO sandbox_artifacts
  (task_id, uri, type, event, artifact, md5, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
