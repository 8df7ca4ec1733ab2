import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Accounts } from "../../access/Accounts.ts"
import type { Connect } from "../../account/Connect.ts"
import type { Requests } from "../../store/Requests.ts"
import { withAuthor } from "../../turn/prompt/Prompt.ts"
import * as TaskStart from "../../intake/TaskStart.ts"
import { oneLine } from "../../text/Truncate.ts"
import { type MenuCommand, say, startTask } from "../Command.ts"
import { refuseLarge, startOrConnect } from "./TaskRequest.ts"

/** The message menu's command: starts a task with the message, on the account of the person who chose it. */
export const StartWithMessage: MenuCommand<Accounts | Connect | Requests | TaskStart.Requirements> = {
  name: ({ commands }) => commands.startWithMessage,
  answers: "onceStored",
  action: ({ reply }) => Effect.succeed(startTask(reply)),
  handle: Effect.fn("StartWithMessage.handle")(function* ({ message, opensThread, reply }, messages, acknowledge) {
    const content = message.content.trim()
    if (content === "" && message.attachments.length === 0) return Option.some(say(messages.promptNeeded))
    const large = refuseLarge(message.attachments, messages)
    if (large !== undefined) return Option.some(large)
    const prompt = content === "" ? messages.lookAtFiles : content
    return yield* startOrConnect(reply, messages, acknowledge, {
      prompt: withAuthor({ ...message, content: prompt }, message.authorId !== reply.userId),
      name: oneLine(prompt, 90),
      attachments: message.attachments,
      messageId: opensThread ? message.id : undefined
    })
  })
}
