import { assert, describe, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { SqliteClient } from "@effect/sql-sqlite-node"
import * as SqlClient from "@effect/sql/SqlClient"
import { AuthorizationRequest } from "@heddle/oauth/AuthorizationRequest"
import * as AuthorizationRequests from "@heddle/oauth/AuthorizationRequests"
import * as EncryptionKey from "@heddle/oauth/EncryptionKey"
import { folder } from "@heddle/test-support/Folder"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { join } from "node:path"
import * as Postgres from "./support/Postgres.ts"

const asked = {
  baseUrl: "https://api.example",
  clientId: "app",
  redirectUri: "https://bot.example/cb",
  userId: "ada"
}

const answer = (state: string, rest: Readonly<Record<string, string>> = { code: "c" }) =>
  new URLSearchParams({ ...rest, state })

const anyone = { userId: undefined }

/** With the verifier as a plain value, which is compared: chai sees into no Redacted. */
const plain = Schema.encodeSync(AuthorizationRequest)

const emptyDatabase = Postgres.databases()

/** Two processes on one store, as far as callers can tell. */
const two = (kind: "memory" | "SQLite" | "PostgreSQL") =>
  Effect.gen(function* () {
    if (kind === "memory") {
      const one = Context.get(
        yield* Layer.build(AuthorizationRequests.layerMemory),
        AuthorizationRequests.AuthorizationRequests
      )
      return { one, other: one, dump: Effect.succeed(""), held: Effect.succeed("") }
    }
    const path = yield* folder("heddle-requests-")
    const url = kind === "PostgreSQL" ? yield* emptyDatabase : ""
    const open = Effect.gen(function* () {
      const client: Layer.Layer<SqlClient.SqlClient, unknown> =
        kind === "SQLite"
          ? SqliteClient.layer({ filename: join(path, "requests.db") })
          : PgClient.layer({ url: Redacted.make(url) })
      return yield* Layer.build(
        AuthorizationRequests.layerSql.pipe(
          Layer.provide(Layer.effectDiscard(AuthorizationRequests.migrate)),
          Layer.provideMerge(Layer.fresh(client)),
          Layer.provide(EncryptionKey.layer([Redacted.make("0".repeat(64))]))
        )
      )
    })
    const first = yield* open
    const sql = Context.get(first, SqlClient.SqlClient)
    return {
      one: Context.get(first, AuthorizationRequests.AuthorizationRequests),
      other: Context.get(yield* open, AuthorizationRequests.AuthorizationRequests),
      dump: Effect.map(sql`SELECT * FROM oauth_authorization_requests`, (rows) => JSON.stringify(rows)),
      held: Effect.map(sql`SELECT * FROM oauth_pending_confirmations`, (rows) => JSON.stringify(rows))
    }
  })

const kinds = ["memory", "SQLite", ...(Postgres.available() ? (["PostgreSQL"] as const) : [])] as const

describe.each(kinds)("authorizations under way in %s", (kind) => {
  it.scoped("are finished by exactly one callback, in any process, for their user", () =>
    Effect.gen(function* () {
      const { dump, one, other } = yield* two(kind)
      const request = yield* one.begin(asked)
      assert.notInclude(yield* dump, Redacted.value(request.codeVerifier))
      const all = yield* Effect.all(
        Array.from({ length: 20 }, (_, index) =>
          Effect.either((index % 2 === 0 ? one : other).finish(answer(request.state), anyone))
        ),
        { concurrency: "unbounded" }
      )
      const won = all.flatMap((each) => (each._tag === "Right" ? [each.right] : []))
      assert.lengthOf(won, 1)
      assert.strictEqual(won[0]?.userId, "ada")
      assert.strictEqual(Redacted.value(won[0]?.code ?? Redacted.make("")), "c")
      assert.deepStrictEqual(
        won.map((each) => plain(each.request)),
        [plain(request)]
      )
      for (const each of all) {
        if (each._tag === "Left")
          assert.deepInclude({ ...each.left }, { _tag: "CallbackRejected", reason: "stateUsed" })
      }
    })
  )

  it.scoped("are used up by a refusal", () =>
    Effect.gen(function* () {
      const { one } = yield* two(kind)
      const refused = yield* one.begin(asked)
      const denial = yield* Effect.flip(one.finish(answer(refused.state, { error: "access_denied" }), anyone))
      assert.strictEqual(denial._tag, "AccessDenied")
      const again = yield* Effect.flip(one.finish(answer(refused.state), anyone))
      assert.deepInclude({ ...again }, { reason: "stateUsed" })
    })
  )

  it.scoped("expire after ten minutes and are closed to other users", () =>
    Effect.gen(function* () {
      const { one, other } = yield* two(kind)
      const request = yield* one.begin(asked)
      const foreign = yield* Effect.flip(other.finish(answer(request.state), { userId: "eve" }))
      assert.deepInclude({ ...foreign }, { reason: "stateForeign" })
      assert.strictEqual((yield* other.finish(answer(request.state), { userId: "ada" })).userId, "ada")
      const unknown = yield* Effect.flip(one.finish(answer("x".repeat(43)), anyone))
      assert.deepInclude({ ...unknown }, { reason: "stateForeign" })
      const late = yield* one.begin(asked)
      yield* TestClock.adjust("10 minutes")
      const expired = yield* Effect.flip(one.finish(answer(late.state), anyone))
      assert.deepInclude({ ...expired }, { reason: "expired" })
    })
  )

  it.scoped("are confirmed once, by their user, with the code of the callback page", () =>
    Effect.gen(function* () {
      const { held, one, other } = yield* two(kind)
      const request = yield* one.begin({ ...asked, userLabel: "Ada <ada>" })
      const first = yield* one.holdForConfirmation(answer(request.state, { code: "secret-code" }))
      assert.deepInclude({ ...first }, { userId: "ada", userLabel: "Ada <ada>" })
      assert.match(Redacted.value(first.confirmationCode), /^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/)
      assert.notInclude(yield* held, "secret-code")
      assert.notInclude(yield* held, Redacted.value(first.confirmationCode))

      const reloaded = yield* other.holdForConfirmation(answer(request.state, { code: "secret-code" }))
      assert.strictEqual(Redacted.value(reloaded.confirmationCode), Redacted.value(first.confirmationCode))
      const guessed = yield* Effect.flip(other.holdForConfirmation(answer(request.state, { code: "another" })))
      assert.deepInclude({ ...guessed }, { reason: "stateUsed" })

      const eve = yield* Effect.flip(one.confirm({ userId: "eve", confirmationCode: first.confirmationCode }))
      assert.deepInclude({ ...eve }, { _tag: "ConfirmationRejected", reason: "none" })
      const typed = Redacted.make(` ${Redacted.value(first.confirmationCode).toLowerCase().replace("-", " ")}`)
      const all = yield* Effect.all(
        [one, other, one, other].map((each) => Effect.either(each.confirm({ userId: "ada", confirmationCode: typed }))),
        { concurrency: "unbounded" }
      )
      const won = all.flatMap((each) => (each._tag === "Right" ? [each.right] : []))
      assert.lengthOf(won, 1)
      assert.strictEqual(Redacted.value(won[0]?.code ?? Redacted.make("")), "secret-code")
      assert.deepStrictEqual(
        won.map((each) => plain(each.request)),
        [plain(request)]
      )
      const after = yield* Effect.flip(other.holdForConfirmation(answer(request.state, { code: "secret-code" })))
      assert.deepInclude({ ...after }, { reason: "stateUsed" })
    })
  )

  it.scoped("are deleted after five wrong codes, simultaneous ones included, and when they expire", () =>
    Effect.gen(function* () {
      const { held, one, other } = yield* two(kind)
      const request = yield* one.begin(asked)
      const { confirmationCode } = yield* one.holdForConfirmation(answer(request.state))
      const wrong = { userId: "ada", confirmationCode: Redacted.make("AAAA-AAAA") }
      assert.deepInclude({ ...(yield* Effect.flip(one.confirm(wrong))) }, { reason: "wrong", triesLeft: 4 })
      const guesses = yield* Effect.all(
        Array.from({ length: 20 }, (_, index) => Effect.flip((index % 2 === 0 ? one : other).confirm(wrong))),
        { concurrency: "unbounded" }
      )
      const reasons = guesses.map(({ reason }) => reason)
      assert.strictEqual(reasons.filter((reason) => reason === "wrong").length, 3)
      assert.strictEqual(reasons.filter((reason) => reason === "tooOften").length, 1)
      const late = yield* Effect.flip(one.confirm({ userId: "ada", confirmationCode }))
      assert.deepInclude({ ...late }, { reason: "none" })
      assert.notInclude(yield* held, request.state)

      const slow = yield* one.begin(asked)
      const waiting = yield* one.holdForConfirmation(answer(slow.state))
      yield* TestClock.adjust("10 minutes")
      const expired = yield* Effect.flip(other.confirm({ userId: "ada", confirmationCode: waiting.confirmationCode }))
      assert.deepInclude({ ...expired }, { reason: "none" })
    })
  )

  it.scoped("leave no pending confirmation when the service refuses", () =>
    Effect.gen(function* () {
      const { one, other } = yield* two(kind)
      const request = yield* one.begin({ ...asked, userLabel: "Ada <ada>" })
      const whose = () => Effect.map(other.find(answer(request.state)), Option.getOrUndefined)
      assert.deepInclude(yield* whose(), { userId: "ada", userLabel: "Ada <ada>" })
      const denial = yield* Effect.flip(one.holdForConfirmation(answer(request.state, { error: "access_denied" })))
      assert.strictEqual(denial._tag, "AccessDenied")
      assert.isUndefined(yield* whose(), "it was answered")
      assert.deepInclude(
        { ...(yield* Effect.flip(one.holdForConfirmation(answer(request.state)))) },
        { reason: "stateUsed" }
      )
    })
  )
})
