import * as AcpSession from "@heddle/acp/AcpSession"
import type * as Permission from "@heddle/acp/Permission"
import * as SessionState from "@heddle/acp/SessionState"
import type { Reply } from "@heddle/core/api/AssistantProtocol"
import * as Clock from "effect/Clock"
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
   * Has the agent answer a text; whatever goes wrong is a reply that says so. `lost` when the process is of no more
   * use.
   */
  readonly prompt: (text: string, decide: Decide) => Effect.Effect<{ readonly reply: Reply; readonly lost: boolean }>
}

/** Answers a permission request of the agent; interrupted when the agent withdraws the request. */
export type Decide = (permission: Permission.PermissionRequest) => Effect.Effect<Permission.Answer>

export interface Options {
  readonly agent: Agent.Agent
  /** The agent's own id of the session before. */
  readonly previous: string | undefined
  /** A turn without a sign of the agent for this long ends; the time in which a person is asked does not count. */
  readonly silence: Duration.Duration
}

/** Starts the agent and opens its session, the previous one where the agent still has it; both end with the scope. */
export const open = Effect.fn("AgentSession.open")(function* ({
  agent,
  previous,
  silence
}: Options): Effect.fn.Return<AgentSession, AgentError, Scope.Scope> {
  const { forgot, session, transport } = yield* openOrReopen(agent, previous)
  const permissions = yield* FiberMap.make<string>()
  const activity: Activity = { lastSign: 0, decide: undefined }
  let forgotten = forgot
  yield* session.changes.pipe(
    Stream.runForEach((event) => {
      activity.lastSign = Date.now()
      if (event._tag === "PermissionWithdrawn") return FiberMap.remove(permissions, event.permission.requestId)
      if (event._tag !== "PermissionRequested" || activity.decide === undefined) return Effect.void
      const { permission } = event
      return activity.decide(permission).pipe(
        Effect.flatMap((answer) => session.answerPermission(permission.requestId, answer)),
        // Another answer was quicker, or the turn is over.
        Effect.catchAll((error) => Effect.logDebug("an answer came too late", error._tag)),
        FiberMap.run(permissions, permission.requestId)
      )
    }),
    Effect.forkScoped
  )
  return {
    sessionId: session.sessionId,
    prompt: Effect.fn("AgentSession.prompt")(function* (text, decide) {
      const before = SessionState.messages(yield* session.state, "agent").length
      const said = Effect.map(session.state, (state) => textOf(state, before))
      activity.lastSign = yield* Clock.currentTimeMillis
      activity.decide = decide
      const end = session.prompt([{ type: "text", text }]).pipe(Agent.orExit(transport), Effect.either)
      const ended = yield* Effect.raceFirst(end, untilSilent(activity, permissions, silence))
      if (ended === "silent") return { reply: Replies.silent(yield* said, silence), lost: true }
      if (Either.isLeft(ended))
        return {
          reply: Replies.failure(yield* said, ended.left, Agent.nameOf(agent)),
          lost: ended.left._tag !== "RpcError"
        }
      const reply = Replies.answer(yield* said, ended.right.stopReason, forgotten)
      forgotten = false
      return { reply, lost: false }
    })
  }
})

/** What the agent does in a turn. */
interface Activity {
  /** When the agent was last heard, in epoch milliseconds. */
  lastSign: number
  decide: Decide | undefined
}

/** Waits until the agent gives no sign for this long. */
const untilSilent = (activity: Activity, permissions: FiberMap.FiberMap<string>, silence: Duration.Duration) =>
  Effect.all([Clock.currentTimeMillis, FiberMap.size(permissions)]).pipe(
    Effect.map(([now, asked]) => {
      if (asked > 0) activity.lastSign = now
      return now - activity.lastSign > Duration.toMillis(silence)
    }),
    Effect.repeat({ schedule: Schedule.spaced("250 millis"), until: (isSilent) => isSilent }),
    Effect.as("silent" as const)
  )

/** The agent's messages after the first `before` of them, as one text. */
const textOf = (state: SessionState.SessionState, before: number): string =>
  SessionState.messages(state, "agent")
    .slice(before)
    .map(({ text }) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n")

const openOrReopen = Effect.fnUntraced(function* (agent: Agent.Agent, previous: string | undefined) {
  if (previous === undefined) return { ...(yield* connect(agent)), forgot: false }
  const reopened = yield* connect(agent, previous).pipe(
    // The agent does not know the session any more, or cannot reopen any.
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
    }).pipe(Agent.orExit(transport))
    return { session, transport }
  }).pipe(
    Scope.extend(scope),
    Effect.onError(() => Scope.close(scope, Exit.void))
  )
})
