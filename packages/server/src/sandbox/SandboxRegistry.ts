import * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Path from "node:path"
import { Metering } from "../tasks/Metering.ts"
import { Sandboxes } from "../tasks/Sandboxes.ts"
import { unnamed } from "../config/AgentSettings.ts"
import { ServerConfig } from "../config/ServerConfig.ts"
import { DataVersion } from "../sql/DataVersion.ts"
import { isClosed, TaskStore } from "../tasks/TaskStore.ts"
import * as ArtifactStore from "./artifacts/ArtifactStore.ts"
import * as AgentFailure from "./agent/AgentFailure.ts"
import { Agents } from "./agent/Agents.ts"
import * as RunningAgents from "./agent/RunningAgents.ts"
import * as Journal from "./journal/Journal.ts"
import * as Sandbox from "./Sandbox.ts"
import * as Recovery from "./Recovery.ts"
import * as TaskRemoval from "./TaskRemoval.ts"
import * as SandboxFolder from "./SandboxFolder.ts"
import * as SandboxStore from "./journal/SandboxStore.ts"

/** The task has no sandbox, or none any more. */
export class NoSandbox extends Schema.TaggedError<NoSandbox>()("NoSandbox", {}) {}

/** The sandboxes of this process, loaded on first use. */
export class SandboxRegistry extends Context.Tag("@heddle/server/sandbox/SandboxRegistry")<
  SandboxRegistry,
  {
    /** The sandbox of a task that is neither archived nor deleted. */
    readonly get: (taskId: TaskId) => Effect.Effect<Sandbox.Sandbox, NoSandbox>
    /** Fails when the task has been archived or deleted; its agent and its connections end then. */
    readonly check: (taskId: TaskId) => Effect.Effect<void, NoSandbox>
    readonly start: (task: {
      readonly taskId: TaskId
      readonly prompt: string
      readonly hold: boolean
    }) => Effect.Effect<void>
  }
>() {}

const layerStores = Layer.mergeAll(Journal.layer, SandboxStore.layer, ArtifactStore.layer, RunningAgents.layer)

const layerRegistry = Layer.scoped(
  SandboxRegistry,
  Effect.gen(function* () {
    const tasks = yield* TaskStore
    const store = yield* SandboxStore.SandboxStore
    const { dataDir } = yield* ServerConfig
    const cleanUp = yield* Recovery.makeCleanUp
    const loaded: Loaded = new Map()
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.parallel)
    const folderOf = (taskId: TaskId) => Path.resolve(dataDir, "sandboxes", taskId)
    const closing = new Set<TaskId>()
    const release = yield* makeRelease(loaded, closing, scope)
    const load = yield* makeLoad(loaded, scope, { folderOf, cleanUp })

    const check = Effect.fn("SandboxRegistry.check")(function* (taskId: TaskId) {
      if (!Option.exists(yield* tasks.get(taskId), ({ status }) => isClosed(status))) return
      yield* release(taskId)
      return yield* new NoSandbox()
    })

    const get = (taskId: TaskId) =>
      Effect.andThen(check(taskId), load(taskId)).pipe(Effect.withSpan("SandboxRegistry.get"))

    const start = Effect.fn("SandboxRegistry.start")(
      function* ({ hold, prompt, taskId }: Recovery.Start) {
        yield* SandboxFolder.prepare(folderOf(taskId))
        yield* store.insert({ taskId, prompt, held: hold })
        const sandbox = yield* get(taskId)
        sandbox.start(prompt, hold)
      },
      // The task was archived or deleted meanwhile.
      Effect.catchTag("NoSandbox", () => Effect.void)
    )

    yield* Recovery.recover(cleanUp, start)
    yield* (yield* makeReleaseClosed(loaded, release)).pipe(
      Effect.schedule(Schedule.spaced("500 millis")),
      Effect.forkScoped
    )
    yield* (yield* TaskRemoval.make((taskId) => loaded.has(taskId) || closing.has(taskId), folderOf)).pipe(
      Effect.schedule(Schedule.spaced("5 seconds")),
      Effect.forkScoped
    )
    return {
      get,
      check,
      start: (task) =>
        start(task).pipe(
          Effect.catchAllCause((cause) =>
            Effect.andThen(
              Effect.logError("a sandbox could not be prepared", cause),
              tasks.transition(task.taskId, "failed")
            )
          ),
          Effect.annotateLogs({ taskId: task.taskId }),
          Effect.forkIn(scope),
          Effect.asVoid
        )
    }
  })
)

/** The loaded sandboxes; closing a scope ends the agent and the connections. */
type Loaded = Map<TaskId, { readonly sandbox: Sandbox.Sandbox; readonly scope: Scope.CloseableScope }>

/** Ends the sandbox of an archived or deleted task; its running turns count as cancelled. */
const makeRelease = Effect.fnUntraced(function* (loaded: Loaded, closing: Set<TaskId>, scope: Scope.Scope) {
  const store = yield* SandboxStore.SandboxStore
  const metering = yield* Metering
  return (taskId: TaskId) =>
    Effect.suspend(() => {
      const entry = loaded.get(taskId)
      if (entry === undefined) return Effect.void
      loaded.delete(taskId)
      closing.add(taskId)
      const close = Effect.gen(function* () {
        yield* Scope.close(entry.scope, Exit.void)
        yield* store.withdrawPermissions(taskId)
        for (const turnId of yield* store.openTurns(taskId)) {
          yield* store.endTurn(turnId, "cancelled")
          yield* metering.end({ taskId, turnId, counts: false })
        }
        yield* Effect.logInfo("the task was archived or deleted: its sandbox has ended")
      })
      // In a fiber, so that requests do not wait until the agent has exited.
      const closed = Effect.ensuring(
        close,
        Effect.sync(() => closing.delete(taskId))
      )
      return closed.pipe(Effect.uninterruptible, Effect.annotateLogs({ taskId }), Effect.forkIn(scope), Effect.asVoid)
    })
})

/** Releases the sandboxes of tasks that another process archived or deleted. */
const makeReleaseClosed = Effect.fnUntraced(function* (
  loaded: Loaded,
  release: (taskId: TaskId) => Effect.Effect<void>
) {
  const tasks = yield* TaskStore
  const version = yield* DataVersion
  let checkedVersion: number | undefined
  return Effect.gen(function* () {
    const currentVersion = version()
    if (loaded.size === 0 || (currentVersion !== undefined && currentVersion === checkedVersion)) return
    checkedVersion = currentVersion
    yield* Effect.forEach(yield* tasks.closed([...loaded.keys()]), release, { discard: true })
  }).pipe(
    Effect.catchAllCause((cause) =>
      Effect.logWarning("closed tasks could not be looked up; the next look tries again", cause)
    )
  )
})

/** Returns the sandbox of a task; loads it first where necessary, once for all who ask for it. */
const makeLoad = Effect.fnUntraced(function* (
  loaded: Loaded,
  scope: Scope.Scope,
  {
    folderOf,
    cleanUp
  }: {
    readonly folderOf: (taskId: TaskId) => string
    readonly cleanUp: Recovery.CleanUp
  }
) {
  const agents = yield* Agents
  const tasks = yield* TaskStore
  const store = yield* SandboxStore.SandboxStore
  const services = yield* Effect.context<
    | SqlClient.SqlClient
    | Journal.Journal
    | SandboxStore.SandboxStore
    | ArtifactStore.ArtifactStore
    | TaskStore
    | Metering
    | RunningAgents.RunningAgents
  >()
  const loading = new Map<TaskId, Deferred.Deferred<Sandbox.Sandbox, NoSandbox>>()

  const loadRow = Effect.fnUntraced(function* (row: SandboxStore.SandboxRow) {
    const { taskId } = row
    yield* cleanUp(taskId)
    const task = Option.getOrUndefined(yield* tasks.get(taskId))
    const agent = agentOf(task?.agent ?? unnamed, agents)
    const sandboxScope = yield* Scope.fork(scope, ExecutionStrategy.sequential)
    const sandbox = yield* Sandbox.make(row, { folder: folderOf(taskId), userId: task?.userId ?? "", agent }).pipe(
      Scope.extend(sandboxScope),
      Effect.provide(services)
    )
    loaded.set(taskId, { sandbox, scope: sandboxScope })
    // A failed owner is removed with its scope; the next use loads the task from its rows.
    yield* sandbox.ended.pipe(
      Effect.andThen(() => {
        loaded.delete(taskId)
        return Scope.close(sandboxScope, Exit.void)
      }),
      Effect.forkIn(scope)
    )
    return sandbox
  })

  /** In a fiber of its own: a request that breaks off leaves no half of a sandbox. */
  const startLoading = (taskId: TaskId) => {
    const result = Deferred.unsafeMake<Sandbox.Sandbox, NoSandbox>(FiberId.none)
    loading.set(taskId, result)
    return store
      .get(taskId)
      .pipe(
        Effect.flatMap(Option.match({ onNone: () => new NoSandbox(), onSome: loadRow })),
        Effect.ensuring(Effect.sync(() => loading.delete(taskId))),
        Effect.interruptible,
        Effect.intoDeferred(result),
        Effect.forkIn(scope),
        Effect.as(result)
      )
  }

  return (taskId: TaskId) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const present = loaded.get(taskId)?.sandbox
        if (present !== undefined) return Effect.succeed(present)
        const result = loading.get(taskId)
        return Effect.flatMap(result === undefined ? startLoading(taskId) : Effect.succeed(result), (loading) =>
          restore(Deferred.await(loading))
        )
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

const layerService = Layer.effect(
  Sandboxes,
  Effect.gen(function* () {
    const config = yield* ServerConfig
    const registry = yield* SandboxRegistry
    const store = yield* SandboxStore.SandboxStore
    return {
      start: registry.start,
      channel: Effect.fn("SandboxRegistry.channel")(function* (taskId) {
        const link = `${config.publicUrl}/sandboxes/${encodeURIComponent(taskId)}/acp`
        return Option.map(yield* store.get(taskId), ({ held }) => ({ link, held }))
      })
    }
  })
)

/** The sandboxes of this service, with the services of their HTTP routes. Building the layer recovers from a crash. */
export const layer: Layer.Layer<
  Sandboxes | SandboxRegistry | ArtifactStore.ArtifactStore,
  never,
  SqlClient.SqlClient | TaskStore | Metering | ServerConfig | Agents
> = layerService.pipe(Layer.provideMerge(layerRegistry), Layer.provideMerge(layerStores))
