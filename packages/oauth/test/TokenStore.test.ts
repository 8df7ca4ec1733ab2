import { PgClient } from "@effect/sql-pg"
import { SqliteClient } from "@effect/sql-sqlite-node"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import { OpenId } from "@heddle/core/domain/OpenId"
import * as EncryptionKey from "@heddle/oauth/EncryptionKey"
import { TokenSet } from "@heddle/oauth/TokenSet"
import { layerMemory, layerSql, migrate, TokenStore } from "@heddle/oauth/TokenStore"
import * as Folder from "@heddle/test-support/Folder"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { inspect } from "node:util"
import { ahead } from "./support/GrantProcesses.ts"
import * as Postgres from "./support/Postgres.ts"

const folder = Folder.folder("heddle-oauth-")

const key = (fill: number) => Redacted.make(Buffer.alloc(32, fill).toString("base64"))

const sqlite = (path: string, keys: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>] = [key(1)]) =>
  layerSql.pipe(
    Layer.provideMerge(Layer.effectDiscard(migrate)),
    Layer.provideMerge(SqliteClient.layer({ filename: join(path, "grants.db") })),
    Layer.provide(EncryptionKey.layer(keys))
  )

const tokens = (nth: number) =>
  new TokenSet({
    accessToken: Redacted.make(`access-secret-${nth}`),
    refreshToken: Redacted.make(`refresh-secret-${nth}`),
    obtainedAt: 1_700_000_000_000,
    expiresAt: 1_900_000_000_000,
    scopes: new Set(["a.b", "c.d"]),
    openId: OpenId.make("o")
  })

/** Compares stored tokens with their secrets, which are plain values here: chai sees into no Redacted and no Option. */
const assertTokens = (stored: Option.Option<TokenSet>, expected: TokenSet | null) =>
  assert.deepStrictEqual(plain(Option.getOrNull(stored)), plain(expected))

const plain = (set: TokenSet | null) => set && Schema.encodeSync(TokenSet)(set)

const postgres = (url: string) =>
  layerSql.pipe(
    Layer.provideMerge(Layer.effectDiscard(migrate)),
    Layer.provideMerge(PgClient.layer({ url: Redacted.make(url) })),
    Layer.provide(EncryptionKey.layer([key(1)]))
  )

const emptyDatabase = Postgres.databases()
const stores = ["memory", "sqlite", ...(Postgres.available() ? (["postgres"] as const) : [])] as const

describe.each(stores)("in %s", (kind) => {
  const run = <A, E>(test: Effect.Effect<A, E, TokenStore>) =>
    Effect.scoped(
      Effect.flatMap(folder, (path) => {
        if (kind === "postgres") return Effect.flatMap(emptyDatabase, (url) => Effect.provide(test, postgres(url)))
        const layer: Layer.Layer<TokenStore, unknown> = kind === "memory" ? layerMemory : sqlite(path)
        return Effect.provide(test, layer)
      })
    )

  it.scopedLive("moves tokens to another id, or changes nothing", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TokenStore
        yield* store.put("g", tokens(1))
        yield* store.put("h", tokens(2))
        assert.isTrue(yield* store.move("g", "h"))
        assert.isFalse(yield* store.move("g", "h"))
        assert.isTrue(Option.isNone(yield* store.get("g")))
        const moved = Option.getOrThrow(yield* store.get("h"))
        assertTokens(moved.tokens, tokens(1))
        assert.strictEqual(moved.version, 2, "what was sent for the one before comes too late")
        assert.isTrue(yield* store.kill("h", 2, "gone"))
        assert.isFalse(yield* store.move("h", "g"))
        assert.isTrue(Option.isSome(Option.getOrThrow(yield* store.get("h")).dead))
      })
    )
  )

  it.scopedLive("stores and removes grants", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TokenStore
        assert.isTrue(Option.isNone(yield* store.get("g")))
        yield* store.put("g", tokens(1))
        yield* store.put("g", tokens(2))
        const grant = Option.getOrThrow(yield* store.get("g"))
        assert.strictEqual(grant.version, 2)
        assertTokens(grant.tokens, tokens(2))
        const bare = new TokenSet({ accessToken: Redacted.make("x"), obtainedAt: 1 })
        yield* store.put("h", bare)
        assertTokens(Option.getOrThrow(yield* store.get("h")).tokens, bare)
        yield* store.remove("g")
        assert.isTrue(Option.isNone(yield* store.get("g")))
      })
    )
  )

  it.scopedLive("gives one lease at a time, until it is released, taken over or the version changes", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TokenStore
        yield* store.put("g", tokens(1))
        const lease = (owner: string, version = 1) => store.lease("g", version, { owner })
        assert.isTrue(yield* lease("a"))
        assert.isFalse(yield* lease("b"))
        assert.strictEqual(Option.getOrThrow(yield* store.get("g")).leaseNumber, 1, "it says no time")
        assert.isFalse(yield* Effect.withClock(lease("b"), ahead(3_600_000)))
        yield* store.release("g", "b", true)
        assert.isFalse(yield* lease("b"))
        const seen = Option.getOrThrow(yield* store.get("g")).leaseNumber
        const take = (abandoned: number) => store.lease("g", 1, { owner: "b", abandoned })
        assert.isTrue(yield* lease("a"))
        assert.isFalse(yield* take(seen), "its owner has extended it since")
        assert.isTrue(yield* take(seen + 1))
        assert.isFalse(yield* lease("a"))
        yield* store.release("g", "b", false)
        assert.isTrue(yield* lease("a"), "no time was waited")
        assert.isFalse(yield* take(seen + 1), "no number comes back")
        assert.isTrue(yield* store.replace("g", 1, tokens(2)))
        assert.isFalse(yield* lease("b"))
        assert.isTrue(yield* lease("a", 2))
        assert.isFalse(yield* store.lease("nobody", 1, { owner: "a" }))
      })
    )
  )

  it.scopedLive("fences late writes, and kills once", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TokenStore
        yield* store.put("g", tokens(1))
        yield* store.put("g", tokens(2))
        assert.isFalse(yield* store.replace("g", 1, tokens(3)))
        assert.isFalse(yield* store.kill("g", 1, "late"))
        assert.isTrue(yield* store.kill("g", 2, "gone"))
        assert.isFalse(yield* store.kill("g", 2, "gone"))
        assert.isFalse(yield* store.kill("g", 3, "gone"))
        assert.isFalse(yield* store.replace("g", 3, tokens(3)))
        const grant = Option.getOrThrow(yield* store.get("g"))
        assertTokens(grant.tokens, null)
        assert.strictEqual(Option.getOrNull(grant.dead), "gone")
        assert.deepStrictEqual([grant.scopes, grant.openId], [tokens(1).scopes, tokens(1).openId])
        yield* store.put("g", tokens(4))
        const revived = Option.getOrThrow(yield* store.get("g"))
        assertTokens(revived.tokens, tokens(4))
        assert.isNull(Option.getOrNull(revived.dead))
      })
    )
  )
})

describe("at rest", () => {
  it.scopedLive("no token can be read in the database's files", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.gen(function* () {
        const store = yield* TokenStore
        yield* store.put("g", tokens(1))
        yield* store.replace("g", 1, tokens(2))
        const files = yield* Effect.promise(() => readdir(path))
        const bytes = yield* Effect.promise(() =>
          Promise.all(files.map((file) => readFile(join(path, file), "latin1")))
        )
        assert.include(bytes.join(""), "oauth_grants")
        for (const plain of ["access-secret", "refresh-secret"]) {
          for (const form of ["utf8", "base64", "base64url", "hex", "utf16le"] as const) {
            const written =
              form === "utf16le" ? Buffer.from(plain, form).toString("latin1") : Buffer.from(plain).toString(form)
            assert.notInclude(bytes.join(""), written.replace(/=+$/, "").slice(0, 14))
          }
        }
      }).pipe(Effect.provide(sqlite(path)))
    })
  )

  it.scopedLive("a new key in front of the old one reads its tokens, other keys do not", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const get = Effect.flatMap(TokenStore, (store) => store.get("g"))
      yield* Effect.provide(
        Effect.flatMap(TokenStore, (store) => store.put("g", tokens(1))),
        sqlite(path, [key(1)])
      )
      const read = yield* Effect.provide(get, sqlite(path, [key(2), key(1)]))
      assertTokens(Option.getOrThrow(read).tokens, tokens(1))
      const error = yield* Effect.flip(Effect.provide(get, sqlite(path, [key(3)])))
      assert.strictEqual(error._tag, "TokenStoreUnavailable")
      assert.include(error.message, "another key")
    })
  )

  it.scopedLive("a token that was moved or changed is refused", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.gen(function* () {
        const store = yield* TokenStore
        const sql = yield* SqlClient.SqlClient
        yield* store.put("g", tokens(1))
        yield* store.put("h", tokens(2))
        yield* sql`UPDATE oauth_grants SET access_token_enc = (SELECT access_token_enc FROM oauth_grants WHERE id = 'g') WHERE id = 'h'`
        assert.include((yield* Effect.flip(store.get("h"))).message, "damaged")
        yield* sql`UPDATE oauth_grants SET refresh_token_enc = 'v1.x'`
        assert.propertyVal(yield* Effect.flip(store.get("g")), "_tag", "TokenStoreUnavailable")
      }).pipe(Effect.provide(sqlite(path)))
    })
  )

  it.scopedLive("the error of a failing database has no parameters", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.gen(function* () {
        const store = yield* TokenStore
        const sql = yield* SqlClient.SqlClient
        yield* sql`DROP TABLE oauth_grants`
        const error = yield* Effect.flip(store.put("g", tokens(1)))
        assert.strictEqual(error._tag, "TokenStoreUnavailable")
        assert.notInclude(inspect(error, { depth: 9 }), "secret")
        yield* migrate
        yield* migrate
      }).pipe(Effect.provide(sqlite(path)))
    })
  )
})

describe("EncryptionKey", () => {
  it.scoped("reads base64 or hex from the configuration, and names a wrong setting", () =>
    Effect.gen(function* () {
      const build = (value: string) =>
        Layer.build(EncryptionKey.layerConfig()).pipe(
          Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["HEDDLE_ENCRYPTION_KEY", value]])))
        )
      const random = Redacted.value(yield* EncryptionKey.generate)
      for (const good of [
        random,
        Buffer.alloc(32, 255).toString("base64"),
        "ab".repeat(32),
        `${random}, ${"0".repeat(64)}`
      ]) {
        yield* build(good)
      }
      for (const bad of ["", "short", "a".repeat(63), Buffer.alloc(31).toString("base64"), `${random},x`]) {
        const error = yield* Effect.flip(build(bad))
        assert.include(String(error), "HEDDLE_ENCRYPTION_KEY")
        assert.notInclude(String(error), random)
      }
    })
  )
})
