import * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Path from "node:path"
import { Metering } from "../tasks/Metering.ts"
import { Sandboxes } from "../tasks/Sandboxes.ts"
import { ServerConfig } from "../config/ServerConfig.ts"
import { DataVersion } from "../sql/DataVersion.ts"
import { isClosed, TaskStore } from "../tasks/TaskStore.ts"
import * as ArtifactStore from "./artifacts/ArtifactStore.ts"
import { Agents } from "./agent/Agents.ts"
import * as RunningAgents from "./agent/RunningAgents.ts"
import type { Channel } from "./channel/Channel.ts"
import * as Journal from "./journal/Journal.ts"
import * as LoadedSandboxes from "./LoadedSandboxes.ts"
import type { ClientConnection, Sandbox } from "./Sandbox.ts"
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
    readonly get: (taskId: TaskId) => Effect.Effect<Sandbox, NoSandbox>
    /** Adds a client connection to a task; its messages load the sandbox where necessary. */
    readonly join: (taskId: TaskId, channel: Channel) => ClientConnection
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
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.parallel)
    const folderOf = (taskId: TaskId) => Path.resolve(dataDir, "sandboxes", taskId)
    const loaded = yield* LoadedSandboxes.make({ folderOf, cleanUp })
    const release = yield* makeRelease(loaded)

    const check = Effect.fn("SandboxRegistry.check")(function* (taskId: TaskId) {
      if (!Option.exists(yield* tasks.get(taskId), ({ status }) => isClosed(status))) return
      yield* release(taskId)
      return yield* new NoSandbox()
    })

    const get = Effect.fn("SandboxRegistry.get")(function* (taskId: TaskId) {
      yield* check(taskId)
      return yield* Effect.catchAll(Effect.flatten(loaded.get(taskId)), () => new NoSandbox())
    })

    const start = Effect.fn("SandboxRegistry.start")(
      function* ({ hold, prompt, taskId }: Recovery.Start) {
        yield* SandboxFolder.prepare(folderOf(taskId))
        yield* store.insert({ taskId, prompt, held: hold })
        const sandbox = yield* get(taskId)
        sandbox.offer({ _tag: "Started", prompt, hold })
      },
      // The task was archived or deleted meanwhile.
      Effect.catchTag("NoSandbox", () => Effect.void)
    )

    yield* Recovery.recover(cleanUp, start)
    yield* (yield* makeReleaseClosed(loaded, release)).pipe(
      Effect.schedule(Schedule.spaced("500 millis")),
      Effect.forkScoped
    )
    yield* (yield* TaskRemoval.make(loaded.has, folderOf)).pipe(
      Effect.schedule(Schedule.spaced("5 seconds")),
      Effect.forkScoped
    )
    return {
      get,
      join: loaded.join,
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

/** Ends the sandbox of an archived or deleted task; its running turns count as cancelled. */
const makeRelease = Effect.fnUntraced(function* (loaded: LoadedSandboxes.LoadedSandboxes) {
  const store = yield* SandboxStore.SandboxStore
  const metering = yield* Metering
  const closeTurns = Effect.fnUntraced(function* (taskId: TaskId) {
    yield* store.withdrawPermissions(taskId)
    for (const turnId of yield* store.openTurns(taskId)) {
      yield* store.endTurn(turnId, "cancelled")
      yield* metering.end({ taskId, turnId, counts: false })
    }
    yield* Effect.logInfo("the task was archived or deleted: its sandbox has ended")
  })
  return (taskId: TaskId) => loaded.end(taskId, closeTurns(taskId))
})

/** Releases the sandboxes of tasks that another process archived or deleted. */
const makeReleaseClosed = Effect.fnUntraced(function* (
  loaded: LoadedSandboxes.LoadedSandboxes,
  release: (taskId: TaskId) => Effect.Effect<void>
) {
  const tasks = yield* TaskStore
  const version = yield* DataVersion
  let checkedVersion: number | undefined
  return Effect.gen(function* () {
    const currentVersion = version()
    const taskIds = loaded.taskIds()
    if (taskIds.length === 0 || (currentVersion !== undefined && currentVersion === checkedVersion)) return
    checkedVersion = currentVersion
    yield* Effect.forEach(yield* tasks.closed(taskIds), release, { discard: true })
  }).pipe(
    Effect.catchAllCause((cause) =>
      Effect.logWarning("closed tasks could not be looked up; the next look tries again", cause)
    )
  )
})

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
