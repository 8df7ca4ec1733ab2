import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { Application } from "@heddle/bot/model/Application"
import { artifacts } from "@heddle/bot/store/migrations/0001_initial"
import * as DownloadLinks from "@heddle/bot/store/DownloadLinks"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"

const layer = DownloadLinks.layer.pipe(
  Layer.provideMerge(
    Layer.succeed(Application, {
      clientId: "app",
      clientSecret: Redacted.make("s"),
      callbackUrl: "https://bot.example/below/oauth/callback"
    })
  ),
  Layer.provideMerge(Layer.effectDiscard(artifacts)),
  Layer.provideMerge(SqliteClient.layer({ filename: ":memory:" }))
)

const target = { threadId: "1", uri: "agent:///artifacts/a.zip", userId: "2" }

const tokenOf = (url: Redacted.Redacted) => Redacted.make(Redacted.value(url).split("/").at(-1) ?? "")

describe("a private link", () => {
  it.effect("leads to its file for ten minutes and expires", () =>
    Effect.gen(function* () {
      const links = yield* DownloadLinks.DownloadLinks
      const one = yield* links.make(target)
      const other = yield* links.make({ ...target, uri: "agent:///artifacts/b.zip" })
      assert.match(Redacted.value(one.url), /^https:\/\/bot\.example\/below\/artifacts\/[\w-]{43}$/)
      assert.notStrictEqual(Redacted.value(one.url), Redacted.value(other.url))
      yield* TestClock.adjust("9 minutes")
      assert.deepEqual(Option.getOrNull(yield* links.find(tokenOf(one.url))), target)
      assert.isTrue(Option.isNone(yield* links.find(Redacted.make("x"))))
      yield* TestClock.adjust("1 minute")
      assert.isTrue(Option.isNone(yield* links.find(tokenOf(one.url))))
      yield* links.make(target)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly token_hash: string }>`SELECT * FROM download_links`
      assert.strictEqual(rows.length, 1)
      assert.notInclude(JSON.stringify(rows), Redacted.value(tokenOf(one.url)))
    }).pipe(Effect.provide(layer))
  )
})
