import type * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { unnamed } from "../config/AgentSettings.ts"
import { SandboxOptions } from "../config/SandboxOptions.ts"
import * as Metrics from "../observability/Metrics.ts"
import type { Metering } from "../tasks/Metering.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import * as AgentFailure from "./agent/AgentFailure.ts"
import { Agents } from "./agent/Agents.ts"
import type { RunningAgents } from "./agent/RunningAgents.ts"
import type { ArtifactStore } from "./artifacts/ArtifactStore.ts"
import { Journal } from "./journal/Journal.ts"
import { SandboxStore, type SandboxRow } from "./journal/SandboxStore.ts"
import type * as Recovery from "./Recovery.ts"
import * as Sandbox from "./Sandbox.ts"

/** The sandboxes in memory. Each has one owner: a task is loaded again only when its earlier sandbox has ended. */
export interface LoadedSandboxes {
  /** The sandbox of a task, loaded first where necessary; none for a task without one. */
  readonly get: (taskId: TaskId) => Effect.Effect<Option.Option<Sandbox.Sandbox>>
  /** Ends a loaded sandbox with its agent and its connections, in the background, and then runs `after`. */
  readonly end: (taskId: TaskId, after: Effect.Effect<void>) => Effect.Effect<void>
  /** Whether a sandbox is loaded or is ending. */
  readonly has: (taskId: TaskId) => boolean
  readonly taskIds: () => ReadonlyArray<TaskId>
}

/** Makes the loaded sandboxes; closing the scope ends all. One that is unused for a while is unloaded. */
export const make = Effect.fnUntraced(function* (settings: Settings) {
  const { sandboxIdle } = yield* SandboxOptions
  const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.parallel)
  const journal = yield* Journal
  const load = yield* makeLoad(settings, scope)
  const loaded = new Map<TaskId, Loaded>()
  const loading = new Map<TaskId, Deferred.Deferred<Option.Option<Sandbox.Sandbox>>>()
  const ending = new Map<TaskId, Deferred.Deferred<void>>()

  // In a fiber, so that requests do not wait until the agent has exited.
  const end = (taskId: TaskId, entry: Loaded | undefined, after: Effect.Effect<void>) =>
    Effect.suspend(() => {
      if (entry === undefined || loaded.get(taskId) !== entry) return Effect.void
      loaded.delete(taskId)
      const ended = Deferred.unsafeMake<void>(FiberId.none)
      ending.set(taskId, ended)
      const forget = Effect.suspend(() => {
        ending.delete(taskId)
        return Deferred.succeed(ended, undefined)
      })
      return Scope.close(entry.scope, Exit.void).pipe(
        Effect.andThen(after),
        Effect.ensuring(forget),
        Effect.uninterruptible,
        Effect.annotateLogs({ taskId }),
        Effect.forkIn(scope),
        Effect.asVoid
      )
    })

  const add = (taskId: TaskId) =>
    Effect.gen(function* () {
      const earlier = ending.get(taskId)
      if (earlier !== undefined) yield* Deferred.await(earlier)
      // A failed owner is removed with its scope; the next use loads the task from its rows.
      let entry: Loaded | undefined
      const failed = Effect.suspend(() => end(taskId, entry, Effect.void))
      entry = Option.getOrUndefined(yield* load(taskId, failed))
      if (entry === undefined) return Option.none<Sandbox.Sandbox>()
      loaded.set(taskId, entry)
      return Option.some(entry.sandbox)
    })

  /** In a fiber of its own: a request that breaks off leaves no half of a sandbox. */
  const startLoading = (taskId: TaskId) => {
    const result = Deferred.unsafeMake<Option.Option<Sandbox.Sandbox>>(FiberId.none)
    loading.set(taskId, result)
    return add(taskId).pipe(
      Effect.ensuring(Effect.sync(() => loading.delete(taskId))),
      Effect.interruptible,
      Effect.intoDeferred(result),
      Effect.forkIn(scope),
      Effect.as(result)
    )
  }

  const get = (taskId: TaskId) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const present = loaded.get(taskId)
        if (present !== undefined) {
          present.usedAt = performance.now()
          return Effect.succeed(Option.some(present.sandbox))
        }
        const result = loading.get(taskId)
        return Effect.flatMap(result === undefined ? startLoading(taskId) : Effect.succeed(result), (loading) =>
          restore(Deferred.await(loading))
        )
      })
    )

  // Now there is no turn, no reader and no writer.
  const compact = (taskId: TaskId, { sandbox }: Loaded) =>
    journal.compact(taskId, sandbox.loadedAt).pipe(
      Effect.interruptible,
      Effect.catchAllCause((cause) => Effect.logWarning("the history of a task stays as it was sent", cause))
    )

  const unloadUnused = Effect.suspend(() => {
    const before = performance.now() - Duration.toMillis(sandboxIdle)
    const unused = [...loaded].filter(
      ([, { sandbox, usedAt }]) => Math.max(usedAt, sandbox.unusedSince() ?? Infinity) <= before
    )
    return Effect.forEach(unused, ([taskId, entry]) => end(taskId, entry, compact(taskId, entry)), { discard: true })
  })
  yield* unloadUnused.pipe(Effect.schedule(Schedule.spaced("500 millis")), Effect.forkScoped)

  return {
    get,
    end: (taskId, after) => Effect.suspend(() => end(taskId, loaded.get(taskId), after)),
    has: (taskId) => loaded.has(taskId) || ending.has(taskId),
    taskIds: () => [...loaded.keys()]
  } satisfies LoadedSandboxes
})

interface Settings {
  readonly folderOf: (taskId: TaskId) => string
  readonly cleanUp: Recovery.CleanUp
}

interface Loaded {
  readonly sandbox: Sandbox.Sandbox
  /** Closing it ends the agent and the connections. */
  readonly scope: Scope.CloseableScope
  /** When it was last asked for, in milliseconds of the monotonic clock. */
  usedAt: number
}

/** Makes the function that loads a sandbox from its rows. */
const makeLoad = Effect.fnUntraced(function* ({ cleanUp, folderOf }: Settings, scope: Scope.Scope) {
  const agents = yield* Agents
  const tasks = yield* TaskStore
  const store = yield* SandboxStore
  const services = yield* Effect.context<
    SqlClient.SqlClient | Journal | SandboxStore | ArtifactStore | TaskStore | Metering | RunningAgents
  >()

  const loadRow = Effect.fnUntraced(function* (row: SandboxRow, failed: Effect.Effect<void>) {
    const { taskId } = row
    yield* cleanUp(taskId)
    const task = Option.getOrUndefined(yield* tasks.get(taskId))
    const agent = agentOf(task?.agent ?? unnamed, agents)
    const sandboxScope = yield* Scope.fork(scope, ExecutionStrategy.sequential)
    const sandbox = yield* Metrics.countSandbox.pipe(
      Effect.andThen(Sandbox.make(row, { folder: folderOf(taskId), userId: task?.userId ?? "", agent, failed })),
      Scope.extend(sandboxScope),
      Effect.provide(services)
    )
    return { sandbox, scope: sandboxScope, usedAt: performance.now() } satisfies Loaded
  })

  return (taskId: TaskId, failed: Effect.Effect<void>): Effect.Effect<Option.Option<Loaded>> =>
    Effect.flatMap(
      store.get(taskId),
      Option.match({ onNone: () => Effect.succeedNone, onSome: (row) => Effect.asSome(loadRow(row, failed)) })
    )
})

/** The agent of a task, or why it has none. One that the operator has not named is called by its program. */
const agentOf = (name: string, agents: Agents["Type"]): Sandbox.Settings["agent"] => {
  const agent = name === unnamed ? agents[0] : agents.find((agent) => agent.name === name)
  if (agent === undefined)
    return AgentFailure.fromMissing(
      name,
      agents.map(({ name }) => name)
    )
  return { ...agent, name: agent.name === unnamed ? undefined : agent.name }
}
