import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/**
 * Writes rows that are asked for at about the same moment with one statement, so that one commit waits for the disk in
 * place of many. Each caller goes on when its own row is durable.
 */
export const together = <Row, A>(
  write: (rows: ReadonlyArray<Row>) => Effect.Effect<A>
): Effect.Effect<(row: Row) => Effect.Effect<void>> =>
  Effect.map(Effect.makeSemaphore(1), (writer) => {
    let waiting: Array<Waiting<Row>> = []
    const writeWaiting = Effect.gen(function* () {
      yield* others
      const batch = waiting.slice(0, most)
      waiting = waiting.slice(most)
      const exit = yield* Effect.exit(write(batch.map(({ row }) => row)))
      for (const one of batch) one.exit = Exit.asVoid(exit)
    })
    return (row) =>
      Effect.suspend(() => {
        const mine: Waiting<Row> = { row, exit: undefined }
        waiting.push(mine)
        // Whoever comes first writes for all who wait; the others find their rows written.
        const written = Effect.gen(function* () {
          while (mine.exit === undefined) yield* writeWaiting
          yield* mine.exit
        })
        return Effect.uninterruptible(writer.withPermits(1)(written))
      })
  })

interface Waiting<Row> {
  readonly row: Row
  exit: Exit.Exit<void> | undefined
}

/** Lets everything run that is ready to run. */
const others = Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** Rows of one statement, whose number of values is limited. */
const most = 500
