import { ApplicationCommandOptionType } from "../../discord/ApplicationCommands.ts"
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
import * as TaskStart from "../../intake/TaskStart.ts"
import { formatBytes } from "../../text/Format.ts"
import { type Command, say, startTask } from "../Command.ts"

/** `/task new`: stores the request and starts it, after a connection if the account needs one. */
export const TaskNew: Command<Accounts | Connect | Requests | TaskStart.Requirements> = {
  path: "task new",
  describe: ({ commands: { taskNew } }) => ({
    description: taskNew.description,
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: "prompt",
        description: taskNew.prompt,
        required: true,
        max_length: 6000
      },
      { type: ApplicationCommandOptionType.Attachment, name: "file", description: taskNew.file },
      { type: ApplicationCommandOptionType.String, name: "name", description: taskNew.name, max_length: 100 }
    ]
  }),
  answers: "onceStored",
  action: ({ reply }) => Effect.succeed(startTask(reply)),
  handle: Effect.fn("TaskNew.handle")(function* (event, messages, acknowledge) {
    const { reply } = event
    const prompt = String(event.options["prompt"] ?? "").trim()
    const name = String(event.options["name"] ?? "").trim()
    if (prompt === "") return Option.some(say(messages.promptNeeded))
    const large = event.attachments.find((file) => file.size > byteLimit)
    if (large !== undefined) {
      return Option.some(say(tell(messages, messages.failures.attachmentTooLarge(large.name, formatBytes(large.size)))))
    }

    const requests = yield* Requests
    const accounts = yield* Accounts
    const connected = yield* accounts.isConnected(reply.userId)
    if (!connected) yield* acknowledge
    yield* requests.add(
      {
        requestId: reply.id,
        guildId: reply.guildId ?? "",
        // A thread cannot contain threads.
        channelId: reply.parentId ?? reply.channelId,
        userId: reply.userId,
        openId: yield* accounts.openIdOf(reply.userId),
        replyToken: Redacted.make(reply.token),
        locale: reply.locale,
        prompt,
        name: name === "" ? undefined : name,
        attachments: event.attachments,
        state: connected ? "starting" : "waiting",
        acknowledged: !connected,
        messageId: undefined,
        threadId: undefined
      },
      yield* Clock.currentTimeMillis
    )
    if (!connected) {
      return Option.some(yield* invite(reply, messages, messages.connectFirst.text))
    }
    yield* TaskStart.enqueue(reply.id, 1)
    return Option.none()
  })
}
