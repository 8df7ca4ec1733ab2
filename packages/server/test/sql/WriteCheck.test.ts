import { assert, describe, it } from "@effect/vitest"
import { ServerConfig } from "@heddle/server/config/ServerConfig"
import { settings } from "@heddle/server/config/ServerOptions"
import * as Database from "@heddle/server/sql/Database"
import * as Storage from "@heddle/server/sql/Storage"
import * as WriteCheck from "@heddle/server/sql/WriteCheck"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as TestServer from "../support/TestServer.ts"

describe("the check for writes", () => {
  const check = Effect.fnUntraced(function* (database: string, dataDir: string) {
    const config = (yield* settings({ dataDir })).withPort(1)
    const made = Effect.flatten(WriteCheck.make)
    return yield* made.pipe(Effect.provideService(ServerConfig, config), Effect.provide(Storage.layer(database)))
  })

  it.scopedLive("writes what is there already, and leaves no file", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      yield* check(dataDir, dataDir)
      assert.deepEqual(
        Fs.readdirSync(dataDir).filter((name) => !name.startsWith(Path.basename(Database.path(dataDir)))),
        ["master.key"]
      )
    })
  )

  it.scopedLive("fails where the database takes rows and its disk takes no file", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const error = yield* Effect.flip(check(dataDir, Path.join(dataDir, "missing")))
      assert.isFalse(WriteCheck.isRefusal(error))
      for (const code of ["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EMFILE", "SQLITE_FULL"])
        assert.isTrue(WriteCheck.isRefusal(Object.assign(new Error("full"), { code })), code)
    })
  )
})
