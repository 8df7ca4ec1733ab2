import * as Connection from "@heddle/acp/Connection"
import type * as JsonRpc from "@heddle/acp/JsonRpc"
import * as StdioTransport from "@heddle/acp/node/StdioTransport"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import * as Path from "node:path"
import * as AgentFailure from "./AgentFailure.ts"
import { isRecord } from "../../internal/Json.ts"
import * as AgentSession from "./AgentSession.ts"
import * as InvalidOutput from "./InvalidOutput.ts"
import type { Isolation } from "./Isolation.ts"
import * as SessionNotifications from "./SessionNotifications.ts"
import type { Options } from "../../config/SandboxOptions.ts"

/** How the owner of a sandbox hears the agent; callbacks run synchronously in the order of the agent's output. */
export interface Listener {
  readonly onNotification: (method: string, params: Readonly<Record<string, unknown>>) => void
  /** A permission request: the effect gives its answer and is interrupted when the agent withdraws the request. */
  readonly onPermission: (params: Readonly<Record<string, unknown>>) => Effect.Effect<unknown, JsonRpc.RpcError>
  /**
   * An `elicitation/create`, likewise; undefined where it is none that can be shown. Agents are told whether this is
   * there.
   */
  readonly onElicitation?: (
    params: Readonly<Record<string, unknown>>
  ) => Effect.Effect<unknown, JsonRpc.RpcError> | undefined
  readonly onOpened: (opened: AgentSession.Opened) => void
}

/** The one agent process of a sandbox, started when it is needed. */
export interface AgentHost {
  /** Starts the agent and opens its session unless that is done. */
  readonly ready: Effect.Effect<AgentSession.Opened, AgentFailure.AgentFailure>
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

/** How an agent of one sandbox is started. */
export interface Settings {
  readonly command: ReadonlyArray<string>
  /** Names of environment variables that are handed on beside PATH, LANG, HOME and TMPDIR. */
  readonly environment: ReadonlyArray<string>
  /** The whole environment in place of that, for an agent that works for the person who started it. */
  readonly wholeEnvironment?: Readonly<Record<string, string>>
  /** The task's folder: working directory and HOME of the agent. */
  readonly folder: string
  readonly options: Options
  readonly isolation: Context.Tag.Service<typeof Isolation>
  /** Runs as long as an agent runs. */
  readonly alongside: Effect.Effect<void, never, Scope.Scope>
  /** The agent's own id of the session that it had before, and whether anything was said in it. */
  readonly previous: AgentSession.Previous
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
  // A caller that waits while the agent is ended must not start another one.
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
        // A start that failed meanwhile has failed for this caller, too.
        if (failed.last !== undefined && failed.times !== times) return Effect.fail(failed.last)
        // An interruption at the last moment must not leak an agent.
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
  readonly opened: AgentSession.Opened
}

interface Running extends Launched {
  readonly scope: Scope.CloseableScope
}

const launch = Effect.fn("AgentHost.launch")(function* (
  { alongside, command, environment, folder, isolation, options, wholeEnvironment }: Settings,
  listener: Listener,
  previous: AgentSession.Previous
) {
  const runtime = yield* Effect.runtime()
  const name = nameOf(command)
  const failed: AgentSession.StartedAgent["failed"] = (error) => AgentFailure.fromError(error, name, "starting")
  const env = wholeEnvironment ?? environmentOf(folder, environment)
  const [program = "", ...args] = isolation.command(command, { folder, path: env["PATH"] ?? "" })
  const transport = yield* StdioTransport.make({
    command: program,
    args,
    cwd: folder,
    env,
    closeGrace: options.agentClose
  }).pipe(Effect.mapError(failed))

  yield* alongside

  const invalidOutput = yield* InvalidOutput.make(name, options.agentRubbish)
  const notifications = SessionNotifications.make(listener.onNotification)
  const connection = yield* Connection.make(transport, {
    onNotification: notifications.receive,
    onRequest: ({ method, params }) => {
      if (!isRecord(params)) return undefined
      if (method === "session/request_permission") return listener.onPermission(params)
      return method === "elicitation/create" ? listener.onElicitation?.(params) : undefined
    },
    onMessage: invalidOutput.valid,
    onSkipped: ({ reason, sample }) => {
      if (!invalidOutput.invalid(sample)) return
      Runtime.runFork(runtime)(Effect.logWarning("the agent sent what cannot be taken; it is left out", reason))
    }
  })

  const ask: AgentSession.StartedAgent["ask"] = (method, params, onReply) =>
    connection.request(method, params, onReply === undefined ? {} : { onReply }).pipe(
      // The program's end says more than the broken connection that it left.
      Effect.catchTag("ConnectionLost", (lost) =>
        Effect.timeoutOption(transport.exited, "1 second").pipe(
          Effect.flatMap((exited) => Effect.fail(exited._tag === "Some" ? exited.value : lost))
        )
      ),
      Effect.timeoutFail({
        duration: options.agentStart,
        onTimeout: () =>
          AgentFailure.silent(name, Duration.toSeconds(options.agentStart), method, invalidOutput.sample())
      }),
      Effect.raceFirst(invalidOutput.fail)
    )
  const elicitation = listener.onElicitation !== undefined
  const opened = yield* AgentSession.open({ folder, ask, failed, notifications, elicitation }, previous)
  return { connection, opened } satisfies Launched
})

/** What people call the agent: its program, and the script that a language's own program runs; no paths, no options. */
const nameOf = ([program = "", script = "-"]: ReadonlyArray<string>): string =>
  [program, ...(script.startsWith("-") ? [] : [script])].map((part) => Path.basename(part)).join(" ")

/**
 * The environment of an agent: what a program needs to run, and what the operator names; never the service's own
 * secrets.
 */
const environmentOf = (folder: string, passed: ReadonlyArray<string>): Record<string, string> => {
  const env: Record<string, string> = { HOME: folder, TMPDIR: `${folder}/.tmp` }
  for (const name of ["PATH", "LANG", ...passed]) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  return env
}
