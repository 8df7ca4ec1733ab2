import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import type { IsolationSettings } from "../../config/AgentSettings.ts"
import { ServerStartError } from "../../config/ServerStartError.ts"
import * as AgentFiles from "./AgentFiles.ts"
import * as ResourceLimits from "./ResourceLimits.ts"
import * as Bubblewrap from "./Bubblewrap.ts"

/** The isolation that is in force for an agent. */
export interface Isolation {
  /** `process` is a process of the service's own user, in a folder of its own: no boundary for security. */
  readonly kind: "bubblewrap" | "process"
  /** Whether the agent reaches the network. */
  readonly network: boolean
  /**
   * The command that runs an agent's command under this isolation. A command whose program is not found stays
   * unchanged, so that starting it fails with the reason.
   */
  readonly command: (
    agent: ReadonlyArray<string>,
    place: { readonly folder: string; readonly path: string }
  ) => ReadonlyArray<string>
}

/** No isolation and no limits: for an agent that works for the person who started it. */
export const none: Isolation = {
  kind: "process",
  network: true,
  command: (agent) => agent
}

/** Selects the isolation that works on this machine, with one test run. */
export const make = Effect.fn("Isolation.make")(function* (dataDir: string, settings: IsolationSettings) {
  const processIsolation: Isolation = {
    kind: "process",
    network: true,
    command: (agent, { path }) => {
      const program = AgentFiles.findProgram(agent[0] ?? "", path)
      return program === undefined
        ? agent
        : ResourceLimits.withLimits([program, ...agent.slice(1)], settings.limits, false)
    }
  }
  if (settings.mode === "none") {
    yield* Effect.logInfo("agents run as processes of this user, as --isolation none asks")
    return processIsolation
  }
  const bubblewrapIsolation = makeBubblewrap(dataDir, settings)
  const problem = yield* testIsolation(bubblewrapIsolation)
  if (problem === undefined) {
    yield* Effect.logInfo(`agents run in bubblewrap, ${settings.network ? "with" : "without"} network`)
    return bubblewrapIsolation
  }
  if (settings.mode === "bubblewrap") {
    return yield* new ServerStartError({
      setting: "--isolation",
      problem: `bubblewrap does not work on this machine (${problem})`,
      fix: "Install it (Debian: apt install bubblewrap) and allow unprivileged user namespaces, or choose --isolation auto."
    })
  }
  yield* Effect.logWarning(`agents run as processes of this user, because bubblewrap does not work here (${problem})`)
  return processIsolation
})

const makeBubblewrap = (dataDir: string, settings: IsolationSettings): Isolation => ({
  kind: "bubblewrap",
  network: settings.network,
  command: (agent, { folder, path }) => {
    const program = AgentFiles.findProgram(agent[0] ?? "", path)
    if (program === undefined) return agent
    const command = [program, ...agent.slice(1)]
    const readable = settings.readable.map((name) => Path.resolve(name)).filter((name) => Fs.existsSync(name))
    return Bubblewrap.wrapCommand(
      AgentFiles.findProgram("bwrap", process.env["PATH"] ?? "") ?? "bwrap",
      ResourceLimits.withLimits(command, settings.limits, true),
      {
        folder: Path.resolve(folder),
        readable: [...AgentFiles.requiredPaths(command, path), ...readable],
        hidden: [Path.resolve(dataDir)],
        network: settings.network,
        namespaces: settings.namespaces
      }
    )
  }
})

/** Runs a shell in the isolation; returns the problem, or `undefined` when it works. */
const testIsolation = (isolation: Isolation): Effect.Effect<string | undefined> =>
  Effect.acquireUseRelease(
    Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "heddle-isolation-"))),
    (folder) =>
      Effect.async<string | undefined>((resume) => {
        const [bwrap = "", ...args] = isolation.command(["/bin/sh", "-c", ":"], { folder, path: "" })
        execFile(bwrap, args, { timeout: 10_000, killSignal: "SIGKILL" }, (error, _, stderr) => {
          if (error === null) return resume(Effect.succeed(undefined))
          const isMissing = "code" in error && error.code === "ENOENT"
          resume(Effect.succeed(isMissing ? "it is not installed" : stderr.trim().split("\n").at(-1) || error.message))
        })
      }),
    (folder) => Effect.sync(() => Fs.rmSync(folder, { recursive: true, force: true }))
  )
