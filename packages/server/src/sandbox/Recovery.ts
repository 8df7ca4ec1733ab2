import * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SandboxOptions } from "../config/SandboxOptions.ts"
import { Metering } from "../tasks/Metering.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import { ArtifactStore } from "./artifacts/ArtifactStore.ts"
import { Journal } from "./journal/Journal.ts"
import * as Notice from "./journal/Notice.ts"
import { SandboxStore } from "./journal/SandboxStore.ts"
import * as SessionArtifacts from "./artifacts/SessionArtifacts.ts"
import * as Subscribers from "./journal/Subscribers.ts"
import * as ToolCalls from "./session/ToolCalls.ts"
import * as UnitOfWork from "./journal/UnitOfWork.ts"

/** A task to start. With `hold` the service does not run the prompt itself. */
export interface Start {
  readonly taskId: TaskId
  readonly prompt: string
  readonly hold: boolean
}

export type CleanUp = Effect.Effect.Success<typeof makeCleanUp>

/**
 * Closes the turns, tool calls and requests that a lost owner left open, in one transaction. The execution of such a turn
 * has failed. Returns whether a turn was open.
 */
export const makeCleanUp = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tasks = yield* TaskStore
  const metering = yield* Metering
  const store = yield* SandboxStore
  const journal = yield* Journal
  const artifactStore = yield* ArtifactStore
  const { extensionPrefix } = yield* SandboxOptions

  const close = Effect.fnUntraced(function* (
    taskId: TaskId,
    openTurns: ReadonlyArray<string>,
    toolCalls: Iterable<unknown>
  ) {
    yield* store.withdrawPermissions(taskId)
    const lastSeq = yield* journal.lastSeq(taskId)
    const subscribers = Subscribers.make(taskId, journal, lastSeq)
    const unitOfWork = UnitOfWork.make(taskId, lastSeq, { sql, journal, subscribers })
    const records = yield* artifactStore.all(taskId)
    ToolCalls.make(taskId, toolCalls, unitOfWork).stop("failed")
    SessionArtifacts.stopTasks(taskId, records, { unitOfWork, store: artifactStore, prefix: extensionPrefix })
    for (const turnId of openTurns) {
      unitOfWork.publish("session/update", Notice.makeUpdate(taskId, interrupted))
      unitOfWork.write(store.endTurn(turnId, "error"))
      unitOfWork.write(metering.end({ taskId, turnId, counts: false }))
    }
    yield* unitOfWork.commit
    yield* tasks.transition(taskId, "failed")
  })

  return (taskId: TaskId): Effect.Effect<boolean> =>
    Effect.gen(function* () {
      const openTurns = yield* store.openTurns(taskId)
      if (openTurns.length === 0) return yield* Effect.as(store.withdrawPermissions(taskId), false)
      const { toolCalls } = yield* journal.summary(taskId)
      yield* Effect.orDie(sql.withTransaction(close(taskId, openTurns, toolCalls)))
      return true
    })
})

/** Ends or starts every task that an earlier process left unfinished. */
export const recover = Effect.fnUntraced(function* (cleanUp: CleanUp, start: (task: Start) => Effect.Effect<void>) {
  const tasks = yield* TaskStore
  const store = yield* SandboxStore
  for (const { status, taskId } of yield* tasks.unfinished) {
    if (status !== "creating") {
      const wasRunning = yield* cleanUp(taskId)
      if (!wasRunning) yield* tasks.transition(taskId, "idle")
      continue
    }
    const row = yield* store.get(taskId)
    if (Option.isNone(row)) yield* tasks.transition(taskId, "failed")
    else yield* start({ taskId, prompt: row.value.prompt, hold: row.value.held })
  }
})

const interrupted =
  "The service was interrupted while this turn was running, so the turn ended here. What was done until then stays; nothing was charged. Send your message again to go on."
