import { assert, describe, it } from "@effect/vitest"
import { together } from "@heddle/bot/sql/Together"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

describe("together", () => {
  it.live("writes what is asked for at one moment at once, and lets nobody go on before", () =>
    Effect.gen(function* () {
      const written: Array<ReadonlyArray<number>> = []
      const durable = new Set<number>()
      const write = yield* together((rows: ReadonlyArray<number>) =>
        Effect.gen(function* () {
          written.push(rows)
          yield* Effect.sleep("20 millis")
          for (const row of rows) durable.add(row)
        })
      )
      yield* Effect.forEach(
        Array.from({ length: 1200 }, (_, row) => row),
        (row) => Effect.map(write(row), () => assert.isTrue(durable.has(row))),
        { concurrency: "unbounded" }
      )
      assert.deepEqual(
        written.map((rows) => rows.length),
        [500, 500, 200]
      )
      assert.strictEqual(durable.size, 1200)
    })
  )

  it.live("fails for those whose rows were not written, and for nobody else", () =>
    Effect.gen(function* () {
      const write = yield* together((rows: ReadonlyArray<string>) =>
        rows.includes("bad") ? Effect.dieMessage("no disk") : Effect.void
      )
      const exits = yield* Effect.all([write("good"), write("bad")].map(Effect.exit), { concurrency: "unbounded" })
      assert.deepEqual(exits.map(Exit.isSuccess), [false, false])
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(write("good"))))
    })
  )
})
