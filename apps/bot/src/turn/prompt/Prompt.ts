import type { AcpSession } from "@heddle/acp/AcpSession"
import type * as Wire from "@heddle/acp/schema/generated/AcpSchema"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Guard from "../../access/Guard.ts"
import * as RetrySchedules from "../../concurrency/RetrySchedules.ts"
import { Watchdog } from "../../concurrency/Watchdog.ts"
import { DiscordApi } from "../../discord/DiscordApi.ts"
import { DiscordClient } from "../../discord/DiscordClient.ts"
import { isGone } from "../../discord/DiscordError.ts"
import type { Attachment, IncomingMessage } from "../../discord/DiscordEvent.ts"
import type { Priority } from "../../discord/RateBudget.ts"
import { retryWhileUnavailable } from "../../discord/RetryPolicy.ts"
import { notSent } from "../../messages/Refused.ts"
import type { Action } from "../../model/Access.ts"
import { Inbox, type InboxEntry, type MessageText } from "../../store/Inbox.ts"
import { messagesFor } from "../../store/Languages.ts"
import { plain } from "../../text/Escape.ts"
import { formatBytes } from "../../text/Format.ts"
import { oneLine } from "../../text/Truncate.ts"
import type { OpenTurn } from "../OpenTurn.ts"
import * as Attachments from "./Attachments.ts"
import * as SessionPrompts from "../session/history/SessionPrompts.ts"

/** The text and files of a message for the task, without the mention of the bot. */
export const textOf = ({ attachments, content, place }: IncomingMessage): MessageText => ({
  attachments,
  content: place?.asksForTask === true ? place.prompt : content
})

/**
 * Reads a waiting message again when it may have changed while the gateway was away, or when its file URLs are old.
 * Returns whether the message changed.
 */
export const refresh = Effect.fn("Prompt.refresh")(function* (entry: InboxEntry, priority?: Priority) {
  if (entry.state !== "queued" || entry.first || entry.kind !== "message") return false
  const connectedSince = (yield* DiscordClient).connectedSince()
  const now = yield* Clock.currentTimeMillis
  const isCurrent = connectedSince !== undefined && entry.receivedAt >= connectedSince
  if (isCurrent && (entry.attachments.length === 0 || now - entry.receivedAt < fileUrlLifetimeMs)) return false
  const inbox = yield* Inbox
  // Wait for Discord: the author may have deleted or edited the message.
  return yield* retryWhileUnavailable((yield* DiscordApi).message(entry.threadId, entry.eventId, priority)).pipe(
    Effect.map(textOf),
    Effect.flatMap((text) => (isReadable(text) ? inbox.updateText(entry.eventId, text, entry) : Effect.succeed(false))),
    Effect.catchAll((error) =>
      isGone(error)
        ? inbox.remove(entry.eventId)
        : Effect.as(
            Effect.logInfo("A waiting message could not be read again; it is taken as it was", error.message),
            false
          )
    )
  )
})

type Prompted = Pick<OpenTurn, "entry" | "messages" | "thread" | "wasQueued">

/**
 * Makes the prompt of a message, and asks the policy whether its author may still say it: `refusal` is the reason why
 * not. The thread names the files that the agent does not take.
 */
export const prepare = Effect.fn("Prompt.prepare")(function* (turn: Prompted, session: Pick<AcpSession, "agent">) {
  const { entry, messages, thread } = turn
  const agent = yield* session.agent
  const hasSeveralAuthors = yield* (yield* Inbox).hasSeveralAuthors(thread.threadId)
  // An agent knows its commands only at the beginning of a prompt.
  const isShared = hasSeveralAuthors && !entry.first && entry.kind !== "command"
  const files = entry.attachments.length === 0 ? [] : yield* fetchFiles(turn)
  const { blocks, rejectedNames } = toBlocks(
    entry.content === "" ? "" : withAuthor(entry, isShared),
    files,
    agent.agentCapabilities?.promptCapabilities ?? {}
  )
  if (rejectedNames.length > 0) {
    const api = yield* DiscordApi
    const body = { content: messages.filesNotTaken(rejectedNames.map(plain).join(", ")) }
    const nonce = `f${entry.eventId}`.slice(0, 25)
    yield* Effect.ignoreLogged(retryWhileUnavailable(api.create(thread.threadId, body, { nonce })))
  }
  // The service or the owner's account may be unavailable for long, so the policy is asked only when the prompt can be
  // sent.
  yield* waitUntilConnected(session)
  // The key finds the prompt in the session's history later.
  return { blocks: SessionPrompts.withKey(blocks, entry.eventId), refusal: yield* refusalOf(turn) }
})

const fetchFiles = ({ entry, thread }: Prompted) =>
  Effect.flatMap(Watchdog, ({ during }) =>
    during(`Fetching the files of a message in thread ${thread.threadId}`, Attachments.fetchAll(entry.attachments))
  )

/** Waits until the session can take a prompt: only then does it give its agent. */
const waitUntilConnected = (session: Pick<AcpSession, "agent">) => Effect.asVoid(session.agent)

/** The prompt of a text and the files that the agent supports, and the names of the other files. */
export const toBlocks = (
  text: string,
  files: ReadonlyArray<readonly [Attachment, Uint8Array]>,
  agent: Wire.PromptCapabilities
): { readonly blocks: ReadonlyArray<Wire.ContentBlock>; readonly rejectedNames: ReadonlyArray<string> } => {
  const textParts = [text]
  const fileBlocks: Array<Wire.ContentBlock> = []
  const rejectedNames: Array<string> = []
  for (const [attachment, bytes] of files) {
    const content = decodeUtf8(bytes)
    const mimeType = attachment.contentType ?? (content === undefined ? "application/octet-stream" : "text/plain")
    const essence = mimeType.split(";")[0] ?? mimeType
    const uri = `attachment:///${encodeURIComponent(attachment.name)}`
    const data = () => Buffer.from(bytes).toString("base64")
    // Discord turns a long pasted text into this file.
    if (attachment.name === "message.txt" && content !== undefined) textParts.push(content)
    else if (mimeType.startsWith("image/") && agent.image === true) {
      fileBlocks.push({ type: "image", data: data(), mimeType: essence, uri })
    } else if (agent.embeddedContext === true) {
      fileBlocks.push({
        type: "resource",
        resource: content === undefined ? { uri, mimeType, blob: data() } : { uri, mimeType, text: content }
      })
    } else if (mimeType.startsWith("audio/") && agent.audio === true) {
      fileBlocks.push({ type: "audio", data: data(), mimeType: essence })
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
  const words = textParts.filter((part) => part.trim() !== "").join("\n\n")
  // A prompt is recognised in the history by its words and its key, which only text has.
  const prompt = words === "" && files.length > 0 ? attachedFiles(files) : words
  return {
    blocks: [...(prompt === "" ? [] : [{ type: "text" as const, text: prompt }]), ...fileBlocks],
    rejectedNames
  }
}

/** What a message of files only says to the agent. */
const attachedFiles = (files: ReadonlyArray<readonly [Attachment, Uint8Array]>): string =>
  `Attached: ${files.map(([{ name }]) => name).join(", ")}`

/** The text of a message as the agent gets it: with the name of its author where several people write. */
export const withAuthor = (
  { authorId, authorName, content }: Pick<InboxEntry, "authorId" | "authorName" | "content">,
  isShared: boolean
): string => {
  if (!isShared) return content
  const name = oneLine(authorName.replace(/[[\]]/g, ""), 80) || "Someone"
  return `[${name}, Discord user ${authorId}]\n${content}`
}

/**
 * Asks the policy whether the author of a message may still say it; undefined when they may. The author of a message that
 * waited may have left the server meanwhile: Discord does not report that, so it is asked.
 */
const refusalOf = Effect.fn("Prompt.refusalOf")(function* ({ entry, thread, wasQueued }: Prompted) {
  const { channelId, guildId } = thread
  // `TaskStart` asked before it created the task; a prompt that the service holds is handed over only here.
  const action: Action = entry.first ? { _tag: "StartTask", channelId, hidden: false } : { _tag: "Reply", task: thread }
  // Discord may be away for a moment; the message is not lost for that.
  const decision = yield* RetrySchedules.repeatWhile(
    Guard.askPolicyAgain(entry.authorId, guildId, action, wasQueued ? 0 : maxMemberAgeMs),
    (decision) => decision === "indeterminate",
    RetrySchedules.policyDecision
  )
  return decision === "allowed" ? undefined : notSent(yield* messagesFor(guildId), entry.authorId, decision, action)
})

/** How old an answer of Discord about a member may be, in milliseconds. */
const maxMemberAgeMs = 5000

/** Without the message content intent, Discord shows most messages as empty. */
const isReadable = ({ attachments, content }: MessageText): boolean => content.trim() !== "" || attachments.length > 0

/** Discord's file URLs work for about a day. */
const fileUrlLifetimeMs = 12 * 3_600_000

/** The length limit of a text file that is written into the prompt of an agent without file support. */
const maxInlineChars = 100_000

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
