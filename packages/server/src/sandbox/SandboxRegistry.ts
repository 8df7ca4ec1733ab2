import * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
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
import * as Subscribers from "./session/Subscribers.ts"
import { Isolation } from "./agent/Isolation.ts"
import * as Journal from "./session/Journal.ts"
import * as UnitOfWork from "./session/UnitOfWork.ts"
import * as Sandbox from "./Sandbox.ts"
import { SandboxOptions } from "../config/SandboxOptions.ts"
import * as SandboxStore from "./session/SandboxStore.ts"
import * as SessionArtifacts from "./session/SessionArtifacts.ts"
import * as ToolCalls from "./session/ToolCalls.ts"

/** There is no sandbox for this task, or no longer. */
export class NoSandbox extends Schema.TaggedError<NoSandbox>()("NoSandbox", {}) {}

/** The sandboxes of this process, each loaded when it is first needed. */
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

const layerStores = Layer.mergeAll(Journal.layer, SandboxStore.layer, ArtifactStore.layer)

const layerRegistry = Layer.scoped(
  SandboxRegistry,
  Effect.gen(function* () {
    const config = yield* ServerConfig
    const sql = yield* SqlClient.SqlClient
    const tasks = yield* TaskStore
    const metering = yield* Metering
    const store = yield* SandboxStore.SandboxStore
    const journal = yield* Journal.Journal
    const artifactStore = yield* ArtifactStore.ArtifactStore
    const { extensionPrefix } = yield* SandboxOptions
    const services = yield* Effect.context<
      | SqlClient.SqlClient
      | Journal.Journal
      | SandboxStore.SandboxStore
      | ArtifactStore.ArtifactStore
      | TaskStore
      | Metering
    >()
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.parallel)
    const loading = yield* Effect.makeSemaphore(1)
    const loaded = new Map<TaskId, Loaded>()
    const version = yield* DataVersion
    const agent = {
      command: config.agentCommand,
      environment: config.agentEnvironment,
      isolation: yield* Isolation
    }
    const folderOf = (taskId: TaskId) => Path.resolve(config.dataDir, "sandboxes", taskId)

    /** Closes what an owner that is gone has left open, in one transaction. */
    const settle = (taskId: TaskId) =>
      Effect.gen(function* () {
        yield* store.withdrawPermissions(taskId)
        const open = yield* store.openTurns(taskId)
        if (open.length === 0) return
        const lastSeq = yield* journal.lastSeq(taskId)
        const unitOfWork = UnitOfWork.make(taskId, lastSeq, {
          sql,
          journal,
          subscribers: Subscribers.make(taskId, journal, lastSeq)
        })
        const records = yield* artifactStore.all(taskId)
        ToolCalls.make(taskId, yield* journal.toolCalls(taskId), unitOfWork).stop("failed")
        SessionArtifacts.stopTasks(taskId, records, { unitOfWork, store: artifactStore, prefix: extensionPrefix })
        for (const turnId of open) {
          unitOfWork.tell("session/update", Sandbox.noticeUpdate(taskId, interrupted))
          unitOfWork.write(store.endTurn(turnId, "cancelled"))
          unitOfWork.write(metering.end({ taskId, turnId, counts: false }))
        }
        yield* unitOfWork.commit
        yield* tasks.transition(taskId, "completed")
      }).pipe(sql.withTransaction, Effect.orDie)

    /** Ends the sandbox of a task that was archived or deleted; what its agent was doing counts as cancelled. */
    const release = (taskId: TaskId) =>
      Effect.suspend(() => {
        const present = loaded.get(taskId)
        if (present === undefined) return Effect.void
        loaded.delete(taskId)
        const close = Effect.gen(function* () {
          yield* Scope.close(present.scope, Exit.void)
          yield* store.withdrawPermissions(taskId)
          for (const turnId of yield* store.openTurns(taskId)) {
            yield* store.endTurn(turnId, "cancelled")
            yield* metering.end({ taskId, turnId, counts: false })
          }
          yield* Effect.logInfo("the task was archived or deleted: its sandbox has ended")
        })
        // Nobody who asks for the sandbox waits until its agent is gone.
        return close.pipe(Effect.uninterruptible, Effect.annotateLogs({ taskId }), Effect.forkIn(scope), Effect.asVoid)
      })

    const check = Effect.fn("SandboxRegistry.check")(function* (taskId: TaskId) {
      if (!Option.exists(yield* tasks.get(taskId), ({ status }) => isClosed(status))) return
      yield* release(taskId)
      return yield* new NoSandbox()
    })

    /** Tasks are closed by administration, which may be another process: this notices it without a request. */
    let seen: number | undefined
    const releaseClosed = Effect.gen(function* () {
      const now = version()
      if (loaded.size === 0 || (now !== undefined && now === seen)) return
      seen = now
      yield* Effect.forEach(yield* tasks.closed([...loaded.keys()]), release, { discard: true })
    }).pipe(
      Effect.catchAllCause((cause) =>
        Effect.logWarning("closed tasks could not be looked up; the next look tries again", cause)
      )
    )

    const load = (row: SandboxStore.SandboxRow) =>
      Effect.gen(function* () {
        const { taskId } = row
        yield* settle(taskId)
        const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
        const sandbox = yield* Sandbox.make(row, { folder: folderOf(taskId), agent }).pipe(
          Scope.extend(own),
          Effect.provide(services)
        )
        loaded.set(taskId, { sandbox, scope: own })
        // An owner that failed is forgotten with all it held; the next use loads the task from its rows.
        yield* sandbox.ended.pipe(
          Effect.andThen(() => {
            loaded.delete(taskId)
            return Scope.close(own, Exit.void)
          }),
          Effect.forkIn(scope)
        )
        return sandbox
      })

    const get = (taskId: TaskId) =>
      Effect.flatMap(check(taskId), () => {
        const present = loaded.get(taskId)?.sandbox
        if (present !== undefined) return Effect.succeed(present)
        return loading.withPermits(1)(
          Effect.gen(function* () {
            const meanwhile = loaded.get(taskId)?.sandbox
            if (meanwhile !== undefined) return meanwhile
            const row = yield* store.get(taskId)
            return Option.isSome(row) ? yield* load(row.value) : yield* new NoSandbox()
          })
        )
      }).pipe(Effect.withSpan("SandboxRegistry.get"))

    const start = Effect.fn("SandboxRegistry.start")(
      function* (task: { readonly taskId: TaskId; readonly prompt: string; readonly hold: boolean }) {
        const { taskId, prompt, hold } = task
        yield* Sandbox.prepareFolder(folderOf(taskId))
        yield* store.insert({ taskId, prompt, held: hold })
        const sandbox = yield* get(taskId)
        sandbox.start(prompt, hold)
        // Whoever archived or deleted the task in this moment wants nothing of it any more.
      },
      Effect.catchTag("NoSandbox", () => Effect.void)
    )

    /** Puts every task right that a process which is gone has left in the middle of something. */
    const recover = Effect.gen(function* () {
      for (const { taskId, status } of yield* tasks.unfinished) {
        if (status !== "creating") {
          yield* settle(taskId)
          yield* tasks.transition(taskId, "completed")
          continue
        }
        const row = yield* store.get(taskId)
        if (Option.isNone(row)) yield* tasks.transition(taskId, "failed")
        else yield* start({ taskId, prompt: row.value.prompt, hold: row.value.held })
      }
    })

    yield* recover
    yield* releaseClosed.pipe(Effect.schedule(Schedule.spaced("500 millis")), Effect.forkScoped)
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

interface Loaded {
  readonly sandbox: Sandbox.Sandbox
  /** Its end ends the agent and the connections. */
  readonly scope: Scope.CloseableScope
}

const layerSandboxes = Layer.effect(
  Sandboxes,
  Effect.gen(function* () {
    const config = yield* ServerConfig
    const registry = yield* SandboxRegistry
    const store = yield* SandboxStore.SandboxStore
    return {
      start: registry.start,
      link: Effect.fn("Sandboxes.link")(function* (taskId) {
        const prepared = yield* store.get(taskId)
        return Option.map(prepared, () => `${config.publicUrl}/sandboxes/${encodeURIComponent(taskId)}/acp`)
      })
    }
  })
)

/** The sandboxes of this service, with what their HTTP routes need. Building it puts right what a crash left behind. */
export const layer: Layer.Layer<
  Sandboxes | SandboxRegistry | ArtifactStore.ArtifactStore,
  never,
  SqlClient.SqlClient | TaskStore | Metering | ServerConfig | Isolation
> = layerSandboxes.pipe(Layer.provideMerge(layerRegistry), Layer.provideMerge(layerStores))

const interrupted =
  "The service was interrupted while this turn was running, so the turn ended here. What was done until then stays; nothing was charged. Send your message again to go on."
