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
  type PromptResponse
} from "@agentclientprotocol/sdk"
import { warmUp } from "./ChartImage.ts"
import { DamagedSession, loadSession, newSession, saveSession } from "./SessionState.ts"
import { runTurn, type LiveSession } from "./Turn.ts"
import { replay, Voice } from "./Voice.ts"

/** The agent with its sessions. */
export interface HeddleAgent {
  readonly app: AgentApp
  /** Cancels every turn and waits until each has stored its session. */
  readonly stop: () => Promise<void>
}

interface Entry {
  readonly session: LiveSession
  readonly turns: Set<AbortController>
  tail: Promise<unknown>
}

/** Builds the agent; it answers as soon as the app is connected to a stream. */
export const heddleAgent = (version: string): HeddleAgent => {
  const sessions = new Map<string, Entry>()
  const open = (session: LiveSession): void => {
    sessions.set(session.state.sessionId, { session, turns: new Set(), tail: Promise.resolve() })
    warmUp()
  }
  const restore = async (sessionId: string, cwd: string): Promise<Entry> => {
    await checkFolder(cwd)
    const there = sessions.get(sessionId)
    if (there !== undefined && there.session.cwd === cwd) return there
    const state = await loadSession(cwd, sessionId).catch((error: unknown) => {
      if (error instanceof DamagedSession)
        throw new RequestError(
          -32603,
          "The stored session is damaged and cannot be loaded. Start a new session and send the data again.",
          { sessionId }
        )
      throw error
    })
    if (state === undefined) throw RequestError.sessionNotFound(sessionId)
    open({ state, cwd, data: undefined })
    return entryOf(sessionId)
  }
  const entryOf = (sessionId: string): Entry => {
    const entry = sessions.get(sessionId)
    if (entry === undefined) throw RequestError.sessionNotFound(sessionId)
    return entry
  }
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
    .onRequest(methods.agent.session.new, async ({ params }) => {
      await checkFolder(params.cwd)
      const state = newSession(randomUUID())
      await saveSession(params.cwd, state).catch((error: unknown) => {
        process.stderr.write(`cannot store the session: ${String(error)}\n`)
        throw new RequestError(-32603, "The working directory cannot be written, so no session can be kept in it.", {
          cwd: params.cwd
        })
      })
      open({ state, cwd: params.cwd, data: undefined })
      return { sessionId: state.sessionId }
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const { session } = await restore(params.sessionId, params.cwd)
      await replay(client, session.state, session.cwd)
      return {}
    })
    .onRequest(methods.agent.session.resume, async ({ params }) => {
      await restore(params.sessionId, params.cwd)
      return {}
    })
    .onRequest(methods.agent.session.close, async ({ params }) => {
      const entry = entryOf(params.sessionId)
      await stopEntry(entry)
      sessions.delete(params.sessionId)
      return {}
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      for (const turn of sessions.get(params.sessionId)?.turns ?? []) turn.abort()
    })
    .onRequest(methods.agent.session.prompt, ({ params, client, signal }) => {
      const entry = entryOf(params.sessionId)
      const controller = new AbortController()
      const abort = (): void => controller.abort()
      signal.addEventListener("abort", abort)
      entry.turns.add(controller)
      // Turns of one session run one after the other, in the order in which they were asked.
      const turn = entry.tail.then(() => promptTurn(entry.session, params.prompt, client, controller.signal))
      entry.tail = turn.catch(() => undefined)
      return turn.finally(() => {
        signal.removeEventListener("abort", abort)
        entry.turns.delete(controller)
      })
    })
  return { app, stop: async () => void (await Promise.all([...sessions.values()].map(stopEntry))) }
}

const promptTurn = async (
  session: LiveSession,
  prompt: Parameters<typeof runTurn>[1],
  client: AgentContext,
  signal: AbortSignal
): Promise<PromptResponse> => {
  if (signal.aborted) return { stopReason: "cancelled" }
  try {
    return { stopReason: await runTurn(session, prompt, new Voice(client, session.state, session.cwd, signal), signal) }
  } finally {
    await saveSession(session.cwd, session.state)
  }
}

const stopEntry = async (entry: Entry): Promise<void> => {
  for (const turn of entry.turns) turn.abort()
  await entry.tail
}

const checkFolder = async (cwd: string): Promise<void> => {
  if (!isAbsolute(cwd)) throw new RequestError(-32602, "cwd must be an absolute path.", { cwd })
  // Whatever the reason, a folder that cannot be looked at cannot be worked in.
  const info = await stat(cwd).catch(() => undefined)
  if (info === undefined || !info.isDirectory())
    throw new RequestError(-32602, "cwd is not a directory that I can open.", { cwd })
}
