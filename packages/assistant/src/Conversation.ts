import * as Permission from "@heddle/acp/Permission"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Update from "@heddle/acp/schema/Update"
import * as SessionFold from "@heddle/acp/SessionFold"
import * as SessionState from "@heddle/acp/SessionState"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import * as AgentHost from "./AgentHost.ts"
import { stringField } from "./internal/Json.ts"
import type { Agent } from "./Agent.ts"
import * as AgentWords from "./AgentWords.ts"
import type { Reply } from "@heddle/core/api/AssistantProtocol"

/** The session of one application with its agent. */
export interface Conversation {
  /** Has the agent answer a text; whatever goes wrong is an answer that says so. `broken` when no agent could be had. */
  readonly turn: (text: string) => Effect.Effect<{ readonly reply: Reply; readonly broken: boolean }>
  /** Ends the agent; the next turn starts it again. */
  readonly rest: Effect.Effect<void>
}

export interface Options {
  readonly agent: Agent
  /** The agent's own id of the session that it had before. */
  readonly previous: string | undefined
  readonly onSession: (agentSessionId: string) => void
  readonly onPermission: (permission: Permission.PermissionRequest) => Effect.Effect<Permission.Answer>
  /** A turn without any sign of the agent for this long is ended; while a person is asked the clock stands. */
  readonly silence: Duration.DurationInput
}

/** Opens the conversation; the agent is started by its first turn and ends with the scope. */
export const make = Effect.fn("Conversation.make")(function* (
  options: Options
): Effect.fn.Return<Conversation, never, Scope.Scope> {
  const { agent, onPermission, onSession, previous } = options
  let fold = SessionFold.make(SessionState.empty)
  let lastSign = 0
  let asking = 0
  let forgot = false

  const ask = (params: unknown) => {
    const permission = Permission.fromParams(randomUUID(), params)
    if (permission === undefined) {
      return Effect.fail(new JsonRpc.RpcError({ code: JsonRpc.ErrorCode.invalidParams, message: "Invalid params" }))
    }
    asking += 1
    return onPermission(permission).pipe(
      Effect.map((answer) => Permission.toResult(permission, answer)),
      Effect.ensuring(
        Effect.map(Clock.currentTimeMillis, (now) => {
          asking -= 1
          lastSign = now
        })
      )
    )
  }

  const host = yield* AgentHost.make(
    {
      command: agent.command,
      environment: agent.environment,
      folder: agent.folder,
      options: agent.options,
      previous: { agentSessionId: previous, spoken: previous !== undefined }
    },
    {
      onNotification: (method, params) => {
        lastSign = Date.now()
        const notification = method === "session/update" ? Update.decode(params) : undefined
        if (notification !== undefined) fold.apply(notification.update)
      },
      onPermission: ask,
      onOpened: (opened) => {
        forgot = opened.forgot
        onSession(opened.agentSessionId)
      }
    }
  )

  const silence = Duration.decode(options.silence)
  const untilSilent = Clock.currentTimeMillis.pipe(
    Effect.repeat({
      schedule: Schedule.spaced("250 millis"),
      until: (now) => {
        if (asking > 0) lastSign = now
        return now - lastSign > Duration.toMillis(silence)
      }
    })
  )

  const said = () =>
    SessionState.messages(fold.state(), "agent")
      .map(({ text }) => text.trim())
      .filter((text) => text !== "")
      .join("\n\n")

  return {
    turn: Effect.fn("Conversation.turn")(function* (text) {
      fold = SessionFold.make(SessionState.empty)
      lastSign = yield* Clock.currentTimeMillis
      forgot = false
      const ended = host.call("session/prompt", { prompt: [{ type: "text", text }] }).pipe(
        Effect.map((result) => ({ reply: AgentWords.answer(said(), stringField(result, "stopReason"), forgot) })),
        Effect.catchAll((failure) => Effect.succeed({ reply: AgentWords.failure(said(), failure), failure }))
      )
      const outcome = yield* Effect.raceFirst(ended, Effect.as(untilSilent, undefined))
      if (outcome === undefined) {
        yield* host.stop
        return { reply: AgentWords.silent(said(), silence), broken: false }
      }
      const failed = "failure" in outcome && outcome.failure._tag === "AgentFailure"
      const broken = failed && (yield* Effect.isFailure(host.ready))
      return { reply: outcome.reply, broken }
    }),
    rest: host.stop
  }
})
