import * as Effect from "effect/Effect"
import type { AcpError } from "../../AcpError.ts"
import { SessionNotFound } from "../../AcpError.ts"
import type { Connection } from "../../Connection.ts"
import type * as Extension from "../../Extension.ts"
import * as JsonRpc from "../../JsonRpc.ts"
import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { Options } from "../../SessionOptions.ts"
import type { SessionState } from "../../SessionState.ts"
import * as Handshake from "./Handshake.ts"
import type { InboundRouter } from "./InboundRouter.ts"
import * as OlderModels from "./OlderModels.ts"
import * as Retries from "../Retries.ts"
import type { Attached, State } from "./SessionLife.ts"
import type { SessionStateRef } from "./SessionStateRef.ts"

/** What attaching needs of its session. */
export interface Context<E> {
  readonly options: Options<E>
  readonly extensions: Extension.Registry<E>
  readonly connection: Connection
  readonly router: InboundRouter<E>
  readonly state: SessionStateRef
  life(): State
  /** A history was replayed. */
  onHistory(history: SessionState): void
}

/**
 * Takes the session up on a connection: initializes, then loads, resumes or begins it. Repeats what surely did not
 * arrive, and what the agent of an open session refused. It is run once on each connection.
 */
export const attach = <E>(context: Context<E>, connection: number): Effect.Effect<Attached, AcpError> =>
  Effect.suspend(() => {
    const replay: Replay = { isDone: false, isEmpty: true }
    let agent: Wire.InitializeResponse | undefined
    const attempt = Effect.gen(function* () {
      agent ??= yield* initialize(context)
      const opened = yield* open(context, agent, replay)
      const { configOptions, modes } = opened
      const { state } = context
      const models = OlderModels.read(opened)
      if (models !== undefined) state.set(models)
      if (modes) state.set({ modes: modes.availableModes, mode: modes.currentModeId })
      if (configOptions) state.set({ configOptions })
      // A service that tells no capabilities may load all the same.
      return {
        agent,
        loads: replay.isDone || agent.agentCapabilities?.loadSession === true,
        repeats: !replay.isEmpty
      }
    })
    return Effect.retry(attempt, { schedule: Retries.attach, while: mayRepeat(connection === 1) })
  }).pipe(Effect.withSpan("AcpSession.attach"))

const initialize = <E>({ connection, extensions, options }: Context<E>) =>
  Handshake.initialize(connection, {
    clientInfo: options.clientInfo,
    questions: options.questions === true,
    extensionPrefix: extensions.prefix
  })

/** Loads or resumes a session that has a name; begins another one. */
const open = <E>(context: Context<E>, { agentCapabilities }: Wire.InitializeResponse, replay: Replay) => {
  const { connection, options, router } = context
  const { sessionId } = router
  if (sessionId === undefined) {
    return Handshake.newSession(connection, options.cwd ?? "/", (id) => router.setSessionId(id))
  }
  return loadOrResume(context, agentCapabilities, sessionId, replay)
}

const loadOrResume = <E>(
  context: Context<E>,
  capabilities: Wire.AgentCapabilities | undefined,
  sessionId: string,
  replay: Replay
) => {
  const { connection, options, state } = context
  const { doubt, readies } = context.life()
  const isKnown = readies > 0 || options.state !== undefined
  let isEmpty = false
  const mustExist = () => context.life().readies === 0 && options.mustExist === true
  return Handshake.loadOrResume(connection, capabilities, {
    sessionId,
    cwd: options.cwd ?? "/",
    resume: options.resume === true && isKnown && doubt?.completeFrom === undefined,
    // Without a response the replay goes on until the connection is replaced: a part of it is no live update.
    onSend: () => state.beginReplay(),
    onReply: (replayed) => {
      const history = replayed ? state.finishReplay() : undefined
      state.dropReplay()
      if (history === undefined) return
      isEmpty = history.entries.length === 0
      replay.isDone = true
      replay.isEmpty = isEmpty
      context.onHistory(history)
    }
  }).pipe(
    Effect.filterOrFail(
      () => !(isEmpty && mustExist()),
      () => new SessionNotFound({ sessionId })
    ),
    Effect.mapError((error) =>
      error._tag === "RpcError" && error.code === JsonRpc.ErrorCode.resourceNotFound && mustExist()
        ? new SessionNotFound({ sessionId })
        : error
    )
  )
}

/** A session that was open outlives any outage: the transport knows when the channel is over. */
const mayRepeat = (isFirst: boolean) => {
  let errors = 0
  return (error: AcpError): boolean =>
    error._tag === "ConnectionLost"
      ? !error.sent && (!isFirst || ++errors <= 5)
      : !isFirst && error._tag === "RpcError" && ++errors <= 5
}

/** Whether the present connection has replayed the history, and whether that held nothing. */
interface Replay {
  isDone: boolean
  isEmpty: boolean
}
