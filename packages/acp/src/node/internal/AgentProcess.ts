import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { spawn, type ChildProcessByStdio } from "node:child_process"
import { stat } from "node:fs/promises"
import type { Readable, Writable } from "node:stream"
import { AgentNotFound } from "../../AcpError.ts"

/** How an agent program is started. */
export interface Options {
  readonly command: string
  readonly args?: ReadonlyArray<string>
  /** The working directory. Default: that of this process. */
  readonly cwd?: string
  /** The whole environment of the agent. Default: that of this process. */
  readonly env?: Readonly<Record<string, string>>
}

/** An agent program with its pipes. */
export type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** A started agent program. */
export interface AgentProcess {
  readonly child: Child
  readonly pid: number
  /** The end of this process no longer has to end the agent. */
  readonly forget: () => void
}

const ownGroup = process.platform !== "win32"

/** Starts a program in a process group of its own; the group is killed with this process. */
export const start = (options: Options) =>
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
    return yield* Effect.async<AgentProcess, AgentNotFound>((resume) => {
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

/** Closes the input, then sends SIGTERM and SIGKILL, each after `grace`. */
export const stop = ({ child, pid }: AgentProcess, grace: Duration.DurationInput) =>
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

/**
 * Written with a timer of its own, because finalizers are uninterruptible and so `Effect.timeout` cannot bound them.
 */
const endsWithin = (child: Child, millis: number) =>
  Effect.async<boolean>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.succeed(true))
    const timer = setTimeout(() => resume(Effect.succeed(false)), millis)
    child.once("exit", () => {
      clearTimeout(timer)
      resume(Effect.succeed(true))
    })
  })

/** Signals the whole group of the agent: what it started ends with it. */
const signal = (child: Child, pid: number, name: "SIGTERM" | "SIGKILL") => {
  try {
    if (ownGroup) process.kill(-pid, name)
    else if (child.exitCode === null) child.kill(name)
  } catch (error) {
    // ESRCH and, for a zombie, EPERM: the group is gone already.
    const code = error instanceof Error && "code" in error ? error.code : undefined
    if (code !== "ESRCH" && code !== "EPERM") throw error
  }
}

const atExit = new Set<() => void>()
const endAll = () => {
  for (const end of atExit) end()
}

/** Runs a step when this process exits, if the way of the exit lets it run code; the result takes it back. */
const endWithProcess = (end: () => void) => {
  if (atExit.size === 0) process.on("exit", endAll)
  atExit.add(end)
  return () => {
    atExit.delete(end)
    if (atExit.size === 0) process.off("exit", endAll)
  }
}
