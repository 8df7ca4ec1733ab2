import type { Message } from "@heddle/core/api/AssistantProtocol"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import * as Agent from "./Agent.ts"
import * as AgentSession from "./AgentSession.ts"
import type { Approvals } from "./Approvals.ts"
import type { AssistantError } from "./AssistantError.ts"
import * as Replies from "./Replies.ts"
import type { ServiceConnection } from "./ServiceConnection.ts"
import type { StateFile } from "./StateFile.ts"

/** Answers messages by the agent. */
export interface MessageAnswers {
  /** Answers one message and hands the reply to the service. */
  readonly answer: (message: Message) => Effect.Effect<void, AssistantError>
  /** Why the agent cannot be started, if so; an agent that could not be started is tried again. */
  readonly problem: Effect.Effect<string | null>
}

export interface Options {
  readonly agent: Agent.Agent
  readonly silence: Duration.DurationInput
  readonly approvals: Approvals
  readonly connection: ServiceConnection
  readonly stateFile: StateFile
}

/** An agent without a message for this long is ended; the next message starts it again. */
const idleTime = "10 minutes"

/** Makes the answers; each application has an agent process of its own, which ends with the scope at the latest. */
export const make = Effect.fn("MessageAnswers.make")(function* ({
  agent,
  approvals,
  connection,
  silence,
  stateFile
}: Options): Effect.fn.Return<MessageAnswers, never, Scope.Scope> {
  let problem: string | null = null
  const sessions = yield* RcMap.make({
    idleTimeToLive: idleTime,
    lookup: (applicationId: string) =>
      AgentSession.open({
        agent,
        previous: stateFile.session(applicationId),
        silence: Duration.decode(silence)
      }).pipe(Effect.tap(({ sessionId }) => Effect.sync(() => stateFile.rememberSession(applicationId, sessionId))))
  })

  /** Asks the agent, and finds out whether an agent that was lost can be started again. */
  const ask = Effect.fn("MessageAnswers.ask")(function* (message: Message) {
    const decide: AgentSession.Decide = (permission) => approvals.decide(message, permission)
    const { lost, reply } = yield* RcMap.get(sessions, message.applicationId).pipe(
      Effect.flatMap((session) => session.prompt(message.text, decide)),
      Effect.catchAll((error) =>
        Effect.succeed({ reply: Replies.failure("", error, Agent.nameOf(agent)), lost: true })
      ),
      Effect.scoped
    )
    problem = null
    if (lost) {
      yield* RcMap.invalidate(sessions, message.applicationId)
      if (yield* Effect.isFailure(Agent.check(agent))) {
        problem = cannotStart
        yield* connection.report(problem)
      }
    }
    return reply
  })

  return {
    answer: Effect.fn("MessageAnswers.answer")(function* (message) {
      // A reply from before the program or the service went away is sent again, not made again.
      const reply = stateFile.reply(message.messageId) ?? (yield* ask(message))
      stateFile.keepReply(message.messageId, reply)
      const path = `/messages/${message.messageId}/reply`
      // A reply that the service refuses must not keep the messages behind it waiting.
      if (!(yield* connection.send(path, reply))) yield* connection.send(path, Replies.refused)
      stateFile.dropReply(message.messageId)
    }),
    problem: Effect.gen(function* () {
      if (problem !== null && (yield* Effect.isSuccess(Agent.check(agent)))) problem = null
      return problem
    })
  }
})

const cannotStart = "The local assistant is connected, but its agent cannot be started."
