import * as AcpSession from "@heddle/acp/AcpSession"
import * as Ticket from "@heddle/acp/Ticket"
import { TaskId } from "@heddle/core/domain/Task"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../../access/Accounts.ts"
import type { MessageBody } from "../../discord/MessageBody.ts"
import { tell } from "../../messages/Explain.ts"
import type { Messages } from "../../messages/Messages.ts"
import { type Thread, Threads } from "../../store/Threads.ts"
import { Turns } from "../../store/Turns.ts"
import { escapeCode, plain } from "../../text/Escape.ts"
import { oneLine } from "../../text/Truncate.ts"
import { remedy } from "../../turn/Failure.ts"
import { client } from "../../turn/session/AgentClient.ts"
import * as SessionHistory from "../../turn/session/history/SessionHistory.ts"
import * as Outputs from "../../turn/session/StepOutputs.ts"
import { reading } from "../artifacts/ArtifactOption.ts"
import { type Component, notConnected, say } from "../Command.ts"

/** `t1:<turn>`: the outputs of a turn's steps, which the session of the task keeps. */
export const StepOutputs: Component<Accounts | Threads | Turns> = {
  id: /^t1:\d{1,20}$/,
  answers: "privately",
  reads: true,
  action: reading,
  handle: Effect.fn("StepOutputs.handle")(function* ({ customId, reply }, messages) {
    const turnId = customId.slice("t1:".length)
    const turns = yield* Turns
    const thread = yield* (yield* Threads).find(reply.channelId)
    const turn = Option.filter(yield* turns.find(turnId), ({ threadId }) => threadId === reply.channelId)
    if (Option.isNone(thread) || Option.isNone(turn)) return Option.some(say(messages.buttonUnknown))
    const { baseline } = turn.value
    const gone = say(tell(messages, messages.stepOutputs.gone))
    if (baseline === undefined) return Option.some(gone)
    const { ownerId } = thread.value
    if (!(yield* (yield* Accounts).isConnected(ownerId)))
      return Option.some(say(notConnected(messages, ownerId, reply.userId)))
    const { after } = yield* turns.neighbors(turnId)
    return yield* readSession(thread.value).pipe(
      Effect.map((session) => {
        // Late output has a button of its own.
        const [from, until] = [baseline.alreadyShown?.outputs, after?.baseline?.alreadyShown?.outputs]
        const outputs = Outputs.of(SessionHistory.entriesOfEnded(session, baseline, after?.baseline)).slice(from, until)
        return Option.some(outputs.length === 0 ? gone : body(outputs, messages))
      }),
      Effect.catchAll((failure) => {
        const unreachable = tell(messages, messages.stepOutputs.unreachable)
        if (failure._tag === "TimeoutException") return Effect.succeedSome(say(unreachable))
        const found = remedy(failure, messages, ownerId, "perhapsSent")
        if (found._tag === "TryAgain") return Effect.succeedSome(say(unreachable))
        return Effect.succeedSome(
          say(found._tag === "Reconnect" ? notConnected(messages, ownerId, reply.userId) : found.text)
        )
      })
    )
  })
}

/** The session of a task as it is now, read on the account of its owner. */
const readSession = ({ ownerId, taskId }: Thread) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    return yield* accounts.use(ownerId, ({ taskReader }) =>
      Effect.gen(function* () {
        const id = TaskId.make(taskId)
        const ticket = yield* Ticket.fromChannel(taskReader.awaitChannel(id))
        const session = yield* AcpSession.open({ sessionId: id, ticket, ...client })
        return yield* session.state
      })
    )
  }).pipe(Effect.scoped, Effect.timeout("90 seconds"))

/** Few lines as text, more as a file. */
const body = (outputs: ReadonlyArray<Outputs.StepOutput>, { stepOutputs }: Messages): MessageBody => {
  const shown = outputs.every(({ text }) => isShort(text))
    ? outputs.map(({ text, title }) => `${plain(oneLine(title, 100))}\n\`\`\`\n${escapeCode(text)}\n\`\`\``).join("\n")
    : ""
  if (shown !== "" && shown.length <= maxShown) return { content: shown }
  const room = Math.floor(maxFile / outputs.length)
  const parts = outputs.map(({ text, title }) => {
    const omitted = Math.max(0, text.length - room)
    const kept = omitted === 0 ? text : `${stepOutputs.omitted(omitted)}\n${text.slice(omitted)}`
    return `# ${oneLine(title, 200)}\n\n${kept}\n`
  })
  return {
    content: stepOutputs.file(outputs.length),
    files: [{ name: "outputs.txt", data: Buffer.from(parts.join("\n")) }]
  }
}

const isShort = (text: string): boolean => {
  const lines = text.split("\n")
  return lines.length <= 8 && lines.every((line) => line.length <= 120)
}

/** Below Discord's limit of a message. */
const maxShown = 1900

/** In characters of up to three bytes, so that every server takes the file. */
const maxFile = 2_500_000
