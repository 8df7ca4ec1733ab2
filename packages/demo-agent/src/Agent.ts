import { randomUUID } from "node:crypto"
import { stat } from "node:fs/promises"
import { isAbsolute } from "node:path"
import {
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type AgentContext,
  type PromptRequest,
  type PromptResponse
} from "@agentclientprotocol/sdk"
import { warmUp } from "./chart/ChartImage.ts"
import type { LiveSession } from "./session/LiveSession.ts"
import { newSession } from "./session/SessionState.ts"
import { DamagedSession, loadSession, saveSession } from "./session/SessionStore.ts"
import { replay } from "./session/SessionUpdates.ts"
import { SessionWriter } from "./session/SessionWriter.ts"
import { runTurn } from "./turn/Turn.ts"

/** The agent with its sessions. */
export interface DemoAgent {
  readonly app: AgentApp
  /** Cancels every turn and waits until each has stored its session. */
  readonly stop: () => Promise<void>
}

/** Builds the agent; it answers as soon as the app is connected to a stream. */
export const demoAgent = (version: string): DemoAgent => {
  const sessions: Sessions = new Map()
  const app = agent({ name: "heddle-agent" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "heddle-agent", title: "Heddle agent", version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true, image: false, audio: false },
        sessionCapabilities: { resume: {}, close: {} }
      },
      authMethods: []
    }))
    .onRequest(methods.agent.session.new, ({ params }) => createSession(sessions, params.cwd))
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const { live } = await restoreSession(sessions, params.sessionId, params.cwd)
      await replay(client, live.state, live.cwd)
      return {}
    })
    .onRequest(methods.agent.session.resume, async ({ params }) => {
      await restoreSession(sessions, params.sessionId, params.cwd)
      return {}
    })
    .onRequest(methods.agent.session.close, async ({ params }) => {
      await stopTurns(sessionOf(sessions, params.sessionId))
      sessions.delete(params.sessionId)
      return {}
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      for (const turn of sessions.get(params.sessionId)?.turnControllers ?? []) turn.abort()
    })
    .onRequest(methods.agent.session.prompt, ({ params, client, signal }) =>
      queueTurn(sessionOf(sessions, params.sessionId), params, client, signal)
    )
  return { app, stop: async () => void (await Promise.all([...sessions.values()].map(stopTurns))) }
}

/** A session with the turns that run or wait in it. */
interface OpenSession {
  readonly live: LiveSession
  readonly turnControllers: Set<AbortController>
  /** Settles when the newest turn has ended. */
  lastTurn: Promise<unknown>
}

type Sessions = Map<string, OpenSession>

const sessionOf = (sessions: Sessions, sessionId: string): OpenSession => {
  const session = sessions.get(sessionId)
  if (session === undefined) throw RequestError.sessionNotFound(sessionId)
  return session
}

const addSession = (sessions: Sessions, live: LiveSession): OpenSession => {
  const session = { live, turnControllers: new Set<AbortController>(), lastTurn: Promise.resolve() }
  sessions.set(live.state.sessionId, session)
  warmUp()
  return session
}

const createSession = async (sessions: Sessions, cwd: string): Promise<{ readonly sessionId: string }> => {
  await checkFolder(cwd)
  const state = newSession(randomUUID())
  await saveSession(cwd, state).catch((error: unknown) => {
    process.stderr.write(`cannot store the session: ${String(error)}\n`)
    const message = "The working directory cannot be written, so no session can be kept in it."
    throw new RequestError(INTERNAL_ERROR, message, { cwd })
  })
  addSession(sessions, { state, cwd, data: undefined })
  return { sessionId: state.sessionId }
}

const restoreSession = async (sessions: Sessions, sessionId: string, cwd: string): Promise<OpenSession> => {
  await checkFolder(cwd)
  const openSession = sessions.get(sessionId)
  if (openSession !== undefined && openSession.live.cwd === cwd) return openSession
  const state = await loadSession(cwd, sessionId).catch((error: unknown) => {
    if (!(error instanceof DamagedSession)) throw error
    const message = "The stored session is damaged and cannot be loaded. Start a new session and send the data again."
    throw new RequestError(INTERNAL_ERROR, message, { sessionId })
  })
  if (state === undefined) throw RequestError.sessionNotFound(sessionId)
  return addSession(sessions, { state, cwd, data: undefined })
}

/** Runs a turn after the earlier ones of its session. */
const queueTurn = (
  session: OpenSession,
  { prompt }: PromptRequest,
  client: AgentContext,
  requestSignal: AbortSignal
): Promise<PromptResponse> => {
  const controller = new AbortController()
  session.turnControllers.add(controller)
  const signal = AbortSignal.any([requestSignal, controller.signal])
  const turn = session.lastTurn.then(() => promptTurn(session.live, prompt, client, signal))
  session.lastTurn = turn.catch(() => undefined)
  return turn.finally(() => session.turnControllers.delete(controller))
}

const promptTurn = async (
  live: LiveSession,
  prompt: PromptRequest["prompt"],
  client: AgentContext,
  signal: AbortSignal
): Promise<PromptResponse> => {
  try {
    const { isFree, stopReason } = await runTurn(live, prompt, new SessionWriter(client, live.state, live.cwd, signal))
    return { stopReason, ...(isFree ? { _meta: { "heddle/free": true } } : {}) }
  } finally {
    await saveSession(live.cwd, live.state)
  }
}

const stopTurns = async (session: OpenSession): Promise<void> => {
  for (const turn of session.turnControllers) turn.abort()
  await session.lastTurn
}

const checkFolder = async (cwd: string): Promise<void> => {
  if (!isAbsolute(cwd)) throw new RequestError(INVALID_PARAMS, "cwd must be an absolute path.", { cwd })
  // Any error of `stat` means that the folder cannot be used.
  const info = await stat(cwd).catch(() => undefined)
  if (info === undefined || !info.isDirectory())
    throw new RequestError(INVALID_PARAMS, "cwd is not a directory that I can open.", { cwd })
}

const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603
