import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Accounts } from "../../access/Accounts.ts"
import type { Connect } from "../../account/Connect.ts"
import { invite } from "../../account/Invitation.ts"
import { tell } from "../../messages/Explain.ts"
import { byteLimit } from "../../turn/prompt/Attachments.ts"
import { Requests } from "../../store/Requests.ts"
import { withAuthor } from "../../turn/prompt/Prompt.ts"
import * as TaskStart from "../../intake/TaskStart.ts"
import { formatBytes } from "../../text/Format.ts"
import { oneLine } from "../../text/Truncate.ts"
import { type MenuCommand, say, startTask } from "../Command.ts"

/** The message menu's command: starts a task with the message, on the account of the person who chose it. */
export const StartWithMessage: MenuCommand<Accounts | Connect | Requests | TaskStart.Requirements> = {
  name: ({ commands }) => commands.startWithMessage,
  answers: "onceStored",
  action: ({ reply }) => Effect.succeed(startTask(reply)),
  handle: Effect.fn("StartWithMessage.handle")(function* ({ message, opensThread, reply }, messages, acknowledge) {
    const content = message.content.trim()
    if (content === "" && message.attachments.length === 0) return Option.some(say(messages.promptNeeded))
    const large = message.attachments.find((file) => file.size > byteLimit)
    if (large !== undefined) {
      return Option.some(say(tell(messages, messages.failures.attachmentTooLarge(large.name, formatBytes(large.size)))))
    }
    const accounts = yield* Accounts
    const connected = yield* accounts.isConnected(reply.userId)
    if (!connected) yield* acknowledge
    const prompt = content === "" ? messages.lookAtFiles : content
    yield* (yield* Requests).add(
      {
        requestId: reply.id,
        guildId: reply.guildId ?? "",
        channelId: reply.parentId ?? reply.channelId,
        userId: reply.userId,
        openId: yield* accounts.openIdOf(reply.userId),
        replyToken: Redacted.make(reply.token),
        locale: reply.locale,
        prompt: withAuthor({ ...message, content: prompt }, message.authorId !== reply.userId),
        name: oneLine(prompt, 90),
        attachments: message.attachments,
        state: connected ? "starting" : "waiting",
        acknowledged: !connected,
        messageId: opensThread ? message.id : undefined,
        threadId: undefined
      },
      yield* Clock.currentTimeMillis
    )
    if (connected) {
      yield* TaskStart.enqueue(reply.id, 1)
      return Option.none()
    }
    return Option.some(yield* invite(reply, messages, messages.connectFirst.text))
  })
}
