import type * as Wire from "@heddle/acp/schema/generated/AcpSchema"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as RetrySchedules from "../../concurrency/RetrySchedules.ts"
import type { Attachment } from "../../discord/DiscordEvent.ts"
import { formatBytes } from "../../text/Format.ts"

/** The total size limit of the files of one message, in bytes. */
export const maxTotalBytes = 25 * 1024 * 1024

/** The length limit of a text file that is written into the prompt of an agent without file support. */
const maxInlineChars = 100_000

/** With this file, the files of one message exceed the limit; `size` is their total size in bytes. */
export class AttachmentTooLarge extends Data.TaggedError("AttachmentTooLarge")<{
  readonly name: string
  readonly size: number
}> {}

/** A file could not be fetched from Discord; its link may be too old. */
export class AttachmentUnreadable extends Data.TaggedError("AttachmentUnreadable")<{ readonly name: string }> {}

/** A prompt, and the names of the files that the agent does not support. */
export interface Prompt {
  readonly blocks: ReadonlyArray<Wire.ContentBlock>
  readonly rejectedNames: ReadonlyArray<string>
}

/** Makes a prompt from a message and the files that the agent supports. */
export const toPrompt = Effect.fn("Attachments.toPrompt")(function* (
  text: string,
  attachments: ReadonlyArray<Attachment>,
  agent: Wire.PromptCapabilities
) {
  const textParts = [text]
  const files: Array<Wire.ContentBlock> = []
  const rejectedNames: Array<string> = []
  let size = 0
  for (const { name, size: fileSize } of attachments) {
    size += fileSize
    if (size > maxTotalBytes) return yield* new AttachmentTooLarge({ name, size })
  }
  for (const [attachment, bytes] of yield* fetchAll(attachments)) {
    const content = decodeUtf8(bytes)
    const mimeType = attachment.contentType ?? (content === undefined ? "application/octet-stream" : "text/plain")
    const data = () => Buffer.from(bytes).toString("base64")
    // Discord turns a long pasted text into this file.
    if (attachment.name === "message.txt" && content !== undefined) textParts.push(content)
    else if (mimeType.startsWith("image/") && agent.image === true) {
      files.push({ type: "image", data: data(), mimeType: mimeType.split(";")[0] ?? mimeType })
    } else if (agent.embeddedContext === true) {
      const uri = `attachment:///${encodeURIComponent(attachment.name)}`
      files.push({
        type: "resource",
        resource: content === undefined ? { uri, mimeType, blob: data() } : { uri, mimeType, text: content }
      })
    } else if (content !== undefined && content.length <= maxInlineChars) {
      textParts.push(`The attached file "${attachment.name}":\n${toCodeBlock(content)}`)
    } else {
      rejectedNames.push(attachment.name)
      const about = `${mimeType}, ${formatBytes(attachment.size)}`
      textParts.push(
        `[The person attached the file "${attachment.name}" (${about}), which cannot be passed on to you.]`
      )
    }
  }
  const prompt = textParts.filter((part) => part.trim() !== "").join("\n\n")
  return {
    blocks: [...(prompt === "" ? [] : [{ type: "text" as const, text: prompt }]), ...files],
    rejectedNames
  } satisfies Prompt
})

/** Fetches files, a few at a time; fails when all together take longer than 60 seconds. */
const fetchAll = (attachments: ReadonlyArray<Attachment>) => {
  const pending = new Set(attachments)
  return Effect.forEach(
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
}

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

/** A code block whose fence is longer than any in the text. */
const toCodeBlock = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    // Not UTF-8: send it as bytes.
    return undefined
  }
}
