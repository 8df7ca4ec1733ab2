import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { started } from "./support.ts"

const withPhone = Effect.gen(function* () {
  const running = yield* started()
  yield* running.server.accounts.create({ name: "Bea", phone: "138-1234 5678" })
  const bea = running.as(yield* running.server.grantTo("Loom", "Bea"))
  return { ...running, verify: (phone_number: unknown) => bea("/user/phoneverification", { phone_number }) }
})

describe("decisions on profile, phone and credit", () => {
  it.scopedLive("decision 54: nickname and avatar are always present, empty when unset", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      assert.deepStrictEqual((yield* call("/user/profile")).json, { nickname: "Ada", avatar: "" })
    })
  )

  it.scopedLive("decision 55: phone numbers match in any notation", () =>
    Effect.gen(function* () {
      const { verify } = yield* withPhone
      for (const [written, matched] of [
        ["13812345678", true],
        ["+86 (138) 1234-5678", true],
        ["１３８１２３４５６７８", true],
        ["13812345679", false],
        ["+852 9123 4567", false]
      ] as const) {
        const answer = yield* verify(written)
        assert.strictEqual(answer.status, 200, written)
        assert.deepStrictEqual(answer.json, { matched }, written)
        assert.strictEqual(answer.headers.get("cache-control"), "private, no-store")
      }
    })
  )

  it.scopedLive("decision 56: a wrong format is 400 without the value; without a stored number, no match", () =>
    Effect.gen(function* () {
      const { call, verify } = yield* withPhone
      for (const bad of [
        "62345678",
        "138.1234.5678",
        "+86 10 6234 5678",
        "",
        " ",
        "x",
        13812345678,
        null,
        ["13812345678"]
      ]) {
        const answer = yield* verify(bad)
        assert.strictEqual(answer.status, 400, String(bad))
        assert.strictEqual(answer.json["error"], "invalid_request")
        assert.include(String(answer.json["error_description"]), "phone_number")
        if (typeof bad === "string" && bad.length > 2) assert.notInclude(answer.text, bad)
        assert.notInclude(answer.text, "13812345678")
      }
      const none = yield* call("/user/phoneverification", { phone_number: "13812345678" })
      assert.deepStrictEqual([none.status, none.json], [200, { matched: false }])
      assert.strictEqual((yield* call("/user/phoneverification", {})).status, 400)
    })
  )

  it.scopedLive("decision 57: ten numbers an hour for an application and user, in any notation", () =>
    Effect.gen(function* () {
      const { as, server, verify } = yield* withPhone
      for (let wrong = 0; wrong < 12; wrong++) assert.strictEqual((yield* verify("62345678")).status, 400)
      const guesses = Array.from({ length: 30 }, (_, index) => verify(`138123456${70 + (index % 10)}`))
      const answers = yield* Effect.all(guesses, { concurrency: "unbounded" })
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 10)
      const refused = yield* verify("13812345678")
      assert.deepStrictEqual([refused.status, refused.json["error"]], [429, "rate_limited"])
      const wait = Number(refused.headers.get("retry-after"))
      assert.isTrue(wait > 3500 && wait <= 3600, `${wait}`)
      const elsewhere = as(yield* server.grantTo("Other", "Bea"))
      const other = yield* elsewhere("/user/phoneverification", { phone_number: "13812345678" })
      assert.deepStrictEqual(other.json, { matched: true })
    })
  )

  it.scopedLive("decision 58: credits are for people; an organisation is refused with access_denied", () =>
    Effect.gen(function* () {
      const { as, call, server } = yield* started()
      assert.strictEqual((yield* call("/credit")).status, 200)
      yield* server.accounts.create({ name: "Weavers", personal: false, credits: 5 })
      const refused = yield* as(yield* server.grantTo("Loom", "Weavers"))("/credit")
      assert.deepStrictEqual([refused.status, refused.json["error"]], [403, "access_denied"])
    })
  )

  it.scopedLive("decision 59: profile, phone, credit and tasks have no envelope; the local assistant has one", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      assert.deepStrictEqual(Object.keys((yield* call("/credit")).json), ["total_capacity_size", "total_capacity_used"])
      assert.deepStrictEqual(Object.keys((yield* call("/tasks")).json).sort(), ["pagination", "tasks", "total"])
      for (const path of ["/localassistant", "/localassistant/message"]) {
        assert.deepStrictEqual(Object.keys((yield* call(path)).json).sort(), ["code", "data", "msg", "request_id"])
      }
    })
  )

  it.scopedLive("stores a number as E.164, and refuses invalid ones", () =>
    Effect.gen(function* () {
      const { server } = yield* started()
      const refused = yield* Effect.flip(server.accounts.create({ name: "Carl", phone: "62345678" }))
      assert.include(refused.message, "country code")
      assert.notInclude(refused.message, "62345678")
    })
  )
})
