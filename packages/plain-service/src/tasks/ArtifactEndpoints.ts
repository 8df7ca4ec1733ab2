import { Refusal } from "../http/Refusal.ts"
import { Reply } from "../http/Reply.ts"
import type { Route } from "../http/Routes.ts"
import { int64 } from "../Int64.ts"
import type { Readings } from "../Readings.ts"
import { Artifacts, type StoredArtifact } from "./Artifacts.ts"
import type { SandboxGuard } from "./SandboxGuard.ts"
import type { Tasks } from "./Tasks.ts"

/** The artifact list and the download of media (4.14). */
export const artifactEndpoints = (
  tasks: Tasks,
  guard: SandboxGuard,
  readings: () => Readings,
  baseUrl: () => string
): ReadonlyArray<Route> => [
  {
    method: "GET",
    path: /^\/sandboxes\/([^/]+)\/([^/]+)\/api\/session\/artifacts$/,
    handle: (request, taskId = "", place = "") => {
      const task = guard(request, taskId, place, Refusal.artifact(404, "session does not exist"))
      const sessionId = request.query.get("sessionId")
      if (sessionId === null && readings().severalSessions) throw Refusal.artifact(400, "sessionId is required")
      if (sessionId !== null && sessionId !== task.id) throw Refusal.artifact(404, "session does not exist")
      return listed(task.id, task.artifacts.all(), request.query, readings(), baseUrl())
    }
  },
  {
    method: "GET",
    path: /^\/sandboxes\/([^/]+)\/([^/]+)\/(artifacts\/.+)$/,
    handle: (request, taskId = "", place = "", name = "") => {
      const task = guard(request, taskId, place, Refusal.artifact(404, "session does not exist"))
      const uris = [`agent:///${name}`, `agent:///${decoded(name)}`]
      return download(task.artifacts.all().find(({ artifact }) => uris.includes(artifact.uri)))
    }
  },
  {
    method: "GET",
    path: /^\/media\/([^/]+)$/,
    handle: (_, mediaKey) => {
      const all = tasks.all().flatMap(({ artifacts }) => artifacts.all())
      return download(all.find((stored) => stored.mediaKey === mediaKey))
    }
  }
]

const listed = (
  sessionId: string,
  stored: ReadonlyArray<StoredArtifact>,
  query: URLSearchParams,
  readings: Readings,
  baseUrl: string
): Reply => {
  const type = query.get("type")
  if (type !== null && !["plan", "tasks", "media", "overview"].includes(type))
    throw Refusal.artifact(400, "invalid type")
  const startMs = natural(query, "startMs", largestInt64)
  const endMs = natural(query, "endMs", largestInt64)
  const limit = Number(natural(query, "limit", 500n))
  const offset = Number(natural(query, "offset", BigInt(Number.MAX_SAFE_INTEGER)))
  const matching = stored.filter(
    ({ artifact, event, updatedAt }) =>
      (event !== "deleted" || readings.deletedArtifacts === "listed") &&
      (type === null || artifact.type === type) &&
      updatedAt >= startMs &&
      (endMs === 0n || updatedAt <= endMs)
  )
  const page = limit === 0 ? matching : matching.slice(offset, offset + limit)
  const hasMore = limit > 0 && offset + page.length < matching.length
  const pagination = { total: matching.length, returned: page.length, limit, offset, hasMore }
  const filter = {
    ...(type === null ? {} : { type }),
    ...(startMs === 0n ? {} : { startMs: int64(startMs, readings.int64) }),
    ...(endMs === 0n ? {} : { endMs: int64(endMs, readings.int64) })
  }
  return Reply.json(200, {
    code: 0,
    msg: "success",
    data: {
      sessionId,
      artifacts: page.map((entry) => ({ sessionId, ...wire(entry, readings, baseUrl) })),
      ...(readings.artifactPagination === "given" ? { pagination } : {}),
      filter
    }
  })
}

const wire = ({ artifact, event, mediaKey }: StoredArtifact, readings: Readings, baseUrl: string) => ({
  event,
  artifact: Artifacts.wire(artifact, readings.int64),
  ...(artifact.type === "media" && event !== "deleted" && readings.media === "url"
    ? { url: `${baseUrl}/media/${mediaKey}` }
    : {})
})

const largestInt64 = 2n ** 63n - 1n

const natural = (query: URLSearchParams, name: string, largest: bigint): bigint => {
  const written = query.get(name)
  if (written === null) return 0n
  const value = /^\d+$/.test(written) ? BigInt(written) : -1n
  if (value < 0n || value > largest) throw Refusal.artifact(400, `${name} is out of range`)
  return value
}

const download = (stored: StoredArtifact | undefined): Reply => {
  if (stored?.bytes === undefined) throw Refusal.artifact(404, "artifact does not exist")
  const { mimeType } = stored.artifact
  return Reply.bytes(stored.bytes, typeof mimeType === "string" ? mimeType : "application/octet-stream")
}

const decoded = (name: string): string => {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
