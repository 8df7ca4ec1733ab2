import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn, type ChildProcessByStdio } from "node:child_process"
import { stat } from "node:fs/promises"
import type { Readable, Writable } from "node:stream"
import { AgentExited, AgentNotFound, ConnectionLost } from "../AcpError.ts"
import { withMetrics } from "../internal/WithMetrics.ts"
import * as Oversized from "../internal/Oversized.ts"
import * as JsonRpc from "../JsonRpc.ts"
import * as Metrics from "../Metrics.ts"
import type { Inbound, Transport } from "../Transport.ts"
import { lines } from "./internal/Lines.ts"

/** How an agent program is started. */
export interface Options {
  readonly command: string
  readonly args?: ReadonlyArray<string>
  /** The working directory; this process's own without it. */
  readonly cwd?: string
  /** The whole environment of the agent; this process's own without it. */
  readonly env?: Readonly<Record<string, string>>
  /** A longer line is skipped and reported; 32 MiB without it. */
  readonly maxLineBytes?: number
  /** How long the agent may take to end after its input is closed, and again after SIGTERM; 5 seconds without it. */
  readonly closeGrace?: Duration.DurationInput
}

/** A running agent program as a channel: one JSON-RPC message a line over its standard input and output. */
export interface StdioTransport extends Transport {
  readonly pid: number
  /** The last 8 KiB of its standard error. */
  readonly stderr: Effect.Effect<string>
  /** Waits for its end, however it comes. */
  readonly exited: Effect.Effect<AgentExited>
}

/**
 * Starts an agent in a process group of its own.
 *
 * Closing the scope closes its input, waits, then sends SIGTERM and at last SIGKILL to that group. An agent that is
 * still there when this process exits is killed with its group.
 */
export const make = Effect.fn("StdioTransport.make")(function* (
  options: Options
): Effect.fn.Return<StdioTransport, AgentNotFound, Scope.Scope> {
  const grace = options.closeGrace ?? "5 seconds"
  const exited = yield* Deferred.make<AgentExited>()
  const { child, pid } = yield* Effect.acquireRelease(start(options), ({ child, forget, pid }) =>
    Effect.andThen(stop(child, pid, grace), forget)
  )

  let tail = ""
  child.stderr.setEncoding("utf8")
  child.stderr.on("data", (text: string) => {
    tail = (tail + text).slice(-stderrKept)
  })
  child.stdin.on("error", () => {
    // A broken pipe is reported to the writer by its own callback and to everyone by the exit.
  })
  const report = (code: number | null, signal: string | null) =>
    Deferred.unsafeDone(exited, Effect.succeed(new AgentExited({ code, signal, stderr: tail })))
  child.once("close", report)
  child.once("exit", (code, signal) => {
    // "close" waits for every holder of the pipes; a grandchild that keeps them must not hide the agent's end.
    setTimeout(report, drainMillis, code, signal)
  })

  const run = (receive: (inbound: Inbound) => void) =>
    Effect.async<void, AgentExited>((resume) => {
      const feed = lines(options.maxLineBytes ?? defaultMaxLineBytes, (line) => {
        if (typeof line !== "string") {
          receive({ _tag: "Skipped", reason: "TooLarge", sample: line.sample })
          const message = Oversized.failure(line.sample, "")
          return message === undefined ? undefined : receive({ _tag: "Message", message })
        }
        if (line.trim() === "") return
        const messages = JsonRpc.parse(line)
        if (messages === undefined) {
          return receive({ _tag: "Skipped", reason: "NotJsonRpc", sample: line.slice(0, 200) })
        }
        for (const message of messages) receive({ _tag: "Message", message })
      })
      const guarded = (chunk: Buffer | undefined) => {
        try {
          feed(chunk)
        } catch (defect) {
          resume(Effect.die(defect))
        }
      }
      const onData = (chunk: Buffer) => {
        Metrics.bytesReceived.unsafeUpdate(chunk.length, [])
        guarded(chunk)
      }
      const onEnd = () => {
        guarded(undefined)
        // An agent that closes its output without ending is as good as gone.
        resume(Effect.delay(Effect.fail(new AgentExited({ code: null, signal: null, stderr: tail })), grace))
      }
      receive({ _tag: "Connected", fresh: true })
      child.stdout.on("data", onData)
      child.stdout.once("end", onEnd)
      return Effect.sync(() => {
        child.stdout.off("data", onData)
        child.stdout.off("end", onEnd)
        child.stdout.resume()
      })
    }).pipe(Effect.raceFirst(Effect.flatMap(Deferred.await(exited), (exit) => Effect.fail(exit))))

  const send = (message: JsonRpc.Message) =>
    Effect.async<void, AgentExited | ConnectionLost>((resume) => {
      if (child.stdin.writableLength > mostUnread) {
        return resume(new ConnectionLost({ description: "The agent does not read its input", sent: false }))
      }
      child.stdin.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error === null || error === undefined) return resume(Effect.void)
        resume(
          Deferred.await(exited).pipe(
            Effect.timeoutFail({
              duration: "1 second",
              onTimeout: () =>
                new ConnectionLost({ description: "The agent closed its input", sent: false, cause: error })
            }),
            Effect.flatMap((exit) => Effect.fail(exit))
          )
        )
      })
    })

  return withMetrics({
    pid,
    run,
    send,
    pause: () => child.stdout.pause(),
    resume: () => child.stdout.resume(),
    stderr: Effect.sync(() => tail),
    exited: Deferred.await(exited)
  })
})

type Child = ChildProcessByStdio<Writable, Readable, Readable>

interface Running {
  readonly child: Child
  readonly pid: number
  /** The end of this process needs no longer end the agent. */
  readonly forget: () => void
}

const defaultMaxLineBytes = 32 * 1024 * 1024
/** So many bytes may wait for an agent before it is sent no more. */
const mostUnread = 32 * 1024 * 1024
const stderrKept = 8 * 1024
const drainMillis = 250
const ownGroup = process.platform !== "win32"

const start = (options: Options) =>
  Effect.gen(function* () {
    const { command, cwd } = options
    if (cwd !== undefined) {
      const directory = yield* Effect.promise(() =>
        stat(cwd).then(
          (found) => found.isDirectory(),
          () => false
        )
      )
      if (!directory) {
        return yield* new AgentNotFound({
          command,
          description: `The agent's working directory does not exist: ${cwd}`
        })
      }
    }
    return yield* Effect.async<Running, AgentNotFound>((resume) => {
      const refuse = (error: unknown) =>
        resume(Effect.fail(new AgentNotFound({ command, description: describe(command, error) })))
      try {
        const child = spawn(command, [...(options.args ?? [])], {
          stdio: ["pipe", "pipe", "pipe"],
          detached: ownGroup,
          ...(cwd === undefined ? {} : { cwd }),
          ...(options.env === undefined ? {} : { env: { ...options.env } })
        })
        child.once("error", refuse)
        child.once("spawn", () => {
          child.off("error", refuse)
          child.on("error", () => {
            // Only a failed signal arrives here after the start; `stop` goes on to the next one.
          })
          const { pid } = child
          if (pid === undefined) return resume(Effect.die("a started process without an id"))
          resume(Effect.succeed({ child, pid, forget: endWithProcess(() => signal(child, pid, "SIGKILL")) }))
        })
      } catch (error) {
        refuse(error)
      }
    })
  })

const describe = (command: string, error: unknown): string => {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : undefined
  if (code === "ENOENT") return `The agent program was not found: ${command}`
  if (code === "EACCES") return `The agent program may not be executed: ${command}`
  return `The agent program cannot be started: ${command} (${code ?? String(error)})`
}

const stop = (child: Child, pid: number, grace: Duration.DurationInput) =>
  Effect.gen(function* () {
    const endsInTime = endsWithin(child, Duration.toMillis(grace))
    child.stdin.end()
    if (!(yield* endsInTime)) {
      signal(child, pid, "SIGTERM")
      yield* endsInTime
    }
    signal(child, pid, "SIGKILL")
    yield* endsInTime
  })

/** Written with a timer of its own, because finalizers are uninterruptible and so `Effect.timeout` cannot bound them. */
const endsWithin = (child: Child, millis: number) =>
  Effect.async<boolean>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.succeed(true))
    const timer = setTimeout(() => resume(Effect.succeed(false)), millis)
    child.once("exit", () => {
      clearTimeout(timer)
      resume(Effect.succeed(true))
    })
  })

/** Signals the agent's whole group: what it started ends with it. */
const signal = (child: Child, pid: number, name: "SIGTERM" | "SIGKILL") => {
  try {
    if (ownGroup) process.kill(-pid, name)
    else if (child.exitCode === null) child.kill(name)
  } catch (error) {
    // ESRCH and, for a zombie, EPERM: nobody of the group is left, which is what was wanted.
    const code = error instanceof Error && "code" in error ? error.code : undefined
    if (code !== "ESRCH" && code !== "EPERM") throw error
  }
}

const atExit = new Set<() => void>()
const endAll = () => {
  for (const end of atExit) end()
}

/** Has a step run when this process exits in whatever way lets it run code; the result takes it back. */
const endWithProcess = (end: () => void) => {
  if (atExit.size === 0) process.on("exit", endAll)
  atExit.add(end)
  return () => {
    atExit.delete(end)
    if (atExit.size === 0) process.off("exit", endAll)
  }
}
