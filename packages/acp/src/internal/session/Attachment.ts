import * as Effect from "effect/Effect"
import type { AcpError } from "../../AcpError.ts"
import { SessionNotFound } from "../../AcpError.ts"
import type { Connection } from "../../Connection.ts"
import * as JsonRpc from "../../JsonRpc.ts"
import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { Options as SessionOptions } from "../../SessionOptions.ts"
import type { SessionState } from "../../SessionState.ts"
import * as Handshake from "./Handshake.ts"
import type { InboundRouter } from "./InboundRouter.ts"
import * as OlderModels from "./OlderModels.ts"
import * as Retries from "../Retries.ts"
import type { Attached, State } from "./SessionLife.ts"
import type { SessionStateRef } from "./SessionStateRef.ts"

/** What attaching needs of its session. */
export interface Options<E> {
  readonly session: SessionOptions<E>
  readonly extensionPrefix: string
  readonly connection: Effect.Effect<Connection>
  readonly router: InboundRouter
  readonly state: SessionStateRef
  readonly life: () => State
  /** A history was replayed. */
  readonly onHistory: (history: SessionState) => void
}

/** Takes the session up on a connection. */
export interface Attachment {
  /**
   * Initializes, then loads, resumes or begins the session. Repeats what surely did not arrive, and what the agent of an
   * open session refused. It is run once on each connection.
   */
  readonly attach: (connection: number) => Effect.Effect<Attached, AcpError>
}

/** Makes the attachment of one session. */
export const make = <E>(options: Options<E>): Attachment => {
  const { router, session, state } = options
  const cwd = session.cwd ?? "/"
  /** Whether the present connection has replayed the history. */
  let hasReplayed = false
  /** Whether that history held anything. */
  let repeats = false

  const loadOrResume = (capabilities: Wire.AgentCapabilities | undefined, load: Load) =>
    Effect.flatMap(options.connection, (connection) => replaying(connection, capabilities, load))

  const replaying = (
    connection: Connection,
    capabilities: Wire.AgentCapabilities | undefined,
    { resume, sessionId }: Load
  ) => {
    let isEmpty = false
    const mustExist = () => options.life().readies === 0 && session.mustExist === true
    return Handshake.loadOrResume(connection, capabilities, {
      sessionId,
      cwd,
      resume,
      // Without a response the replay goes on until the connection is replaced: a part of it is no live update.
      onSend: state.beginReplay,
      onReply: (replayed) => {
        const history = replayed ? state.finishReplay() : undefined
        state.dropReplay()
        if (history === undefined) return
        hasReplayed = true
        isEmpty = history.entries.length === 0
        repeats = !isEmpty
        options.onHistory(history)
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

  const initialize = Effect.flatMap(options.connection, (connection) =>
    Handshake.initialize(connection, {
      clientInfo: session.clientInfo,
      questions: session.questions === true,
      extensionPrefix: options.extensionPrefix
    })
  )

  const begin = Effect.flatMap(options.connection, (connection) =>
    Handshake.newSession(connection, cwd, router.setSessionId)
  )

  const attach = (connection: number) => {
    const isFirst = connection === 1
    let agent: Wire.InitializeResponse | undefined
    const attempt = Effect.gen(function* () {
      agent ??= yield* initialize
      const sessionId = router.sessionId()
      const { doubt, readies } = options.life()
      const isKnown = readies > 0 || session.state !== undefined
      const resume = session.resume === true && isKnown && doubt?.completeFrom === undefined
      const opened = yield* sessionId === undefined
        ? begin
        : loadOrResume(agent.agentCapabilities, { sessionId, resume })
      const { configOptions, modes } = opened
      const models = OlderModels.read(opened)
      if (models !== undefined) state.set(models)
      if (modes) state.set({ modes: modes.availableModes, mode: modes.currentModeId })
      if (configOptions) state.set({ configOptions })
      // A service that tells no capabilities may load all the same.
      return { agent, loads: hasReplayed || agent.agentCapabilities?.loadSession === true, repeats }
    })
    return Effect.suspend(() => {
      hasReplayed = false
      repeats = false
      return Effect.retry(attempt, { schedule: Retries.attach, while: mayRepeat(isFirst) })
    }).pipe(Effect.withSpan("AcpSession.attach"))
  }

  return { attach }
}

/** A session that was open outlives any outage: the transport knows when the channel is over. */
const mayRepeat = (isFirst: boolean) => {
  let errors = 0
  return (error: AcpError): boolean =>
    error._tag === "ConnectionLost"
      ? !error.sent && (!isFirst || ++errors <= 5)
      : !isFirst && error._tag === "RpcError" && ++errors <= 5
}

interface Load {
  readonly sessionId: string
  readonly resume: boolean
}
