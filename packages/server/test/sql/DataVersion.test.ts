import { assert, describe, it } from "@effect/vitest"
import { Accounts } from "@heddle/server/accounts/Accounts"
import * as Administration from "@heddle/server/Administration"
import { Applications } from "@heddle/server/oauth/Applications"
import * as Storage from "@heddle/server/sql/Storage"
import * as DataVersion from "@heddle/server/sql/DataVersion"
import * as Turn from "@heddle/server/sql/Turn"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as Api from "../support/Api.ts"
import { authorize } from "../support/Browser.ts"
import * as TestServer from "../support/TestServer.ts"

const command = fileURLToPath(new URL("../../bin/heddle-server.js", import.meta.url))

const profile = (server: TestServer.TestServer, token: string) =>
  Effect.map(
    Api.call(server, token, "/user/profile"),
    ({ json, status }) => [status, status === 200 ? json["nickname"] : json["error"]] as const
  )

describe("DataVersion", () => {
  it.scopedLive("changes after a commit of any connection, and only then", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      yield* Effect.gen(function* () {
        const current = yield* DataVersion.DataVersion
        const sql = yield* SqlClient.SqlClient
        const versions: Array<number | undefined> = []
        const note = Effect.sync(() => versions.push(current()))
        const insert = sql`INSERT INTO accounts (user_id, login, nickname, avatar, created_at)
          VALUES ('ada', 'ada', 'Ada', '', 0)`
        yield* note
        yield* sql`SELECT * FROM accounts`
        yield* note
        yield* Effect.flip(insert.pipe(Effect.zipRight(Effect.fail("undo")), sql.withTransaction))
        yield* note
        yield* insert
        yield* note
        yield* Effect.flatMap(Accounts, (accounts) => accounts.create({ name: "Grace" })).pipe(
          Effect.provide(Administration.layer(dataDir))
        )
        yield* note
        assert.isDefined(versions[0])
        assert.deepStrictEqual(versions.slice(1, 3), [versions[0], versions[0]])
        assert.strictEqual(new Set(versions).size, 3)
      }).pipe(Effect.provide(Layer.provideMerge(DataVersion.layer(dataDir), Storage.layer(dataDir))))
    })
  )

  it.scopedLive("is looked up once for the requests of a turn of the event loop, and again for the next", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const look = Effect.gen(function* () {
        const current = yield* DataVersion.DataVersion
        const sql = yield* SqlClient.SqlClient
        const commit = () => Effect.runSync(sql`UPDATE master_key SET fingerprint = fingerprint`)
        const versions: Array<number | undefined> = []
        const look = () => void versions.push(current())
        yield* Effect.async<void>((resume) => {
          for (const task of [look, commit, look]) Turn.defer(task)
          // The next turn.
          setImmediate(() => {
            for (const task of [look, () => resume(Effect.void)]) Turn.defer(task)
          })
        })
        look()
        commit()
        look()
        return versions
      })
      const [first, second, third, outside, after] = yield* look.pipe(
        Effect.provide(Layer.provideMerge(DataVersion.layer(dataDir), Storage.layer(dataDir)))
      )
      assert.isDefined(first)
      assert.strictEqual(second, first)
      assert.notStrictEqual(third, first)
      assert.strictEqual(outside, third)
      assert.notStrictEqual(after, outside)
    })
  )

  it.scopedLive(
    "invalidates cached answers after a change by another process",
    () =>
      Effect.gen(function* () {
        const server = yield* TestServer.make()
        const token = yield* server.grantTo("Shuttle", "Grace")
        for (let times = 0; times < 3; times++) assert.deepStrictEqual(yield* profile(server, token), [200, "Grace"])

        const { clientId } = yield* Effect.flatMap(Applications, (applications) =>
          Effect.map(applications.list, (all) => all.find(({ name }) => name === "Shuttle")!)
        ).pipe(Effect.provide(Administration.layer(server.dataDir)))
        yield* Effect.promise(() =>
          promisify(execFile)(process.execPath, [command, "app", "disable", clientId, "--data", server.dataDir])
        )
        assert.deepStrictEqual(yield* profile(server, token), [403, "access_denied"])
      }),
    40_000
  )

  it.scopedLive("invalidates cached answers after a change by the server itself", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const callback = yield* authorize(server)
      const fields = Api.codeFields(server, callback.get("code") ?? "")
      const token = String((yield* Api.token(server, fields)).json["access_token"])
      for (let times = 0; times < 3; times++) assert.deepStrictEqual(yield* profile(server, token), [200, "Ada"])
      // A second exchange of the code revokes what the first one gave.
      assert.strictEqual((yield* Api.token(server, fields)).status, 400)
      assert.deepStrictEqual(yield* profile(server, token), [401, "invalid_token"])
    })
  )

  it.scopedLive("ends an access token in time, also when it was cached", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ accessTokenTtl: { code: "2 seconds" } })
      const issuedBy = Date.now()
      const { access_token } = yield* Api.connect(server)
      const answers: Array<readonly [number, unknown]> = []
      while (answers.at(-1)?.[0] !== 401 && Date.now() < issuedBy + 8000) {
        answers.push(yield* profile(server, access_token))
        yield* Effect.sleep("50 millis")
      }
      assert.deepStrictEqual(answers[0], [200, "Ada"])
      assert.isAbove(answers.length, 2)
      assert.deepStrictEqual(answers.at(-1), [401, "invalid_token"])
    })
  )
})
