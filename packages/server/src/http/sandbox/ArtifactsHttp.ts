import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { KeyObject } from "node:crypto"
import {
  ArtifactStore,
  tombstoneTtlMs,
  type ArtifactFilter,
  type ArtifactKey,
  type ListedArtifact
} from "../../sandbox/artifacts/ArtifactStore.ts"
import * as ArtifactPath from "../../sandbox/artifacts/ArtifactPath.ts"
import * as MediaUrl from "../../sandbox/artifacts/MediaUrl.ts"
import * as Query from "../message/Query.ts"
import { refuse, versionHeader, type SandboxRefusal } from "./SandboxResponses.ts"

/** How URLs of media files are made. */
export interface Media {
  /** `{sandbox_url}`. */
  readonly sandboxUrl: string
  readonly key: KeyObject
  readonly ttl: Duration.Duration
}

/** GET {sandbox_url}/api/session/artifacts (contract 4.14). */
export const list = Effect.fn("ArtifactsHttp.list")(function* (taskId: TaskId, media: Media) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const store = yield* ArtifactStore
  const query = Query.of(request.url)
  const sessionId = query.get("sessionId")
  if (sessionId && sessionId !== taskId) return yield* refuse(404, "session does not exist")
  const filter = yield* parse(query)
  const { size, total } = yield* store.measure(taskId, filter)
  const { type, startMs, endMs, limit, offset } = filter
  const expiresAt = (yield* Clock.currentTimeMillis) + Duration.toMillis(media.ttl)
  const entries = (artifacts: ReadonlyArray<ListedArtifact>) =>
    artifacts.map((artifact) => entryJson(taskId, artifact, media, expiresAt))
  const head = `{"code":0,"msg":"success","data":{"sessionId":${JSON.stringify(taskId)},"artifacts":[`
  const tail = (returned: number) => {
    const trailer = {
      pagination: {
        // Artifacts may be deleted while a list without limit is written.
        total: limit === 0 ? returned : total,
        returned,
        limit,
        offset: limit === 0 ? 0 : offset,
        hasMore: limit > 0 && offset + limit < total
      },
      filter: { type: type ?? null, startMs: startMs || null, endMs: endMs || null }
    }
    return `],${JSON.stringify(trailer).slice(1)}}`
  }
  const headers = { ...versionHeader, "content-type": "application/json", "cache-control": "no-store" }

  if (size <= maxBatchChars && (limit === 0 ? total : limit) <= maxBatchSize) {
    const listed = entries(yield* store.list(taskId, filter))
    return HttpServerResponse.raw(head + listed.join(",") + tail(listed.length), { headers })
  }
  // Read at the client's pace, so that a long list is never in memory as a whole.
  let written = 0
  const listed = Stream.fromIterable(splitBatches(yield* store.keys(taskId, filter))).pipe(
    Stream.rechunk(1),
    Stream.mapEffect((batch) => store.read(taskId, filter, batch)),
    Stream.map((artifacts) => {
      const text = entries(artifacts).join(",")
      const piece = written > 0 && artifacts.length > 0 ? `,${text}` : text
      written += artifacts.length
      return piece
    })
  )
  const body = Stream.make(head).pipe(
    Stream.concat(listed),
    Stream.concat(Stream.suspend(() => Stream.make(tail(written)))),
    Stream.encodeText
  )
  return HttpServerResponse.stream(body, { headers, contentType: "application/json" })
})

/** Splits a list into batches; each is read and written as a whole. */
const splitBatches = (keys: ReadonlyArray<ArtifactKey>): ReadonlyArray<ReadonlyArray<ArtifactKey>> => {
  const batches: Array<Array<ArtifactKey>> = []
  let size = Infinity
  for (const key of keys) {
    const last = batches.at(-1)
    if (last === undefined || last.length >= maxBatchSize || size + key.size > maxBatchChars) {
      batches.push([key])
      size = key.size
    } else {
      last.push(key)
      size += key.size
    }
  }
  return batches
}

const maxBatchSize = 500

const maxBatchChars = 1024 * 1024

const types = ["plan", "tasks", "media", "overview"]

/**
 * Reads the query; offset counts only together with a limit (contract decision 98), `includeDeleted` is this service's
 * own (99).
 */
const parse = (query: URLSearchParams): Effect.Effect<ArtifactFilter, SandboxRefusal> =>
  Effect.gen(function* () {
    const type = query.get("type") ?? undefined
    if (type !== undefined && !types.includes(type)) return yield* refuse(400, "invalid type")
    const number = (name: string, max: number) => {
      const text = query.get(name)
      if (text === null) return Effect.succeed(0)
      const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
      return value <= max ? Effect.succeed(value) : refuse(400, `invalid ${name}`)
    }
    const deleted = query.get("includeDeleted") ?? "false"
    if (deleted !== "true" && deleted !== "false") return yield* refuse(400, "invalid includeDeleted")
    return {
      type,
      deletedSince: deleted === "true" ? (yield* Clock.currentTimeMillis) - tombstoneTtlMs : undefined,
      startMs: yield* number("startMs", Number.MAX_SAFE_INTEGER),
      endMs: yield* number("endMs", Number.MAX_SAFE_INTEGER),
      limit: yield* number("limit", 500),
      offset: yield* number("offset", Number.MAX_SAFE_INTEGER)
    }
  })

/**
 * One entry as JSON. A media file has a URL once it is stored, which is when it has a hash. The stored JSON of the
 * artifact is inserted unparsed, because a list can be long.
 */
const entryJson = (
  taskId: TaskId,
  { artifact, event, md5, type, uri }: ListedArtifact,
  media: Media,
  expiresAt: number
): string => {
  const path = type === "media" && md5 !== null ? ArtifactPath.fromUri(uri) : undefined
  const body = event === "deleted" ? JSON.stringify({ type, uri }) : artifact
  const hash = md5 ? `,"md5":"${md5}"` : ""
  const url = path === undefined ? "" : `,"url":${JSON.stringify(mediaUrl(taskId, path, media, expiresAt))}`
  return `{"sessionId":${JSON.stringify(taskId)},"event":"${event}","artifact":${body}${hash}${url}}`
}

const mediaUrl = (taskId: TaskId, path: string, { sandboxUrl, key }: Media, expiresAt: number) =>
  `${sandboxUrl}/artifacts/${ArtifactPath.encode(path)}?${MediaUrl.sign(key, taskId, path, expiresAt)}`
