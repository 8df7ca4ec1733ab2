import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { BigIntStats } from "node:fs"
import * as Path from "node:path"
import * as ArtifactPath from "../../sandbox/artifacts/ArtifactPath.ts"
import { ArtifactStore } from "../../sandbox/artifacts/ArtifactStore.ts"
import * as MediaType from "../../sandbox/artifacts/MediaType.ts"
import * as OwnFile from "../../sandbox/artifacts/OwnFile.ts"
import * as SandboxFolder from "../../sandbox/SandboxFolder.ts"
import * as FileConditions from "../message/FileConditions.ts"
import { refuse } from "./SandboxResponses.ts"

/** GET {sandbox_url}/artifacts/…: a listed file, whole or a range of it. */
export const download = Effect.fn("MediaHttp.download")(function* (taskId: TaskId, folder: string, path: string) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const store = yield* ArtifactStore
  const record = yield* store.find(taskId, ArtifactPath.toUri(path))
  if (Option.isNone(record) || record.value.event === "deleted") return yield* refuse(404, "no such file")
  const openedFile = yield* Effect.uninterruptible(
    Effect.promise(() => OwnFile.open(Path.dirname(folder), SandboxFolder.artifacts(folder), path))
  )
  if (openedFile === undefined) return yield* refuse(404, "no such file")
  const { file, stat } = openedFile

  const size = Number(stat.size)
  const representation = { etag: etagOf(stat), modifiedAt: stat.mtime, size }
  const decision = FileConditions.decide(request, representation)
  const range = decision.status === 206 ? decision.range : { start: 0, end: size - 1 }
  const length = range.end - range.start + 1
  const mediaType = servedType(record.value.body["mimeType"])
  const headers = {
    "content-type": MediaType.format(mediaType),
    "content-disposition": FileConditions.disposition(
      isPassive(mediaType) ? "inline" : "attachment",
      Path.basename(path)
    ),
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-site",
    "cache-control": "private, no-cache",
    "accept-ranges": "bytes",
    "last-modified": representation.modifiedAt.toUTCString(),
    etag: representation.etag,
    ...(decision.status === 206 ? { "content-range": `bytes ${range.start}-${range.end}/${size}` } : {}),
    ...(decision.status === 416 ? { "content-range": `bytes */${size}` } : {}),
    ...(decision.status < 300 ? { "content-length": String(length) } : {})
  }
  if (decision.status >= 300 || request.method === "HEAD" || length === 0) {
    yield* Effect.promise(() => file.close())
    return HttpServerResponse.empty({ status: decision.status, headers })
  }

  const bytes = file.createReadStream({ ...range, highWaterMark: chunkBytes })
  const response = NodeHttpServerRequest.toServerResponse(request)
  // The end of the response closes the file, even before the stream starts.
  if (response.closed) bytes.destroy()
  else response.once("close", () => bytes.destroy())
  // When the file became shorter meanwhile, break the connection: the client would wait for the rest.
  bytes.once("end", () => {
    if (bytes.bytesRead < length) response.destroy()
  })
  return HttpServerResponse.raw(bytes, { status: decision.status, headers })
})

/** The ctime changes with every write, even when a program resets the mtime. */
const etagOf = ({ ctimeNs, ino, size }: BigIntStats): string =>
  `"${[ino, size, ctimeNs].map((range) => range.toString(36)).join("-")}"`

const servedType = (declared: unknown): MediaType.MediaType => {
  const type = MediaType.parse(declared) ?? MediaType.unknown
  return type.charset === undefined && type.essence.startsWith("text/") ? { ...type, charset: "utf-8" } : type
}

/** Tells whether a browser may show a type in place: one that cannot run a script. */
const isPassive = ({ essence }: MediaType.MediaType): boolean =>
  (/^(image|audio|video)\//.test(essence) && !/[+/]xml$/.test(essence)) || essence === "text/plain"

const chunkBytes = 256 * 1024
