import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as RetrySchedules from "../../concurrency/RetrySchedules.ts"
import type { Attachment } from "../../discord/DiscordEvent.ts"

/** The total size limit of the files of one message, in bytes. */
export const maxTotalBytes = 25 * 1024 * 1024

/** With this file, the files of one message exceed the limit; `size` is their total size in bytes. */
export class AttachmentTooLarge extends Data.TaggedError("AttachmentTooLarge")<{
  readonly name: string
  readonly size: number
}> {}

/** A file could not be fetched from Discord; its link may be too old. */
export class AttachmentUnreadable extends Data.TaggedError("AttachmentUnreadable")<{ readonly name: string }> {}

/** Fetches the files of a message, a few at a time; fails when they are too large or take longer than 60 seconds together. */
export const fetchAll = Effect.fn("Attachments.fetchAll")(function* (attachments: ReadonlyArray<Attachment>) {
  let size = 0
  for (const { name, size: fileSize } of attachments) {
    size += fileSize
    if (size > maxTotalBytes) return yield* new AttachmentTooLarge({ name, size })
  }
  const pending = new Set(attachments)
  return yield* Effect.forEach(
    attachments,
    (attachment) =>
      Effect.map(fetchBytes(attachment), (bytes) => {
        pending.delete(attachment)
        return [attachment, bytes] as const
      }),
    { concurrency: 4 }
  ).pipe(
    Effect.timeoutFail({
      duration: "60 seconds",
      onTimeout: () => new AttachmentUnreadable({ name: [...pending][0]?.name ?? "" })
    })
  )
})

const fetchBytes = Effect.fnUntraced(function* ({ name, url }: Attachment) {
  if (!isFetchable(url)) return yield* new AttachmentUnreadable({ name })
  return yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, { signal, redirect: "error" })
      if (!response.ok) throw new Error(`status ${response.status}`)
      return new Uint8Array(await response.arrayBuffer())
    },
    catch: () => new AttachmentUnreadable({ name })
  }).pipe(Effect.retry(RetrySchedules.attachment))
})

const isFetchable = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { hostname, protocol } = new URL(url)
  return protocol === "https:" || (protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname))
}
