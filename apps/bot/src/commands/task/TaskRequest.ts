import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Accounts } from "../../access/Accounts.ts"
import { invite } from "../../account/Invitation.ts"
import type { Attachment, ReplyTo } from "../../discord/DiscordEvent.ts"
import type { MessageBody } from "../../discord/MessageBody.ts"
import * as TaskStart from "../../intake/TaskStart.ts"
import { tell } from "../../messages/Explain.ts"
import type { Messages } from "../../messages/Messages.ts"
import { type Request, Requests } from "../../store/Requests.ts"
import { formatBytes } from "../../text/Format.ts"
import { maxTotalBytes } from "../../turn/prompt/Attachments.ts"
import { say } from "../Command.ts"

/** The fields of a request that its command supplies. */
export const requestOf = Effect.fnUntraced(function* (reply: ReplyTo) {
  return {
    requestId: reply.id,
    guildId: reply.guildId ?? "",
    // A thread cannot contain threads.
    channelId: reply.parentId ?? reply.channelId,
    userId: reply.userId,
    openId: yield* (yield* Accounts).openIdOf(reply.userId),
    replyToken: Redacted.make(reply.token),
    locale: reply.locale,
    messageId: undefined,
    threadId: undefined
  }
})

/** The refusal of files that are too large for a prompt; undefined when all fit. */
export const refuseLarge = (files: ReadonlyArray<Attachment>, messages: Messages): MessageBody | undefined => {
  const large = files.find((file) => file.size > maxTotalBytes)
  if (large === undefined) return undefined
  return say(tell(messages, messages.failures.attachmentTooLarge(large.name, formatBytes(large.size))))
}

/** Stores a request and starts it, after a connection if the account needs one. */
export const startOrConnect = Effect.fnUntraced(function* (
  reply: ReplyTo,
  messages: Messages,
  acknowledge: Effect.Effect<void>,
  task: Pick<Request, "attachments" | "messageId" | "name" | "prompt"> & { readonly agent?: string | undefined }
) {
  const connected = yield* (yield* Accounts).isConnected(reply.userId)
  if (!connected) yield* acknowledge
  const request = yield* requestOf(reply)
  const state = connected ? "starting" : "waiting"
  yield* (yield* Requests).add(
    { ...request, ...task, kind: "new", state, acknowledged: !connected },
    yield* Clock.currentTimeMillis
  )
  if (!connected) return Option.some(yield* invite(reply, messages, messages.connectFirst.text))
  yield* TaskStart.enqueue(reply.id, 1)
  return Option.none()
})
