import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "node:path"
import { ArtifactStore } from "../sandbox/ArtifactStore.ts"
import * as MediaFile from "../sandbox/MediaFile.ts"
import * as MediaType from "../sandbox/MediaType.ts"
import { artifactsFolder } from "../sandbox/Sandbox.ts"
import { uriOfFile } from "../sandbox/SessionArtifacts.ts"
import { refuse } from "./SandboxAnswers.ts"

/**
 * The file that a request's path names, relative to the artifacts folder, or undefined when it names none.
 * Each part is decoded once and must be a plain name: no `.`, `..`, separator, hidden or control character.
 */
export const pathOf = (url: string): string | undefined => {
  const [path = ""] = url.split(/[?#]/)
  const at = path.indexOf(marker, path.indexOf("/sandboxes/"))
  if (at < 0) return undefined
  try {
    const parts = path
      .slice(at + marker.length)
      .split("/")
      .map(decodeURIComponent)
    return parts.every(isPlainName) ? parts.join("/") : undefined
  } catch {
    // A stray percent sign names nothing.
    return undefined
  }
}

/** GET {sandbox_url}/artifacts/…: a file that is listed as an artifact, whole or a part of it. */
export const download = Effect.fn("MediaHttp.download")(function* (taskId: TaskId, folder: string, path: string) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const store = yield* ArtifactStore
  const record = yield* store.find(taskId, uriOfFile(path))
  if (Option.isNone(record) || record.value.event === "deleted") return yield* refuse(404, "no such file")
  const opened = yield* Effect.uninterruptible(
    // Gone, unreadable, or a link put in its place: for the caller there is no such file.
    Effect.promise(() => MediaFile.open(artifactsFolder(folder), path).catch(() => undefined))
  )
  if (opened === undefined) return yield* refuse(404, "no such file")
  const { file, stat } = opened

  const tag = `"${stat.size.toString(36)}-${Math.trunc(stat.mtimeMs * 1000).toString(36)}"`
  const declared = MediaType.parse(record.value.body["mimeType"]) ?? MediaType.unknown
  const mediaType =
    declared.charset === undefined && declared.bare.startsWith("text/") ? { ...declared, charset: "utf-8" } : declared
  const headers = {
    "content-type": MediaType.format(mediaType),
    "content-disposition": `${disposition(mediaType.bare)}; filename*=UTF-8''${encodeURIComponent(Path.basename(path))}`,
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-site",
    "cache-control": "private, no-cache",
    "accept-ranges": "bytes",
    etag: tag
  }
  const empty = (status: number, more: Record<string, string> = {}) =>
    Effect.as(
      Effect.promise(() => file.close()),
      HttpServerResponse.empty({ status, headers: { ...headers, ...more } })
    )

  if (request.headers["if-none-match"]?.includes(tag) === true) return yield* empty(304)
  const condition = request.headers["if-range"]
  const range = condition === undefined || condition === tag ? request.headers["range"] : undefined
  const part = partOf(range, stat.size)
  if (part === "unsatisfiable") return yield* empty(416, { "content-range": `bytes */${stat.size}` })

  const length = part === undefined ? stat.size : part.end - part.start + 1
  const sized = {
    ...headers,
    "content-length": String(length),
    ...(part === undefined ? {} : { "content-range": `bytes ${part.start}-${part.end}/${stat.size}` })
  }
  const status = part === undefined ? 200 : 206
  if (request.method === "HEAD" || length === 0) {
    return yield* empty(status, sized)
  }
  const bytes = file.createReadStream(part ?? { start: 0, end: stat.size - 1 })
  const response = NodeHttpServerRequest.toServerResponse(request)
  // However the response ends, even before it could start, the file is closed with it.
  if (response.closed) bytes.destroy()
  else response.once("close", () => bytes.destroy())
  return HttpServerResponse.raw(bytes, { status, headers: sized })
})

const marker = "/artifacts/"

const isPlainName = (name: string): boolean =>
  // oxlint-disable-next-line no-control-regex
  name !== "" && !name.startsWith(".") && !/[/\\\u0000-\u001f]/.test(name)

/** Shows in place what cannot run a script; everything else is saved. */
const disposition = (mimeType: string): string =>
  (/^(image|audio|video)\//.test(mimeType) && mimeType !== "image/svg+xml") || mimeType === "text/plain"
    ? "inline"
    : "attachment"

/** The one part that a Range header asks for; undefined for the whole, also when the header is none that is served. */
const partOf = (header: string | undefined, size: number) => {
  const asked = /^bytes=(\d*)-(\d*)$/.exec(header ?? "")
  const [, from = "", to = ""] = asked ?? []
  if (asked === null || (from === "" && to === "")) return undefined
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1)
  return start > end || start >= size ? ("unsatisfiable" as const) : { start, end }
}
