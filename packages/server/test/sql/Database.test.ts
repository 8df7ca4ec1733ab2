import { assert, describe, it } from "@effect/vitest"
import * as Database from "@heddle/server/sql/Database"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as TestServer from "../support/TestServer.ts"

describe("Database", () => {
  it.scoped("runs a statement again a second after it could not be prepared", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const read = sql`SELECT id FROM late`
        yield* Effect.flip(read)
        yield* sql`CREATE TABLE late (id INTEGER PRIMARY KEY)`
        yield* TestClock.adjust("1001 millis")
        assert.deepEqual(yield* read, [])
      }).pipe(Effect.provide(Database.layer(dataDir)))
    })
  )
})
