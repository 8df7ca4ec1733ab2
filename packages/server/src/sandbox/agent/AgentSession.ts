import { UnsupportedVersion, type AgentNotFound, type TransportError } from "@heddle/acp/AcpError"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Effect from "effect/Effect"
import { field, isRecord, stringField } from "../../internal/Json.ts"
import * as AgentFailure from "./AgentFailure.ts"
import * as AgentSignIn from "./AgentSignIn.ts"
import type { SessionNotifications } from "./SessionNotifications.ts"

/** An open session with the agent's responses as received. */
export interface OpenedSession {
  readonly agentSessionId: string
  readonly initializeResponse: unknown
  readonly sessionInfo: unknown
  /** The agent has lost the conversation of the previous session. */
  readonly lostHistory: boolean
}

/** The previous session of the agent, and whether it had a turn. */
export interface PreviousSession {
  readonly agentSessionId: string | undefined
  readonly hasHistory: boolean
}

/** A started agent without an open session. */
export interface StartedAgent {
  readonly folder: string
  readonly mcpServers: ReadonlyArray<unknown>
  /** Calls the agent within the start timeout; `onReply` runs before the next message is read. */
  readonly ask: (method: string, params: object, onReply?: () => void) => AgentSignIn.Call
  /** Its name for the person in the thread. */
  readonly name: string
  readonly credentials: AgentSignIn.Credentials
  /** Makes the failure for the person in the thread. */
  readonly toFailure: (
    error: TransportError | AgentNotFound | UnsupportedVersion | JsonRpc.RpcError
  ) => AgentFailure.AgentFailure
  readonly notifications: SessionNotifications
  readonly supportsElicitation: boolean
}

/**
 * Initializes an agent and opens the previous session where the agent still has it, else a new one. What the agent says
 * after that is held.
 */
export const open = (
  agent: StartedAgent,
  previous: PreviousSession
): Effect.Effect<OpenedSession, AgentFailure.AgentFailure> =>
  Effect.gen(function* () {
    const initializeResponse = yield* initialize(agent)
    const { ask, credentials, name } = agent
    const signedIn = yield* AgentSignIn.signedIn(name, initializeResponse, credentials, ask).pipe(mapToFailure(agent))
    const ready = { ...agent, signedIn, initializeResponse }
    return (yield* reopen(ready, previous)) ?? (yield* createSession(ready, previous))
  })

/** An initialized agent; `signedIn` makes a call again after a sign-in that it asks for. */
interface ReadyAgent extends StartedAgent {
  readonly initializeResponse: unknown
  readonly signedIn: (call: AgentSignIn.Call) => AgentSignIn.Call
}

const initialize = Effect.fnUntraced(function* (agent: StartedAgent) {
  const { ask, supportsElicitation, toFailure } = agent
  const initializeResponse = yield* ask("initialize", {
    protocolVersion,
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
      ...(supportsElicitation ? { elicitation: { form: {} } } : {})
    },
    clientInfo: { name: "heddle-server", title: "Heddle", version: "1" }
  }).pipe(mapToFailure(agent))
  const version = field(initializeResponse, "protocolVersion")
  if (version === protocolVersion) return initializeResponse
  return yield* toFailure(new UnsupportedVersion({ offered: protocolVersion, answered: version }))
})

/** Reopens the previous session; undefined where the agent no longer has it. */
const reopen = Effect.fnUntraced(function* (agent: ReadyAgent, previous: PreviousSession) {
  const { ask, folder, initializeResponse, mcpServers, notifications, signedIn } = agent
  const { agentSessionId, hasHistory } = previous
  if (agentSessionId === undefined) return undefined
  for (const method of reopenMethods(initializeResponse)) {
    const params = { cwd: folder, mcpServers, sessionId: agentSessionId }
    const isReplayed = method === "session/load"
    const call = Effect.suspend(() => {
      notifications.drop()
      return ask(method, params, isReplayed ? undefined : notifications.hold)
    })
    const reopened = yield* signedIn(call).pipe(
      Effect.map((sessionInfo) => ({ sessionInfo })),
      Effect.catchTag("RpcError", (error) =>
        Effect.as(Effect.logInfo(`the agent could not reopen its session by ${method}`, error.message), undefined)
      ),
      mapToFailure(agent)
    )
    if (reopened === undefined) continue
    if (isReplayed) yield* awaitEndOfHistory(notifications)
    // Some agents report success for a session that they never had; then the replay is empty.
    const lostHistory = hasHistory && isReplayed && notifications.dropped() === 0
    return {
      agentSessionId,
      initializeResponse,
      sessionInfo: reopened.sessionInfo,
      lostHistory
    } satisfies OpenedSession
  }
  return undefined
})

/** Waits until an agent sends no more of its history: some do so after their response. */
const awaitEndOfHistory = ({ dropped }: SessionNotifications) =>
  Effect.iterate(
    { before: -1, now: dropped() },
    {
      while: ({ before, now }) => now !== before,
      body: ({ now }) => Effect.map(Effect.sleep("250 millis"), () => ({ before: now, now: dropped() }))
    }
  ).pipe(Effect.timeoutOption("5 seconds"))

/** The methods that an agent supports to reopen a session. */
const reopenMethods = (initializeResponse: unknown): ReadonlyArray<string> => {
  const capabilities = field(initializeResponse, "agentCapabilities")
  return [
    ...(isRecord(field(field(capabilities, "sessionCapabilities"), "resume")) ? ["session/resume"] : []),
    ...(field(capabilities, "loadSession") === true ? ["session/load"] : [])
  ]
}

const createSession = Effect.fnUntraced(function* (agent: ReadyAgent, { hasHistory }: PreviousSession) {
  const { ask, folder, initializeResponse, mcpServers, notifications, signedIn, toFailure } = agent
  notifications.hold()
  const sessionInfo = yield* signedIn(ask("session/new", { cwd: folder, mcpServers })).pipe(mapToFailure(agent))
  const agentSessionId = stringField(sessionInfo, "sessionId")
  if (agentSessionId === undefined) {
    const message = "its answer names no session"
    return yield* toFailure(new JsonRpc.RpcError({ code: JsonRpc.ErrorCode.internalError, message }))
  }
  return { agentSessionId, initializeResponse, sessionInfo, lostHistory: hasHistory } satisfies OpenedSession
})

const mapToFailure = ({ toFailure }: StartedAgent) =>
  Effect.mapError((error: TransportError | JsonRpc.RpcError | AgentFailure.AgentFailure) =>
    error._tag === "AgentFailure" ? error : toFailure(error)
  )

const protocolVersion = 1
