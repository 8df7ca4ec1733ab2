import { UnsupportedVersion, type AgentNotFound, type TransportError } from "@heddle/acp/AcpError"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Effect from "effect/Effect"
import { field, isRecord, stringField } from "../../internal/Json.ts"
import * as AgentFailure from "./AgentFailure.ts"
import type { SessionNotifications } from "./SessionNotifications.ts"

/** What the agent tells about itself and its session, as received. */
export interface Opened {
  readonly agentSessionId: string
  readonly agentInfo: unknown
  readonly sessionInfo: unknown
  /** The agent has lost what was said before. */
  readonly forgot: boolean
}

/** The session that the agent had before, and whether anything was said in it. */
export interface Previous {
  readonly agentSessionId: string | undefined
  readonly spoken: boolean
}

/** A freshly started agent, as its session is opened. */
export interface StartedAgent {
  readonly folder: string
  /** Calls the agent within the time that it has to start; `onReply` runs before what follows the reply is read. */
  readonly ask: (
    method: string,
    params: object,
    onReply?: () => void
  ) => Effect.Effect<unknown, AgentFailure.AgentFailure | TransportError | JsonRpc.RpcError>
  /** Words a failure for the person in the thread. */
  readonly failed: (
    error: TransportError | AgentNotFound | UnsupportedVersion | JsonRpc.RpcError
  ) => AgentFailure.AgentFailure
  readonly notifications: SessionNotifications
  readonly elicitation: boolean
}

/** Initializes an agent and opens its session: the previous one where the agent still has it, else a new one. */
export const open = (agent: StartedAgent, previous: Previous): Effect.Effect<Opened, AgentFailure.AgentFailure> =>
  Effect.gen(function* () {
    const agentInfo = yield* initialize(agent)
    const reopened = yield* reopen(agent, agentInfo, previous)
    return reopened ?? (yield* create(agent, agentInfo, previous))
  })

const initialize = Effect.fnUntraced(function* (agent: StartedAgent) {
  const { ask, elicitation, failed } = agent
  const agentInfo = yield* ask("initialize", {
    protocolVersion,
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      ...(elicitation ? { elicitation: { form: {} } } : {})
    },
    clientInfo: { name: "heddle-server", title: "Heddle", version: "1" }
  }).pipe(worded(agent))
  const answered = field(agentInfo, "protocolVersion")
  if (answered === protocolVersion) return agentInfo
  return yield* failed(new UnsupportedVersion({ offered: protocolVersion, answered }))
})

/** Reopens the previous session; undefined where the agent does not know it any more. */
const reopen = Effect.fnUntraced(function* (agent: StartedAgent, agentInfo: unknown, previous: Previous) {
  const { ask, folder, notifications } = agent
  const { agentSessionId, spoken } = previous
  if (agentSessionId === undefined) return undefined
  for (const method of reopenMethods(agentInfo)) {
    notifications.drop()
    const params = { cwd: folder, mcpServers: [], sessionId: agentSessionId }
    const reopened = yield* ask(method, params, () => notifications.open(agentSessionId)).pipe(
      Effect.map((sessionInfo) => ({ sessionInfo })),
      Effect.catchTag("RpcError", (error) =>
        Effect.as(Effect.logInfo(`the agent could not reopen its session by ${method}`, error.message), undefined)
      ),
      worded(agent)
    )
    if (reopened === undefined) continue
    // Some agents answer with success for a session that they never had; their replay is empty then.
    const forgot = spoken && method === "session/load" && notifications.dropped() === 0
    return { agentSessionId, agentInfo, sessionInfo: reopened.sessionInfo, forgot } satisfies Opened
  }
  return undefined
})

/** The methods by which an agent says that it can reopen a session. */
const reopenMethods = (agentInfo: unknown): ReadonlyArray<string> => {
  const capabilities = field(agentInfo, "agentCapabilities")
  return [
    ...(isRecord(field(field(capabilities, "sessionCapabilities"), "resume")) ? ["session/resume"] : []),
    ...(field(capabilities, "loadSession") === true ? ["session/load"] : [])
  ]
}

const create = Effect.fnUntraced(function* (agent: StartedAgent, agentInfo: unknown, { spoken }: Previous) {
  const { ask, failed, folder, notifications } = agent
  notifications.hold()
  const sessionInfo = yield* ask("session/new", { cwd: folder, mcpServers: [] }).pipe(worded(agent))
  const agentSessionId = stringField(sessionInfo, "sessionId")
  if (agentSessionId === undefined) {
    const message = "its answer names no session"
    return yield* failed(new JsonRpc.RpcError({ code: JsonRpc.ErrorCode.internalError, message }))
  }
  notifications.open(agentSessionId)
  return { agentSessionId, agentInfo, sessionInfo, forgot: spoken } satisfies Opened
})

const worded = ({ failed }: StartedAgent) =>
  Effect.mapError((error: TransportError | JsonRpc.RpcError | AgentFailure.AgentFailure) =>
    error._tag === "AgentFailure" ? error : failed(error)
  )

const protocolVersion = 1
