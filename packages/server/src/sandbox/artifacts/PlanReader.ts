import * as Effect from "effect/Effect"

/** Reads plan files of an agent, one at a time. */
export interface PlanReader {
  /** Queues a read of a plan file. */
  readonly request: (uri: string, file: string) => void
}

/**
 * Makes the reader of one task. A newer request for a plan replaces its queued one.
 */
export const make = (
  fork: (effect: Effect.Effect<void>) => void,
  read: (file: string) => Promise<string | undefined>,
  onRead: (uri: string, text: string) => void
): PlanReader => {
  const queued = new Map<string, string>()
  let reading = false

  const readAll = Effect.gen(function* () {
    for (const [uri, file] of queued) {
      queued.delete(uri)
      const text = yield* Effect.tryPromise(() => read(file)).pipe(
        Effect.catchAll(({ error }) =>
          Effect.as(Effect.logWarning("the agent's plan file could not be read", error), undefined)
        )
      )
      if (text !== undefined) onRead(uri, text)
    }
    reading = false
  })

  return {
    request: (uri, file) => {
      if (file.length > maxPathLength || (queued.size >= maxQueued && !queued.has(uri))) {
        return fork(Effect.logWarning("a plan file is not read: its name is too long, or too many plans wait"))
      }
      queued.set(uri, file)
      if (reading) return
      reading = true
      fork(readAll)
    }
  }
}

const maxPathLength = 8192
const maxQueued = 200
