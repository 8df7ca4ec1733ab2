import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import { Accounts } from "@heddle/server/accounts/Accounts"
import { SignIns } from "@heddle/server/accounts/SignIns"
import * as Housekeeping from "@heddle/server/Housekeeping"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { withAllRules } from "../support/AllRules.ts"

const password = Redacted.make("correct horse")
const halfDay = 43_200_000

/** Signs a person in; returns the session. */
const signIn = (name: string, address = "192.0.2.1", given = password) =>
  Effect.flatMap(SignIns, (signIns) => signIns.signIn({ name, password: given, address }))

const account = (session: Redacted.Redacted) =>
  Effect.flatMap(SignIns, (signIns) =>
    Effect.map(signIns.account(session), (found) => Option.getOrUndefined(found)?.nickname)
  )

const people = Effect.flatMap(Accounts, (accounts) =>
  Effect.forEach(["Carl", "Dora"], (name) => accounts.create({ name, password }))
)

describe("of two sessions", () => {
  it.scoped("each ends twelve hours after its sign-in, to the millisecond, or when it is signed out", () =>
    withAllRules({}, () =>
      Effect.gen(function* () {
        yield* people
        const sql = yield* SqlClient.SqlClient
        const signIns = yield* SignIns
        const carl = Option.getOrThrow(yield* signIn("Carl"))
        yield* TestClock.adjust(1)
        const dora = Option.getOrThrow(yield* signIn("Dora"))
        const again = Option.getOrThrow(yield* signIn("Dora"))
        const now = Effect.forEach([carl, dora, again], account)
        assert.deepStrictEqual(yield* now, ["Carl", "Dora", "Dora"])
        yield* signIns.signOut(again)
        yield* TestClock.adjust(halfDay - 2)
        assert.deepStrictEqual(yield* now, ["Carl", "Dora", undefined])
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* now, [undefined, "Dora", undefined])
        yield* Housekeeping.sweep
        assert.lengthOf(yield* sql`SELECT 1 FROM sign_ins`, 1)
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* now, [undefined, undefined, undefined])
      })
    )
  )

  it.scoped("each has its own token for each form", () =>
    withAllRules({}, () =>
      Effect.gen(function* () {
        const signIns = yield* SignIns
        const [one, two] = [yield* signIns.open, yield* signIns.open]
        const tokens = [signIns.csrfToken(one, "a"), signIns.csrfToken(one, "b"), signIns.csrfToken(two, "a")]
        assert.strictEqual(new Set(tokens).size, 3)
        assert.strictEqual(signIns.csrfToken(one, "a"), tokens[0])
      })
    )
  )
})

describe("wrong passwords", () => {
  const wrong = Redacted.make("wrong")
  const outcome = (name: string, address: string, given = wrong) =>
    Effect.match(signIn(name, address, given), {
      onSuccess: (session) => (Option.isSome(session) ? "in" : "wrong"),
      onFailure: ({ _tag }) => _tag
    })

  it.scoped("are counted for each account and network, ten in ten minutes, and a right one starts again", () =>
    withAllRules({}, () =>
      Effect.gen(function* () {
        yield* people
        const [here, there] = ["192.0.2.1", "198.51.100.1"]
        for (let tries = 0; tries < 9; tries++) assert.strictEqual(yield* outcome("Carl", here), "wrong")
        assert.strictEqual(yield* outcome("Carl", here, password), "in")
        yield* TestClock.adjust("1 minute")
        for (let tries = 0; tries < 10; tries++) assert.strictEqual(yield* outcome(" CARL ", here), "wrong")
        assert.strictEqual(yield* outcome("Carl", here, password), "RateLimited")
        assert.strictEqual(yield* outcome("Carl", there, password), "in")
        assert.strictEqual(yield* outcome("Dora", here, password), "in")
        yield* TestClock.adjust("5 minutes")
        // Tries that were refused do not lengthen the wait.
        for (let tries = 0; tries < 11; tries++) assert.strictEqual(yield* outcome("Carl", here), "RateLimited")
        yield* TestClock.adjust(299_999)
        assert.strictEqual(yield* outcome("Carl", here, password), "RateLimited")
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* outcome("Carl", here, password), "in")
      })
    )
  )

  it.scoped("are counted for each network, twenty in a minute", () =>
    withAllRules({}, () =>
      Effect.gen(function* () {
        yield* people
        for (let tries = 0; tries < 20; tries++)
          assert.strictEqual(yield* outcome(`name ${tries}`, "192.0.2.1"), "wrong")
        assert.strictEqual(yield* outcome("Carl", "192.0.2.1", password), "RateLimited")
        assert.strictEqual(yield* outcome("Carl", "198.51.100.1", password), "in")
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* outcome("Carl", "192.0.2.1", password), "in")
      })
    )
  )
})
