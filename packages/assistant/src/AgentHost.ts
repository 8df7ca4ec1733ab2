import { UnsupportedVersion, type AgentNotFound, type TransportError } from "@heddle/acp/AcpError"
import * as Connection from "@heddle/acp/Connection"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as StdioTransport from "@heddle/acp/node/StdioTransport"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import * as Path from "node:path"
import * as AgentFailure from "./AgentFailure.ts"
import { field, isRecord, stringField } from "./internal/Json.ts"

/** What the agent tells about itself and its session, as received. */
export interface Opened {
  readonly agentSessionId: string
  readonly agentInfo: unknown
  readonly sessionInfo: unknown
  /** The agent has lost what was said before. */
  readonly forgot: boolean
}

/** How the owner of a sandbox hears the agent; callbacks run synchronously in the order of the agent's output. */
export interface Listener {
  readonly onNotification: (method: string, params: Readonly<Record<string, unknown>>) => void
  /** A permission request: the effect gives its answer and is interrupted when the agent withdraws the request. */
  readonly onPermission: (params: Readonly<Record<string, unknown>>) => Effect.Effect<unknown, JsonRpc.RpcError>
  /** An `elicitation/create`, likewise; undefined where it is none that can be shown. Agents are told whether this is there. */
  readonly onElicitation?: (
    params: Readonly<Record<string, unknown>>
  ) => Effect.Effect<unknown, JsonRpc.RpcError> | undefined
  readonly onOpened: (opened: Opened) => void
}

/** The one agent process of a sandbox, started when it is needed. */
export interface AgentHost {
  /** Starts the agent and opens its session unless that is done. */
  readonly ready: Effect.Effect<Opened, AgentFailure.AgentFailure>
  /** Calls the agent in its session, starting it when needed; `sent` runs right before the request goes out. */
  readonly call: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    sent?: () => void
  ) => Effect.Effect<unknown, AgentFailure.AgentFailure | JsonRpc.RpcError>
  /** Tells a running agent to end its turn. */
  readonly cancel: Effect.Effect<void>
  /** Ends the agent and all that it started. */
  readonly stop: Effect.Effect<void>
}

/** How long an agent may take. */
export interface Times {
  readonly agentStart: Duration.Duration
  readonly agentRubbish: Duration.Duration
  readonly agentClose: Duration.Duration
  readonly agentIdle: Duration.Duration
}

/** How an agent of one sandbox is started. */
export interface Settings {
  readonly command: ReadonlyArray<string>
  /** The whole environment of the agent. */
  readonly environment: Readonly<Record<string, string>>
  /** The task's folder: working directory and HOME of the agent. */
  readonly folder: string
  readonly options: Times
  /** The agent's own id of the session that it had before, and whether anything was said in it. */
  readonly previous: { readonly agentSessionId: string | undefined; readonly spoken: boolean }
}

/** Makes the host of one sandbox's agent; closing the scope ends the agent. */
export const make = Effect.fn("AgentHost.make")(function* (
  settings: Settings,
  listener: Listener
): Effect.fn.Return<AgentHost, never, Scope.Scope> {
  const name = nameOf(settings.command)
  const starting = yield* Effect.makeSemaphore(1)
  // Made now, so that the agent ends after everything that is added to the scope later: nobody sees it die then.
  const parent = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
  let { agentSessionId, spoken } = settings.previous
  let current: Running | undefined
  let stopping = false
  let failed: { readonly times: number; readonly last?: AgentFailure.AgentFailure } = { times: 0 }
  // Whoever waits for the agent when it is ended must not start another one on the way out.
  yield* Effect.addFinalizer(() => Effect.sync(() => void (stopping = true)))

  const end = (running: Running) =>
    Effect.suspend(() => {
      if (current === running) current = undefined
      return Scope.close(running.scope, Exit.void)
    })

  const start = Effect.gen(function* () {
    if (stopping) return yield* AgentFailure.stopping(name)
    const scope = yield* Scope.fork(parent, ExecutionStrategy.sequential)
    return yield* launch(settings, listener, { agentSessionId, spoken }).pipe(
      Scope.extend(scope),
      Effect.map((launched): Running => ({ ...launched, scope })),
      Effect.onError(() => Scope.close(scope, Exit.void))
    )
  })

  const running = Effect.suspend(() => {
    const { times } = failed
    return starting.withPermits(1)(
      Effect.suspend(() => {
        if (current !== undefined) return Effect.succeed(current)
        // A start that failed while this one waited for it has failed for both: nobody waits twice the time.
        if (failed.last !== undefined && failed.times !== times) return Effect.fail(failed.last)
        // Whoever stops waiting in the last moment must not leave an agent that nobody knows.
        return Effect.uninterruptibleMask((restore) =>
          Effect.tap(restore(start), (started) => {
            current = started
            agentSessionId = started.opened.agentSessionId
            listener.onOpened(started.opened)
            return started.connection.closed.pipe(
              Effect.catchAll(() => end(started)),
              Effect.interruptible,
              Effect.forkIn(parent)
            )
          })
        ).pipe(
          Effect.tapError((last) =>
            Effect.sync(() => {
              failed = { times: failed.times + 1, last }
            })
          )
        )
      })
    )
  })

  return {
    ready: Effect.map(running, ({ opened }) => opened),
    call: (method, params, sent) =>
      Effect.gen(function* () {
        const { connection, opened } = yield* running
        spoken = true
        sent?.()
        return yield* connection
          .request(method, { ...params, sessionId: opened.agentSessionId })
          .pipe(
            Effect.mapError((error) =>
              error._tag === "RpcError" ? error : AgentFailure.fromError(error, name, "working")
            )
          )
      }),
    cancel: Effect.suspend(() =>
      current === undefined
        ? Effect.void
        : current.connection.notify("session/cancel", { sessionId: current.opened.agentSessionId })
    ).pipe(
      // An agent that is gone has ended its turn; whoever waits for the turn hears that.
      Effect.catchAll((error) => Effect.logDebug("a cancellation did not reach the agent", error._tag))
    ),
    stop: starting.withPermits(1)(Effect.suspend(() => (current === undefined ? Effect.void : end(current))))
  }
})

interface Launched {
  readonly connection: Connection.Connection
  readonly opened: Opened
}

interface Running extends Launched {
  readonly scope: Scope.CloseableScope
}

interface Previous {
  readonly agentSessionId: string | undefined
  readonly spoken: boolean
}

const launch = Effect.fn("AgentHost.launch")(function* (
  { command, environment, folder, options }: Settings,
  listener: Listener,
  previous: Previous
) {
  const runtime = yield* Effect.runtime()
  const name = nameOf(command)
  const failed = (error: TransportError | AgentNotFound | UnsupportedVersion | JsonRpc.RpcError) =>
    AgentFailure.fromError(error, name, "starting")
  const [program = "", ...args] = command
  const transport = yield* StdioTransport.make({
    command: program,
    args,
    cwd: folder,
    env: environment,
    closeGrace: options.agentClose
  }).pipe(Effect.mapError(failed))

  let rubbish: { readonly sample: string; readonly since: number } | undefined
  let skips = 0
  let heard = false
  const onlyRubbish = yield* Deferred.make<void>()
  let sessionId: string | undefined
  /** While the session is opened: `hold` keeps what comes early, `drop` leaves out the agent's own replay. */
  let phase: "hold" | "drop" | "open" = "drop"
  let replayed = 0
  const early: Array<JsonRpc.Notification> = []

  const hear = (notification: JsonRpc.Notification) => {
    const params = isRecord(notification.params) ? notification.params : {}
    if (phase === "hold" && early.length < earlyLimit) early.push(notification)
    if (phase === "drop" && notification.method === "session/update") replayed += 1
    // Sessions that an agent opens on its own account are not this task's.
    if (phase !== "open" || ("sessionId" in params && params["sessionId"] !== sessionId)) return
    listener.onNotification(notification.method, params)
  }

  const connection = yield* Connection.make(transport, {
    onNotification: hear,
    onRequest: ({ method, params }) => {
      if (!isRecord(params)) return undefined
      if (method === "session/request_permission") return listener.onPermission(params)
      return method === "elicitation/create" ? listener.onElicitation?.(params) : undefined
    },
    onMessage: () => {
      heard = true
    },
    onSkipped: ({ reason, sample }) => {
      rubbish ??= { sample: sample.slice(0, 120), since: Date.now() }
      skips += 1
      if (skips === severalSkips) Deferred.unsafeDone(onlyRubbish, Effect.void)
      if (skips <= loggedSkips) {
        Runtime.runFork(runtime)(Effect.logWarning("the agent sent what cannot be taken; it is left out", reason))
      }
    }
  })

  /** Fails when the agent has written several lines of something else for a while, and not one message. */
  const nonsense = Deferred.await(onlyRubbish).pipe(
    Effect.andThen(() =>
      Effect.sleep(Math.max(0, (rubbish?.since ?? 0) + Duration.toMillis(options.agentRubbish) - Date.now()))
    ),
    Effect.andThen(() =>
      heard || rubbish === undefined ? Effect.never : Effect.fail(AgentFailure.noAgent(name, rubbish.sample))
    )
  )

  const ask = (method: string, params: object, onReply?: () => void) =>
    connection.request(method, params, onReply === undefined ? {} : { onReply }).pipe(
      // The program's end says more than the broken connection that it left.
      Effect.catchTag("ConnectionLost", (lost) =>
        Effect.timeoutOption(transport.exited, "1 second").pipe(
          Effect.flatMap((exited) => Effect.fail(exited._tag === "Some" ? exited.value : lost))
        )
      ),
      Effect.timeoutFail({
        duration: options.agentStart,
        onTimeout: () => AgentFailure.silent(name, Duration.toSeconds(options.agentStart), method, rubbish?.sample)
      }),
      Effect.raceFirst(nonsense)
    )
  const orFail = Effect.mapError((error: TransportError | JsonRpc.RpcError | AgentFailure.AgentFailure) =>
    error._tag === "AgentFailure" ? error : failed(error)
  )

  const agentInfo = yield* ask("initialize", {
    protocolVersion,
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      ...(listener.onElicitation === undefined ? {} : { elicitation: { form: {} } })
    },
    clientInfo: { name: "heddle-server", title: "Heddle", version: "1" }
  }).pipe(orFail)
  const answered = field(agentInfo, "protocolVersion")
  if (answered !== protocolVersion) {
    return yield* failed(new UnsupportedVersion({ offered: protocolVersion, answered }))
  }

  const place = { cwd: folder, mcpServers: [] }
  const open = (to: string) => () => {
    sessionId = to
    phase = "open"
  }

  if (previous.agentSessionId !== undefined) {
    const again = previous.agentSessionId
    const capabilities = field(agentInfo, "agentCapabilities")
    const resumable = isRecord(field(field(capabilities, "sessionCapabilities"), "resume"))
    const methods = [
      ...(resumable ? ["session/resume"] : []),
      ...(field(capabilities, "loadSession") === true ? ["session/load"] : [])
    ]
    for (const method of methods) {
      phase = "drop"
      const reopened = yield* ask(method, { ...place, sessionId: again }, open(again)).pipe(
        Effect.map((sessionInfo) => ({ sessionInfo })),
        // The agent does not know the session any more, or the method that it advertises: the next one is tried, or it
        // gets a new session below and the person is told.
        Effect.catchTag("RpcError", (error) =>
          Effect.as(Effect.logInfo(`the agent could not reopen its session by ${method}`, error.message), undefined)
        ),
        orFail
      )
      if (reopened !== undefined) {
        const opened: Opened = {
          agentSessionId: again,
          agentInfo,
          sessionInfo: reopened.sessionInfo,
          // Some agents answer with success for a session that they never had; their replay is empty then.
          forgot: previous.spoken && method === "session/load" && replayed === 0
        }
        return { connection, opened } satisfies Launched
      }
    }
  }

  phase = "hold"
  sessionId = undefined
  const sessionInfo = yield* ask("session/new", place).pipe(orFail)
  const created = stringField(sessionInfo, "sessionId")
  if (created === undefined) {
    return yield* failed(
      new JsonRpc.RpcError({ code: JsonRpc.ErrorCode.internalError, message: "its answer names no session" })
    )
  }
  open(created)()
  for (const notification of early) hear(notification)
  const opened: Opened = { agentSessionId: created, agentInfo, sessionInfo, forgot: previous.spoken }
  return { connection, opened } satisfies Launched
})

/** What people call the agent: its program, and the script that a language's own program runs; no paths, no options. */
const nameOf = ([program = "", script = "-"]: ReadonlyArray<string>): string =>
  [program, ...(script.startsWith("-") ? [] : [script])].map((part) => Path.basename(part)).join(" ")

const protocolVersion = 1

/** So many lines that are no messages, without one that is: no agent greets so. */
const severalSkips = 3

/** More of what an agent sends wrong would only fill the log. */
const loggedSkips = 10

/** How many notifications may come before the answer that names their session. */
const earlyLimit = 1000
