import type * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
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
import type { Channel } from "./channel/Channel.ts"
import { Journal } from "./journal/Journal.ts"
import { SandboxStore, type SandboxRow } from "./journal/SandboxStore.ts"
import type { Subscribers } from "./journal/Subscribers.ts"
import type * as Recovery from "./Recovery.ts"
import * as Sandbox from "./Sandbox.ts"
import * as TaskClients from "./TaskClients.ts"

/** The sandboxes in memory. Each has one owner: a task is loaded again only when its earlier sandbox has ended. */
export interface LoadedSandboxes {
  /** The sandbox of a task, loaded first where necessary; none for a task without one. */
  readonly get: (taskId: TaskId) => Effect.Effect<Option.Option<Sandbox.Sandbox>>
  /** Adds a client connection to a task; its messages load the sandbox where necessary. */
  readonly join: (taskId: TaskId, channel: Channel) => Sandbox.ClientConnection
  /** Closes the connections of a task and ends its loaded sandbox in the background; then runs `after`. */
  readonly end: (taskId: TaskId, after: Effect.Effect<void>) => Effect.Effect<void>
  /** Whether a sandbox is loaded or is ending. */
  readonly has: (taskId: TaskId) => boolean
  /** The tasks with a loaded sandbox or a connection. */
  readonly taskIds: () => ReadonlyArray<TaskId>
}

/**
 * Makes the loaded sandboxes; closing the scope ends all. One that is unused for a while is unloaded; its clients stay
 * connected, and their next message loads it again.
 */
export const make = Effect.fnUntraced(function* (settings: Settings) {
  const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.parallel)
  const journal = yield* Journal
  const load = yield* makeLoad(settings, scope)
  const loaded = new Map<TaskId, Loaded>()
  const loading = new Map<TaskId, Deferred.Deferred<Option.Option<Sandbox.Sandbox>>>()
  const ending = makeEnding(scope)
  const runFork = Runtime.runFork(yield* Effect.runtime<never>())
  const clients = new TaskClients.AllClients(journal, (taskId) => void runFork(loadForClients(taskId), { scope }))

  const loadForClients = (taskId: TaskId) =>
    get(taskId).pipe(
      Effect.catchAllCause((cause) => Effect.logError("a sandbox could not be loaded for its clients", cause)),
      Effect.annotateLogs({ taskId })
    )

  /** Takes the sandbox from its clients at once, so that no message comes between a check and it; the effect ends it. */
  const end = (
    taskId: TaskId,
    entry: Loaded | undefined,
    after: Effect.Effect<void>,
    handleClients: (clients: TaskClients.TaskClients) => void = (clients) => clients.close()
  ): Effect.Effect<void> => {
    if (entry === undefined || loaded.get(taskId) !== entry) return Effect.void
    loaded.delete(taskId)
    handleClients(clients.of(taskId))
    return ending.begin(taskId, Effect.andThen(Scope.close(entry.scope, Exit.void), after))
  }

  const add = (taskId: TaskId) =>
    Effect.gen(function* () {
      const ofTask = clients.of(taskId)
      ofTask.expect()
      yield* ending.wait(taskId)
      // A failed owner is removed with its scope; the next use loads the task from its rows.
      let entry: Loaded | undefined
      const failed = Effect.suspend(() => end(taskId, entry, Effect.void))
      entry = Option.getOrUndefined(yield* load(taskId, ofTask.subscribers, failed))
      if (entry === undefined) return Option.none<Sandbox.Sandbox>()
      loaded.set(taskId, entry)
      ofTask.connect(entry.sandbox.offer)
      return Option.some(entry.sandbox)
    })

  /** In a fiber of its own: a request that breaks off leaves no half of a sandbox. */
  const startLoading = (taskId: TaskId) => {
    const result = Deferred.unsafeMake<Option.Option<Sandbox.Sandbox>>(FiberId.none)
    loading.set(taskId, result)
    return add(taskId).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          loading.delete(taskId)
          if (!Exit.isSuccess(exit) || Option.isNone(exit.value)) clients.of(taskId).abandon()
        })
      ),
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

  const unloadUnused = yield* makeUnloadUnused(loaded, (taskId, entry, after) =>
    Effect.andThen(
      end(taskId, entry, after, (clients) => clients.disconnect()),
      ending.wait(taskId)
    )
  )
  yield* unloadUnused.pipe(Effect.schedule(Schedule.spaced("500 millis")), Effect.forkScoped)

  return {
    get,
    join: (taskId, channel) => clients.of(taskId).join(channel),
    end: (taskId, after) =>
      Effect.suspend(() => {
        const entry = loaded.get(taskId)
        return entry === undefined ? Effect.sync(() => clients.of(taskId).close()) : end(taskId, entry, after)
      }),
    has: (taskId) => loaded.has(taskId) || ending.has(taskId),
    taskIds: clients.taskIds
  } satisfies LoadedSandboxes
})

/** Makes the sandboxes that are ending; each ends in a fiber, so that requests do not wait until the agent has exited. */
const makeEnding = (scope: Scope.Scope) => {
  const ending = new Map<TaskId, Deferred.Deferred<void>>()
  return {
    has: (taskId: TaskId) => ending.has(taskId),
    begin: (taskId: TaskId, close: Effect.Effect<void>) => {
      const ended = Deferred.unsafeMake<void>(FiberId.none)
      ending.set(taskId, ended)
      const forget = Effect.suspend(() => {
        ending.delete(taskId)
        return Deferred.succeed(ended, undefined)
      })
      return close.pipe(
        Effect.ensuring(forget),
        Effect.uninterruptible,
        Effect.annotateLogs({ taskId }),
        Effect.forkIn(scope),
        Effect.asVoid
      )
    },
    /** Waits until the sandbox of a task has ended. */
    wait: (taskId: TaskId) =>
      Effect.suspend(() => {
        const ended = ending.get(taskId)
        return ended === undefined ? Effect.void : Deferred.await(ended)
      })
  }
}

/** Makes the effect that unloads what is unused for a while, and then joins what was added to its history. */
const makeUnloadUnused = Effect.fnUntraced(function* (
  loaded: ReadonlyMap<TaskId, Loaded>,
  unload: (taskId: TaskId, entry: Loaded, after: Effect.Effect<void>) => Effect.Effect<void>
) {
  const { sandboxIdle } = yield* SandboxOptions
  const journal = yield* Journal

  // Now there is no turn, no replay and no writer; a connected client has received all.
  const compact = (taskId: TaskId, { sandbox }: Loaded) =>
    journal.compact(taskId, sandbox.loadedAt).pipe(
      Effect.interruptible,
      Effect.catchAllCause((cause) => Effect.logWarning("the history of a task stays as it was sent", cause))
    )
  const isUnused = ({ sandbox, usedAt }: Loaded) =>
    Math.max(usedAt, sandbox.unusedSince() ?? Infinity) <= performance.now() - Duration.toMillis(sandboxIdle)

  // One after the other: a thousand that wait for the database at once take more memory than they give back.
  return Effect.suspend(() =>
    Effect.forEach(
      [...loaded],
      ([taskId, entry]) =>
        Effect.suspend(() => (isUnused(entry) ? unload(taskId, entry, compact(taskId, entry)) : Effect.void)),
      { discard: true }
    )
  )
})

interface Settings {
  readonly folderOf: (taskId: TaskId) => string
  readonly cleanUp: Recovery.CleanUp
}

interface Loaded {
  readonly sandbox: Sandbox.Sandbox
  /** Closing it ends the agent. */
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

  const loadRow = Effect.fnUntraced(function* (row: SandboxRow, subscribers: Subscribers, failed: Effect.Effect<void>) {
    const { taskId } = row
    yield* cleanUp(taskId)
    const task = Option.getOrUndefined(yield* tasks.get(taskId))
    const agent = agentOf(task?.agent ?? unnamed, agents)
    const sandboxScope = yield* Scope.fork(scope, ExecutionStrategy.sequential)
    const sandbox = yield* Metrics.countSandbox.pipe(
      Effect.andThen(
        Sandbox.make(row, { folder: folderOf(taskId), subscribers, userId: task?.userId ?? "", agent, failed })
      ),
      Scope.extend(sandboxScope),
      Effect.provide(services)
    )
    return { sandbox, scope: sandboxScope, usedAt: performance.now() } satisfies Loaded
  })

  return (
    taskId: TaskId,
    subscribers: Subscribers,
    failed: Effect.Effect<void>
  ): Effect.Effect<Option.Option<Loaded>> =>
    Effect.flatMap(
      store.get(taskId),
      Option.match({
        onNone: () => Effect.succeedNone,
        onSome: (row) => Effect.asSome(loadRow(row, subscribers, failed))
      })
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
