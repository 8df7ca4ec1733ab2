import type { TaskId } from "@heddle/core/domain/Task"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Path from "node:path"
import { SandboxOptions } from "../config/SandboxOptions.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import * as FolderRemoval from "./files/FolderRemoval.ts"
import { Journal } from "./journal/Journal.ts"
import { SandboxStore } from "./journal/SandboxStore.ts"

/**
 * Makes an effect that removes what deleted tasks left: history, prompt, tickets, name and folder. The row of the task stays, as
 * one that was deleted. A task whose sandbox is in use is left for the next time.
 */
export const make = Effect.fnUntraced(function* (
  isInUse: (taskId: TaskId) => boolean,
  folderOf: (taskId: TaskId) => string
) {
  const tasks = yield* TaskStore
  const store = yield* SandboxStore
  const journal = yield* Journal
  const { keepArchived } = yield* SandboxOptions

  const deleteArchived = Effect.gen(function* () {
    if (keepArchived === undefined) return
    const before = (yield* Clock.currentTimeMillis) - Duration.toMillis(keepArchived)
    const expired = yield* tasks.archivedBefore(before)
    yield* Effect.forEach(expired, (taskId) => tasks.transition(taskId, "deleted"), { discard: true })
  })

  const remove = Effect.fn("TaskRemoval.remove")(function* (taskId: TaskId) {
    yield* tasks.setName(taskId, "")
    yield* journal.remove(taskId)
    yield* Effect.tryPromise((signal) => removeFolder(folderOf(taskId), signal))
    // Last, because this row says that something is left.
    yield* store.remove(taskId)
    yield* Effect.logInfo("what a deleted task left was removed").pipe(Effect.annotateLogs({ taskId }))
  })

  return Effect.gen(function* () {
    yield* deleteArchived
    const left = yield* store.ofDeletedTasks
    yield* Effect.forEach(
      left.filter((taskId) => !isInUse(taskId)),
      remove,
      { discard: true }
    )
  }).pipe(
    Effect.catchAllCause((cause) =>
      Effect.logWarning("what a deleted task left could not be removed; the next time tries again", cause)
    )
  )
})

const removeFolder = (folder: string, signal: AbortSignal): Promise<void> =>
  FolderRemoval.remove({ path: Path.dirname(folder), close: () => Promise.resolve() }, Path.basename(folder), signal)
