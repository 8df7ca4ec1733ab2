import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import * as Guard from "../access/Guard.ts"
import { forBrowser } from "../messages/Translations.ts"
import type { ArtifactCard, Media } from "../model/ArtifactCard.ts"
import { DownloadLinks, downloadPath } from "../store/DownloadLinks.ts"
import * as ArtifactFile from "../turn/session/ArtifactFile.ts"
import { ArtifactCards } from "../store/ArtifactCards.ts"
import { Threads } from "../store/Threads.ts"
import { fileName } from "../text/FileName.ts"
import { oneLine } from "../text/Truncate.ts"
import * as BrowserPage from "./BrowserPage.ts"

/** The path of private links. */
export const path = `${downloadPath}/:token` as const

/**
 * Streams a link's file from the service to a browser, while the link's person may read the task. All invalid links get
 * the same response.
 */
export const download = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { page } = forBrowser(request.headers["accept-language"])
  const { token = "" } = yield* HttpRouter.params
  const target = yield* (yield* DownloadLinks).find(Redacted.make(token))
  const file = Option.isNone(target) ? undefined : yield* findFile(target.value)
  if (file === undefined || Option.isNone(target)) return BrowserPage.linkGone(page)
  // The person may have lost access to the task since.
  const { guildId } = file.thread
  const decision = yield* Guard.askPolicyAgain(target.value.userId, guildId, { _tag: "Read", task: file.thread })
  if (decision !== "allowed")
    return decision === "indeterminate" ? BrowserPage.fileUnavailable(page) : BrowserPage.linkGone(page)
  const opening = yield* ArtifactFile.open(file.thread, file.card.uri, Number.MAX_SAFE_INTEGER).pipe(
    // The first bytes show whether the service returns the file, and the last byte whether its hash matches. So the
    // response starts after the first, and each piece is held back until the next arrives: a wrong file never looks
    // complete.
    Effect.flatMap((bytes) =>
      Stream.peel(
        Stream.map(Stream.zipWithNext(bytes), ([piece]) => piece),
        Sink.head<Uint8Array>()
      )
    ),
    Effect.tapError(({ message }) => Effect.logInfo(`A file of thread ${file.thread.threadId} is away`, message)),
    Effect.option
  )
  if (Option.isNone(opening)) return BrowserPage.fileUnavailable(page)
  const [first, rest] = opening.value
  const body = Stream.concat(Stream.fromIterable(Option.toArray(first)), rest).pipe(
    Stream.tapErrorCause((cause) =>
      Effect.zipRight(
        Effect.logInfo(`A download from thread ${file.thread.threadId} was cut off`, cause),
        // A response that merely ends would look complete, and an open one would wait for ever.
        Effect.sync(() => NodeHttpServerRequest.toServerResponse(request).destroy())
      )
    )
  )
  return HttpServerResponse.stream(body, {
    contentType: typeOf(file.body),
    headers: headersOf(file.body)
  })
})

const findFile = Effect.fnUntraced(function* ({ threadId, uri }: { readonly threadId: string; readonly uri: string }) {
  const thread = yield* (yield* Threads).find(threadId)
  const card = (yield* (yield* ArtifactCards).ofThread(threadId)).find((card) => card.uri === uri)
  if (Option.isNone(thread) || card === undefined || card.deleted) return undefined
  return card.body._tag === "Media"
    ? { thread: thread.value, card: card satisfies ArtifactCard, body: card.body }
    : undefined
})

/** The agent chose type and name, so both are sanitized, and the browser never renders the file as a page. */
const typeOf = ({ mimeType = "" }: Media): string =>
  /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,99}$/i.test(mimeType) ? mimeType : "application/octet-stream"

const headersOf = ({ name, size }: Media): Readonly<Record<string, string>> => ({
  ...(size === undefined ? {} : { "content-length": String(size) }),
  "content-disposition": `attachment; filename="${fileName(name)}"; filename*=UTF-8''${encodeRfc8187(name)}`,
  "cache-control": "private, no-store",
  "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex"
})

/** A file name in RFC 8187 encoding, without forbidden characters. */
const encodeRfc8187 = (name: string): string => {
  const safe = oneLine(name.replace(/[/\\\p{Cc}]/gu, "_"), 1000).slice(-150)
  // The conversion through bytes removes lone surrogates.
  return encodeURIComponent(Buffer.from(safe).toString()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
  )
}
