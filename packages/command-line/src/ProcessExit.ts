import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { constants } from "node:os"

/**
 * Ends the process this many milliseconds after the first SIGINT or SIGTERM, even if something hangs, and at once after
 * a second one.
 */
export const limitStop = (limitMs: number): void => {
  let isStopping = false
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      if (isStopping) process.exit(128 + constants.signals[signal])
      isStopping = true
      setTimeout(() => process.exit(), limitMs).unref()
    })
}

/** Runs a synchronous task where the process exits before the scope closes. A kill runs nothing. */
export const before = (task: () => void): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      // One listener for all tasks: Node warns of many.
      if (tasks.size === 0) process.on("exit", runTasks)
      tasks.add(task)
    }),
    () =>
      Effect.sync(() => {
        tasks.delete(task)
        if (tasks.size === 0) process.off("exit", runTasks)
      })
  )

const tasks = new Set<() => void>()

const runTasks = () => {
  for (const task of tasks) task()
}
