import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { AgentExited, type AgentNotFound, ConnectionLost } from "../AcpError.ts"
import * as Oversized from "../internal/Oversized.ts"
import * as Meter from "../internal/Meter.ts"
import * as JsonRpc from "../JsonRpc.ts"
import * as Metrics from "../Metrics.ts"
import type { Inbound, Transport } from "../Transport.ts"
import * as AgentProcess from "./internal/AgentProcess.ts"
import { lines, type TooLong } from "./internal/Lines.ts"

/** How an agent program is started. */
export interface Options extends AgentProcess.Options {
  /** A longer line is skipped and reported. Default: 32 MiB. */
  readonly maxLineBytes?: number
  /** How long the agent may take to end after its input is closed, and again after SIGTERM. Default: 5 seconds. */
  readonly closeGrace?: Duration.DurationInput
}

/** A running agent program as a channel: one JSON-RPC message a line over its standard input and output. */
export interface StdioTransport extends Transport {
  readonly pid: number
  /** The last 8 KiB of its standard error. */
  readonly stderr: Effect.Effect<string>
  /** What it has written to standard error until now does not explain its end. */
  readonly forgetLastWords: Effect.Effect<void>
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
  const abandoned = yield* Deferred.make<never, ConnectionLost>()
  const { child, pid } = yield* Effect.acquireRelease(AgentProcess.start(options), (agent) =>
    Effect.andThen(AgentProcess.stop(agent, grace), agent.forget)
  )

  let stderr = ""
  /** What it wrote last: an error of minutes ago does not explain the end. */
  let lastWords = { text: "", at: 0 }
  child.stderr.setEncoding("utf8")
  child.stderr.on("data", (text: string) => {
    stderr = (stderr + text).slice(-stderrLimit)
    lastWords = { text: (recent() + text).slice(-stderrLimit), at: performance.now() }
  })
  const recent = () => (performance.now() - lastWords.at > lastWordsMillis ? "" : lastWords.text)
  child.stdin.on("error", () => {
    // A broken pipe is reported to the writer by its own callback and to everyone by the exit.
  })
  const report = (code: number | null, signal: string | null) =>
    Deferred.unsafeDone(exited, Effect.succeed(new AgentExited({ code, signal, stderr: recent() })))
  child.once("close", report)
  child.once("exit", (code, signal) => {
    // "close" waits for every holder of the pipes; a grandchild that keeps them must not hide the agent's end.
    setTimeout(report, drainMillis, code, signal)
  })

  // An agent that closes its output without ending is as good as gone.
  const gone = Effect.delay(
    Effect.suspend(() => Effect.fail(new AgentExited({ code: null, signal: null, stderr: recent() }))),
    grace
  )
  const end = Effect.flatMap(Deferred.await(exited), (exit) => Effect.fail(exit))
  return {
    pid,
    run: Meter.metered((receive) =>
      Effect.raceFirst(
        read(child, options.maxLineBytes ?? defaultMaxLineBytes, receive, gone),
        Effect.raceFirst(end, Deferred.await(abandoned))
      )
    ),
    send: (message) => Effect.zipRight(Meter.countSent, write(child, message, end)),
    pause: () => child.stdout.pause(),
    resume: () => child.stdout.resume(),
    // A program is one connection: its channel ends with it.
    reconnect: (reason) => Deferred.unsafeDone(abandoned, Effect.fail(reason)),
    stderr: Effect.sync(() => stderr),
    forgetLastWords: Effect.sync(() => {
      lastWords = { text: "", at: 0 }
    }),
    exited: Deferred.await(exited)
  }
})

/** Reads messages from the output of an agent; ends with `onEnd` when the output is closed. */
const read = (
  { stdout }: AgentProcess.Child,
  maxLineBytes: number,
  receive: (inbound: Inbound) => void,
  onEnd: Effect.Effect<never, AgentExited>
) =>
  Effect.async<void, AgentExited>((resume) => {
    const feed = lines(maxLineBytes, (line) => receiveLine(line, receive))
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
    const onClosed = () => {
      guarded(undefined)
      resume(onEnd)
    }
    receive({ _tag: "Connected", fresh: true })
    stdout.on("data", onData)
    stdout.once("end", onClosed)
    return Effect.sync(() => {
      stdout.off("data", onData)
      stdout.off("end", onClosed)
      stdout.resume()
    })
  })

const receiveLine = (line: string | TooLong, receive: (inbound: Inbound) => void): void => {
  if (typeof line !== "string") {
    receive({ _tag: "Skipped", reason: "TooLarge", sample: line.sample })
    const message = Oversized.failure(line.sample, "")
    return message === undefined ? undefined : receive({ _tag: "Message", message })
  }
  if (line.trim() === "") return
  const messages = JsonRpc.parse(line)
  if (messages === undefined) return receive({ _tag: "Skipped", reason: "NotJsonRpc", sample: line.slice(0, 200) })
  for (const message of messages) receive({ _tag: "Message", message })
}

const write = ({ stdin }: AgentProcess.Child, message: JsonRpc.Message, end: Effect.Effect<never, AgentExited>) =>
  Effect.async<void, AgentExited | ConnectionLost>((resume) => {
    if (stdin.writableLength > maxUnreadBytes) {
      return resume(new ConnectionLost({ description: "The agent does not read its input", sent: false }))
    }
    stdin.write(`${JSON.stringify(message)}\n`, (error) => {
      if (error === null || error === undefined) return resume(Effect.void)
      resume(
        Effect.timeoutFail(end, {
          duration: "1 second",
          onTimeout: () => new ConnectionLost({ description: "The agent closed its input", sent: false, cause: error })
        })
      )
    })
  })

const defaultMaxLineBytes = 32 * 1024 * 1024
/** How many bytes may wait for an agent before it is sent no more. */
const maxUnreadBytes = 32 * 1024 * 1024
const stderrLimit = 8 * 1024
/** Error output that is older at the end of the program is not about the end. */
const lastWordsMillis = 5000
const drainMillis = 250
