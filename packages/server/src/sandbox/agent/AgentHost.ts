import * as Connection from "@heddle/acp/Connection"
import type * as JsonRpc from "@heddle/acp/JsonRpc"
import * as StdioTransport from "@heddle/acp/node/StdioTransport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import * as Path from "node:path"
import * as AgentFailure from "./AgentFailure.ts"
import { isRecord } from "../../internal/Json.ts"
import * as AgentSession from "./AgentSession.ts"
import * as AgentSignIn from "./AgentSignIn.ts"
import * as InvalidOutput from "./InvalidOutput.ts"
import type { Isolation } from "./Isolation.ts"
import * as Leftovers from "./Leftovers.ts"
import * as RefusedKey from "./RefusedKey.ts"
import * as Redaction from "./Redaction.ts"
import * as ReportedError from "./ReportedError.ts"
import * as SessionNotifications from "./SessionNotifications.ts"
import type { Options } from "../../config/SandboxOptions.ts"

/** The callbacks for an agent's output; they run synchronously and in order. */
export interface Listener {
  readonly onNotification: (method: string, params: Readonly<Record<string, unknown>>) => void
  /** A permission request: the effect returns the result; it is interrupted when the agent withdraws the request. */
  readonly onPermission: (params: Readonly<Record<string, unknown>>) => Effect.Effect<unknown, JsonRpc.RpcError>
  /**
   * An `elicitation/create`, likewise; undefined for an unsupported kind. Without this callback the agent does not get
   * the capability.
   */
  readonly onElicitation?: (
    params: Readonly<Record<string, unknown>>
  ) => Effect.Effect<unknown, JsonRpc.RpcError> | undefined
  readonly onOpened: (opened: AgentSession.OpenedSession) => void
}

/** The agent process of a sandbox, started on demand. */
export interface AgentHost {
  /** Starts the agent and opens its session where necessary. */
  readonly ready: Effect.Effect<AgentSession.OpenedSession, AgentFailure.AgentFailure>
  /** Calls the agent in its session and starts it where necessary; `onSend` runs right before the request is sent. */
  readonly call: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    onSend?: () => void
  ) => Effect.Effect<unknown, AgentFailure.AgentFailure | JsonRpc.RpcError>
  /** The MCP servers that the agent gets when its session opens the next time. */
  readonly setMcpServers: (servers: ReadonlyArray<unknown>) => void
  readonly isRunning: () => boolean
  /** Sends `session/cancel` to a running agent. */
  readonly cancel: Effect.Effect<void>
  /** Ends the agent and the processes that it started. */
  readonly stop: Effect.Effect<void>
}

/** How an agent of one sandbox is started. */
export interface AgentSettings {
  /** How people and the operator name it; the name of its program where the operator gives it none. */
  readonly name?: string | undefined
  readonly command: ReadonlyArray<string>
  /** Names of environment variables that the agent gets besides PATH, LANG, HOME and TMPDIR. */
  readonly environment: ReadonlyArray<string>
  /** The method of the agent's `authMethods` that the operator names. */
  readonly signIn?: string | undefined
  /** The whole environment instead, for an agent that works for the person who started it. */
  readonly wholeEnvironment?: Readonly<Record<string, string>>
  /** The task's folder: working directory and HOME of the agent. */
  readonly folder: string
  readonly options: Options
  readonly isolation: Isolation
  /** Waits until the agent may start; it runs until the scope closes. */
  readonly place?: Effect.Effect<void, AgentFailure.AgentFailure, Scope.Scope>
  /** Runs as long as an agent runs. */
  readonly whileRunning: Effect.Effect<void, never, Scope.Scope>
  readonly previous: AgentSession.PreviousSession
}

/** The host of an agent that cannot be started. */
export const unavailable = (failure: AgentFailure.AgentFailure): AgentHost => ({
  ready: Effect.fail(failure),
  call: () => Effect.fail(failure),
  setMcpServers: () => undefined,
  isRunning: () => false,
  cancel: Effect.void,
  stop: Effect.void
})

/** Makes the host of one sandbox's agent; closing the scope ends the agent. */
export const make = Effect.fn("AgentHost.make")(function* (
  settings: AgentSettings,
  listener: Listener
): Effect.fn.Return<AgentHost, never, Scope.Scope> {
  const redaction = redactionOf(settings)
  const refusedKey = RefusedKey.make()
  const reportedError = ReportedError.make()
  const onNotification: Listener["onNotification"] = (notified, params) => {
    refusedKey.note(params)
    if (!reportedError.note(params)) listener.onNotification(notified, params)
  }
  const agent = yield* makeProcess(settings, { ...listener, onNotification }, redaction)
  const callError = toCallError(settings, redaction, refusedKey)

  return {
    ready: Effect.map(agent.running, ({ opened }) => opened),
    call: (method, params, onSend) =>
      Effect.gen(function* () {
        const { connection, forgetLastWords, opened } = yield* agent.running
        if (method === "session/prompt") {
          agent.update(({ session }) => ({ session: { ...session, hasHistory: true } }))
          refusedKey.clear()
          yield* forgetLastWords
        }
        onSend?.()
        return yield* reportedError
          .during(method, connection.request(method, { ...params, sessionId: opened.agentSessionId }))
          .pipe(Effect.mapError((error) => callError(method, opened, error)))
      }),
    setMcpServers: (mcpServers) => agent.update(() => ({ mcpServers })),
    isRunning: () => agent.current() !== undefined,
    cancel: Effect.suspend(() => {
      const current = agent.current()
      return current === undefined
        ? Effect.void
        : current.connection.notify("session/cancel", { sessionId: current.opened.agentSessionId })
    }).pipe(
      // An agent that has exited needs no cancellation: its turn fails by itself.
      Effect.catchAll((error) => Effect.logDebug("a cancellation did not reach the agent", error._tag))
    ),
    stop: agent.stop
  }
})

/** The error of a call as people may read it; a request to sign in names the key that the provider refused. */
const toCallError = (settings: AgentSettings, redaction: Redaction.Redaction, refusedKey: RefusedKey.RefusedKey) => {
  const name = nameOf(settings)
  return (method: string, { initializeResponse }: AgentSession.OpenedSession, cause: CallCause) => {
    const error = redaction.inError(cause)
    if (error._tag !== "RpcError") return AgentFailure.fromError(error, name, "working")
    if (method !== "session/prompt" || !AgentSignIn.isAskedBy(error)) return error
    const report = refusedKey.report()
    return AgentSignIn.refused(name, error, {
      methods: AgentSignIn.methodsOf(initializeResponse),
      credentials: credentialsOf(settings),
      report: report === undefined ? undefined : redaction.inText(report)
    })
  }
}

type CallCause = Effect.Effect.Error<ReturnType<Connection.Connection["request"]>>

/** Runs the agent's process: one start at a time, which all callers share, and another one after its end. */
const makeProcess = Effect.fnUntraced(function* (
  settings: AgentSettings,
  listener: Listener,
  redaction: Redaction.Redaction
) {
  const starting = yield* Effect.makeSemaphore(1)
  // Forked first, so that the agent ends after everything that joins the scope later, and no part sees it die.
  const parent = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
  let state: State = {
    session: settings.previous,
    current: undefined,
    lastFailure: undefined,
    isStopping: false,
    mcpServers: []
  }
  const update = (changes: (state: State) => Partial<State>) => {
    state = { ...state, ...changes(state) }
  }
  // A caller that waits for the end of the agent must not start another one.
  yield* Effect.addFinalizer(() => Effect.sync(() => update(() => ({ isStopping: true }))))

  const stopAgent = (running: Running, whenAlone = identity<Effect.Effect<void>>) =>
    Effect.suspend(() => {
      if (state.current === running) update(() => ({ current: undefined }))
      return whenAlone(Scope.close(running.scope, Exit.void))
    })

  const start = Effect.gen(function* () {
    if (state.isStopping) return yield* AgentFailure.fromStopping(nameOf(settings))
    const scope = yield* Scope.fork(parent, ExecutionStrategy.sequential)
    return yield* launch(settings, listener, redaction, state).pipe(
      Scope.extend(scope),
      Effect.map((launched): Running => ({ ...launched, scope })),
      Effect.onError(() => Scope.close(scope, Exit.void))
    )
  })

  const register = (started: Running) => {
    const { agentSessionId } = started.opened
    update(({ session }) => ({ current: started, session: { ...session, agentSessionId } }))
    listener.onOpened(started.opened)
    started.notifications.open(agentSessionId)
    return started.connection.closed.pipe(
      // The next agent starts when this one has left nothing behind.
      Effect.catchAll(() => stopAgent(started, starting.withPermits(1))),
      Effect.interruptible,
      Effect.forkIn(parent)
    )
  }

  const running = Effect.suspend(() => {
    const earlierFailure = state.lastFailure
    return starting.withPermits(1)(
      Effect.suspend(() => {
        const { current, lastFailure } = state
        if (current !== undefined) return Effect.succeed(current)
        // A start that failed while this caller waited counts for it, too.
        if (lastFailure !== undefined && lastFailure !== earlierFailure) return Effect.fail(lastFailure.error)
        // An interruption between start and registration must not leak an agent.
        return Effect.uninterruptibleMask((restore) => Effect.tap(restore(start), register)).pipe(
          Effect.tapError((error) => Effect.sync(() => update(() => ({ lastFailure: { error } }))))
        )
      })
    )
  })

  return {
    running,
    current: () => state.current,
    update,
    stop: starting.withPermits(1)(
      Effect.suspend(() => (state.current === undefined ? Effect.void : stopAgent(state.current)))
    )
  }
})

interface State {
  /** The session that the next start loads. */
  readonly session: AgentSession.PreviousSession
  readonly current: Running | undefined
  /** The last failed start. */
  readonly lastFailure: { readonly error: AgentFailure.AgentFailure } | undefined
  readonly isStopping: boolean
  readonly mcpServers: ReadonlyArray<unknown>
}

interface Launched {
  readonly forgetLastWords: Effect.Effect<void>
  readonly connection: Connection.Connection
  readonly opened: AgentSession.OpenedSession
  readonly notifications: SessionNotifications.SessionNotifications
}

interface Running extends Launched {
  readonly scope: Scope.CloseableScope
}

const launch = Effect.fn("AgentHost.launch")(function* (
  settings: AgentSettings,
  listener: Listener,
  redaction: Redaction.Redaction,
  { mcpServers, session }: State
) {
  const { command, folder, isolation, options, place, whileRunning, wholeEnvironment } = settings
  const runtime = yield* Effect.runtime()
  const name = nameOf(settings)
  const toFailure: AgentSession.StartedAgent["toFailure"] = (error) =>
    AgentFailure.fromError(redaction.inError(error), name, "starting")
  const env = wholeEnvironment ?? environmentOf(folder, settings.environment)
  const [program = "", ...args] = isolation.command(command, { folder, path: env["PATH"] ?? "" })
  // Before the transport, so that it runs after the process has ended.
  if (wholeEnvironment === undefined) yield* Effect.addFinalizer(() => Leftovers.remove(folder))
  if (place !== undefined) yield* place
  const transport = yield* StdioTransport.make({
    command: program,
    args,
    cwd: folder,
    env,
    closeGrace: options.agentClose
  }).pipe(Effect.mapError(toFailure))

  yield* whileRunning

  const invalidOutput = yield* InvalidOutput.make(name, options.agentRubbish)
  const notifications = SessionNotifications.make(listener.onNotification)
  const connection = yield* Connection.make(transport, {
    onNotification: notifications.receive,
    onRequest: ({ method, params }) => {
      if (!isRecord(params)) return undefined
      if (method === "session/request_permission") return listener.onPermission(params)
      return method === "elicitation/create" ? listener.onElicitation?.(params) : undefined
    },
    onMessage: invalidOutput.onValid,
    onSkipped: ({ reason, sample }) => {
      if (!invalidOutput.onInvalid(redaction.inText(sample))) return
      Runtime.runFork(runtime)(Effect.logWarning("the agent sent what cannot be taken; it is left out", reason))
    }
  })

  const ask: AgentSession.StartedAgent["ask"] = (method, params, onReply) =>
    connection.request(method, params, onReply === undefined ? {} : { onReply }).pipe(
      // The exit of the program explains more than the lost connection.
      Effect.catchTag("ConnectionLost", (lost) =>
        Effect.timeoutOption(transport.exited, "1 second").pipe(
          Effect.flatMap((exited) => Effect.fail(exited._tag === "Some" ? exited.value : lost))
        )
      ),
      Effect.mapError(redaction.inError),
      Effect.timeoutFail({
        duration: options.agentStart,
        onTimeout: () =>
          AgentFailure.fromSilence(name, Duration.toSeconds(options.agentStart), method, invalidOutput.sample())
      }),
      Effect.raceFirst(invalidOutput.fail)
    )
  const supportsElicitation = listener.onElicitation !== undefined
  const opened = yield* AgentSession.open(
    {
      folder,
      mcpServers,
      ask,
      name,
      credentials: credentialsOf(settings),
      toFailure,
      notifications,
      supportsElicitation
    },
    session
  )
  return { connection, forgetLastWords: transport.forgetLastWords, opened, notifications } satisfies Launched
})

/**
 * The name of the agent in messages: the operator's, or its program and, for an interpreter, the script; without paths
 * and options.
 */
const nameOf = ({ command: [program = "", script = "-"], name }: AgentSettings): string =>
  name ?? [program, ...(script.startsWith("-") ? [] : [script])].map((part) => Path.basename(part)).join(" ")

/**
 * The environment of an agent: the basic variables and those that the operator names, never the service's secrets.
 */
const environmentOf = (folder: string, names: ReadonlyArray<string>): Record<string, string> => {
  const env: Record<string, string> = { HOME: folder, TMPDIR: `${folder}/.tmp` }
  for (const name of ["PATH", "LANG", ...names]) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  return env
}

/** The whole environment of a person's own agent is theirs, so nothing of it is taken out. */
const redactionOf = ({ environment, wholeEnvironment }: AgentSettings): Redaction.Redaction =>
  Redaction.make(
    wholeEnvironment === undefined ? Object.fromEntries(environment.map((name) => [name, process.env[name]])) : {}
  )

const credentialsOf = ({ environment, name, signIn, wholeEnvironment }: AgentSettings): AgentSignIn.Credentials => ({
  method: signIn,
  flagPrefix: name === undefined ? "" : `${name}:`,
  variables: new Set(
    (wholeEnvironment === undefined ? environment : Object.keys(wholeEnvironment)).filter(
      (name) => ((wholeEnvironment ?? process.env)[name] ?? "") !== ""
    )
  )
})
