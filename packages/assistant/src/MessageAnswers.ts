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

/** Answers messages with the agent. */
export interface MessageAnswers {
  /** Answers one message and sends the reply to the service. */
  readonly answer: (message: Message) => Effect.Effect<void, AssistantError>
  /** Why the agent cannot start, or null; tries a failed agent again. */
  readonly problem: Effect.Effect<string | null>
}

export interface Options {
  readonly agent: Agent.Agent
  readonly maxSilence: Duration.DurationInput
  readonly approvals: Approvals
  readonly connection: ServiceConnection
  readonly stateFile: StateFile
}

/** An agent without a message for this long ends; the next message starts it again. */
const idleTimeToLive = "10 minutes"

/** Makes the answers; each application has its own agent process, which ends with the scope at the latest. */
export const make = Effect.fn("MessageAnswers.make")(function* ({
  agent,
  approvals,
  connection,
  maxSilence,
  stateFile
}: Options): Effect.fn.Return<MessageAnswers, never, Scope.Scope> {
  let problem: string | null = null
  const sessions = yield* RcMap.make({
    idleTimeToLive: idleTimeToLive,
    lookup: (applicationId: string) =>
      AgentSession.open({
        agent,
        previous: stateFile.session(applicationId),
        maxSilence: Duration.decode(maxSilence)
      }).pipe(Effect.tap(({ sessionId }) => Effect.sync(() => stateFile.rememberSession(applicationId, sessionId))))
  })

  /** Asks the agent, and checks whether a lost agent can start again. */
  const askAgent = Effect.fn("MessageAnswers.askAgent")(function* (message: Message) {
    const decide: AgentSession.Decide = (permission) => approvals.decide(message, permission)
    const { isLost, reply } = yield* RcMap.get(sessions, message.applicationId).pipe(
      Effect.flatMap((session) => session.prompt(message.text, decide)),
      Effect.catchAll((error) =>
        Effect.succeed({ reply: Replies.failure("", error, Agent.nameOf(agent)), isLost: true })
      ),
      Effect.scoped
    )
    problem = null
    if (isLost) {
      yield* RcMap.invalidate(sessions, message.applicationId)
      if (yield* Effect.isFailure(Agent.check(agent))) {
        problem = cannotStartProblem
        yield* connection.report(problem)
      }
    }
    return reply
  })

  return {
    answer: Effect.fn("MessageAnswers.answer")(function* (message) {
      // A stored reply from before a restart is sent again, so the agent does not run twice.
      const reply = stateFile.reply(message.messageId) ?? (yield* askAgent(message))
      stateFile.storeReply(message.messageId, reply)
      const path = `/messages/${message.messageId}/reply`
      // A refused reply must not block the next messages.
      if (!(yield* connection.send(path, reply))) yield* connection.send(path, Replies.refused)
      stateFile.dropReply(message.messageId)
    }),
    problem: Effect.gen(function* () {
      if (problem !== null && (yield* Effect.isSuccess(Agent.check(agent)))) problem = null
      return problem
    })
  }
})

const cannotStartProblem = "The local assistant is connected, but its agent cannot be started."
