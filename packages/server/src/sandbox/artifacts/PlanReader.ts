import * as Effect from "effect/Effect"

/** Has the plans read that an agent keeps in files. */
export interface PlanReader {
  /** Asks for a plan to be read once more. */
  readonly ask: (uri: string, file: string) => void
}

/**
 * Makes the reads of one task: one at a time, however fast they are asked for. Of a plan that is asked for again before
 * its turn has come only the newest request counts.
 */
export const make = (
  fork: (effect: Effect.Effect<void>) => void,
  read: (file: string) => Promise<string | undefined>,
  onRead: (uri: string, text: string) => void
): PlanReader => {
  const waiting = new Map<string, string>()
  let reading = false

  const readAll = Effect.gen(function* () {
    for (const [uri, file] of waiting) {
      waiting.delete(uri)
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
    ask: (uri, file) => {
      if (file.length > longestName || (waiting.size >= mostWaiting && !waiting.has(uri))) {
        return fork(Effect.logWarning("a plan file is not read: its name is too long, or too many plans wait"))
      }
      waiting.set(uri, file)
      if (reading) return
      reading = true
      fork(readAll)
    }
  }
}

const longestName = 8192
const mostWaiting = 200
