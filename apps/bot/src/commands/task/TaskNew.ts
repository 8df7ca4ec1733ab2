import { ApplicationCommandOptionType } from "../../discord/ApplicationCommands.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Accounts } from "../../access/Accounts.ts"
import type { Connect } from "../../account/Connect.ts"
import type { Requests } from "../../store/Requests.ts"
import * as TaskAgent from "../../intake/TaskAgent.ts"
import * as TaskStart from "../../intake/TaskStart.ts"
import { type CommandHandler, asSuggestions, matching, say, startTask } from "../Command.ts"
import { refuseLarge, startOrConnect } from "./TaskRequest.ts"

/** `/task new`: stores the request and starts it, after a connection if the account needs one. */
export const TaskNew: CommandHandler<Accounts | Connect | Requests | TaskStart.Requirements> = {
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
      { type: ApplicationCommandOptionType.String, name: "name", description: taskNew.name, max_length: 100 },
      {
        type: ApplicationCommandOptionType.String,
        name: "agent",
        description: taskNew.agent,
        autocomplete: true,
        max_length: 100
      }
    ]
  }),
  suggest: {
    action: ({ reply }) => Effect.succeed(startTask(reply)),
    handle: Effect.fn("TaskNew.suggest")(function* ({ focused, reply }) {
      return matching(asSuggestions(yield* TaskAgent.offeredSoon(reply.userId)), focused.value)
    })
  },
  answers: "onceStored",
  action: ({ reply }) => Effect.succeed(startTask(reply)),
  handle: Effect.fn("TaskNew.handle")(function* (event, messages, acknowledge) {
    const { reply } = event
    const prompt = String(event.options["prompt"] ?? "").trim()
    const name = String(event.options["name"] ?? "").trim()
    const agent = String(event.options["agent"] ?? "").trim()
    if (prompt === "") return Option.some(say(messages.promptNeeded))
    const large = refuseLarge(event.attachments, messages)
    if (large !== undefined) return Option.some(large)
    return yield* startOrConnect(reply, messages, acknowledge, {
      prompt,
      name: name === "" ? undefined : name,
      agent: agent === "" ? undefined : agent,
      attachments: event.attachments,
      messageId: undefined
    })
  })
}
