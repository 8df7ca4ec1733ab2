import type * as Wire from "@heddle/acp/schema/generated/AcpSchema"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Attachment } from "../discord/DiscordEvent.ts"

/** The largest file that a task takes, in bytes. */
export const byteLimit = 25 * 1024 * 1024

/** A file cannot be given to the task. */
export class AttachmentTooLarge extends Data.TaggedError("AttachmentTooLarge")<{
  readonly name: string
  readonly size: number
}> {}

/** A file could not be fetched from Discord; its link may be too old. */
export class AttachmentUnreadable extends Data.TaggedError("AttachmentUnreadable")<{ readonly name: string }> {}

/** A prompt, and the names of the files that the agent cannot be given. */
export interface Prompt {
  readonly blocks: ReadonlyArray<Wire.ContentBlock>
  readonly left: ReadonlyArray<string>
}

/** Makes a prompt of a message and its files, as far as the agent takes them. */
export const toPrompt = Effect.fn("Attachments.toPrompt")(function* (
  text: string,
  attachments: ReadonlyArray<Attachment>,
  agent: Wire.PromptCapabilities
) {
  const words = [text]
  const files: Array<Wire.ContentBlock> = []
  const left: Array<string> = []
  for (const attachment of attachments) {
    const bytes = yield* fetchBytes(attachment)
    const content = asText(bytes)
    const mimeType = attachment.contentType ?? (content === undefined ? "application/octet-stream" : "text/plain")
    const data = () => Buffer.from(bytes).toString("base64")
    // Discord turns a long pasted text into this file.
    if (attachment.name === "message.txt" && content !== undefined) words.push(content)
    else if (mimeType.startsWith("image/") && agent.image === true) {
      files.push({ type: "image", data: data(), mimeType: mimeType.split(";")[0] ?? mimeType })
    } else if (agent.embeddedContext === true) {
      const uri = `attachment:///${encodeURIComponent(attachment.name)}`
      files.push({
        type: "resource",
        resource: content === undefined ? { uri, mimeType, blob: data() } : { uri, mimeType, text: content }
      })
    } else left.push(attachment.name)
  }
  for (const name of left) words.push(`[The person attached the file "${name}", which cannot be passed on to you.]`)
  const prompt = words.filter((part) => part.trim() !== "").join("\n\n")
  return { blocks: [...(prompt === "" ? [] : [{ type: "text" as const, text: prompt }]), ...files], left } satisfies Prompt
})

const fetchBytes = Effect.fnUntraced(function* ({ name, size, url }: Attachment) {
  if (size > byteLimit) return yield* new AttachmentTooLarge({ name, size })
  if (!isFetchable(url)) return yield* new AttachmentUnreadable({ name })
  return yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, { signal, redirect: "error" })
      if (!response.ok) throw new Error(`status ${response.status}`)
      return new Uint8Array(await response.arrayBuffer())
    },
    catch: () => new AttachmentUnreadable({ name })
  }).pipe(
    Effect.timeoutFail({ duration: "60 seconds", onTimeout: () => new AttachmentUnreadable({ name }) }),
    Effect.retry({ times: 2 })
  )
})

const isFetchable = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { hostname, protocol } = new URL(url)
  return protocol === "https:" || (protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname))
}

const asText = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    // Not UTF-8, so it travels as bytes.
    return undefined
  }
}
