import * as AcpSession from "@heddle/acp/AcpSession"
import type * as Permission from "@heddle/acp/Permission"
import * as SessionState from "@heddle/acp/SessionState"
import type { Reply } from "@heddle/core/api/AssistantProtocol"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as FiberMap from "effect/FiberMap"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Agent from "./Agent.ts"
import type { AgentError } from "./AgentFailure.ts"
import * as Replies from "./Replies.ts"

/** The session of one application with its agent process. */
export interface AgentSession {
  /** The agent's own id of the session. */
  readonly sessionId: string
  /**
   * Sends a text to the agent and returns its reply; a failure becomes a reply, too. `isLost` when the process cannot
   * be used any more.
   */
  readonly prompt: (text: string, decide: Decide) => Effect.Effect<{ readonly reply: Reply; readonly isLost: boolean }>
}

/** Answers a permission request of the agent; interrupted when the agent withdraws the request. */
export type Decide = (permission: Permission.PermissionRequest) => Effect.Effect<Permission.Answer>

export interface Options {
  readonly agent: Agent.Agent
  /** The agent's id of the previous session. */
  readonly previous: string | undefined
  /** A turn without output of the agent for this long ends; the time in which a person is asked does not count. */
  readonly maxSilence: Duration.Duration
}

/** Starts the agent and opens its session, the previous one where the agent still has it; both end with the scope. */
export const open = Effect.fn("AgentSession.open")(function* ({
  agent,
  previous,
  maxSilence
}: Options): Effect.fn.Return<AgentSession, AgentError, Scope.Scope> {
  const { forgot: lostHistory, session, transport } = yield* openOrReopen(agent, previous)
  const permissions = yield* FiberMap.make<string>()
  const activity: Activity = { lastActivityAt: 0, decide: undefined }
  let reportsLostHistory = lostHistory
  yield* session.changes.pipe(
    Stream.runForEach((event) => {
      activity.lastActivityAt = performance.now()
      if (event._tag === "PermissionWithdrawn") return FiberMap.remove(permissions, event.permission.requestId)
      if (event._tag !== "PermissionRequested" || activity.decide === undefined) return Effect.void
      const { permission } = event
      return activity.decide(permission).pipe(
        Effect.flatMap((answer) => session.answerPermission(permission.requestId, answer)),
        // Another answer came first, or the turn has ended.
        Effect.catchAll((error) => Effect.logDebug("an answer came too late", error._tag)),
        FiberMap.run(permissions, permission.requestId)
      )
    }),
    Effect.forkScoped
  )
  return {
    sessionId: session.sessionId,
    prompt: Effect.fn("AgentSession.prompt")(function* (text, decide) {
      const messageCount = SessionState.messages(yield* session.state, "agent").length
      const replyText = Effect.map(session.state, (state) => textOf(state, messageCount))
      activity.lastActivityAt = performance.now()
      activity.decide = decide
      const prompting = session.prompt([{ type: "text", text }]).pipe(Agent.preferExit(transport), Effect.either)
      const result = yield* Effect.raceFirst(prompting, untilSilent(activity, permissions, maxSilence))
      if (result === "silent") return { reply: Replies.silent(yield* replyText, maxSilence), isLost: true }
      if (Either.isLeft(result))
        return {
          reply: Replies.failure(yield* replyText, result.left, Agent.nameOf(agent)),
          isLost: result.left._tag !== "RpcError"
        }
      const reply = Replies.answer(yield* replyText, result.right.stopReason, reportsLostHistory)
      reportsLostHistory = false
      return { reply, isLost: false }
    })
  }
})

/** The activity of the agent in a turn. */
interface Activity {
  /** The time of the agent's last output, in milliseconds of the monotonic clock. */
  lastActivityAt: number
  decide: Decide | undefined
}

/** Waits until the agent has sent nothing for this long. */
const untilSilent = (activity: Activity, permissions: FiberMap.FiberMap<string>, maxSilence: Duration.Duration) =>
  FiberMap.size(permissions).pipe(
    Effect.map((pendingCount) => {
      const now = performance.now()
      if (pendingCount > 0) activity.lastActivityAt = now
      return now - activity.lastActivityAt > Duration.toMillis(maxSilence)
    }),
    Effect.repeat({ schedule: Schedule.spaced("250 millis"), until: (isSilent) => isSilent }),
    Effect.as("silent" as const)
  )

/** The agent's messages after the first `messageCount` of them, as one text. */
const textOf = (state: SessionState.SessionState, messageCount: number): string =>
  SessionState.messages(state, "agent")
    .slice(messageCount)
    .map(({ text }) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n")

const openOrReopen = Effect.fnUntraced(function* (agent: Agent.Agent, previous: string | undefined) {
  if (previous === undefined) return { ...(yield* connect(agent)), forgot: false }
  const reopened = yield* connect(agent, previous).pipe(
    // The agent no longer has the session, or cannot reopen sessions.
    Effect.catchIf(
      (error) => error._tag === "SessionNotFound" || error._tag === "RpcError" || error._tag === "InvalidAnswer",
      (error) => Effect.as(Effect.logInfo("the agent could not reopen its session", error.message), undefined)
    )
  )
  return reopened === undefined ? { ...(yield* connect(agent)), forgot: true } : { ...reopened, forgot: false }
})

/** Starts the agent and opens a session with it; a failure ends the agent at once. */
const connect = Effect.fnUntraced(function* (agent: Agent.Agent, sessionId?: string) {
  const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
  return yield* Effect.gen(function* () {
    const transport = yield* Agent.start(agent)
    const session = yield* AcpSession.make(transport, {
      cwd: agent.folder,
      clientInfo: Agent.clientInfo,
      openTimeout: Agent.startTimeout,
      // The approvals have a deadline of their own.
      permissionDeadline: "1 day",
      ...(sessionId === undefined ? {} : { sessionId, mustExist: true, resume: true, state: SessionState.empty })
    }).pipe(Agent.preferExit(transport))
    return { session, transport }
  }).pipe(
    Scope.extend(scope),
    Effect.onError(() => Scope.close(scope, Exit.void))
  )
})
