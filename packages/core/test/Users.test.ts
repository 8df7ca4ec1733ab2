import { assert, it } from "@effect/vitest"
import { Users } from "@heddle/core/Users"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import * as Client from "./Client.ts"
import * as Service from "./Service.ts"
import * as Spans from "./Spans.ts"

const number = "+86 (138) 1234-5678"

it.live("verifies a number as it was written", () =>
  Effect.gen(function* () {
    const service = yield* Service.make(({ body }) => ({ status: 200, body: { matched: body.includes("5678") } }))
    const users = yield* Effect.provide(Users, Client.layer(service.url))
    assert.isTrue(yield* users.verifyPhone(Redacted.make(number)))
    assert.isFalse(yield* users.verifyPhone(Redacted.make("+852 9123 4567")))
    assert.deepInclude(service.seen[0], { method: "POST", url: "/openapi/v2/user/phoneverification" })
    assert.deepStrictEqual(JSON.parse(service.seen[0]?.body ?? ""), { phone_number: number })
  }).pipe(Effect.scoped)
)

it.live("shows the number in no error and no span, though the service echoes it", () =>
  Effect.gen(function* () {
    const service = yield* Service.make(() => ({
      status: 400,
      body: { error: "invalid_request", error_description: `${number} is no mobile number` }
    }))
    const users = yield* Effect.provide(Users, Client.layer(service.url))
    const error = yield* Effect.flip(users.verifyPhone(Redacted.make(number)))
    assert.strictEqual(error._tag, "InvalidRequest")
    assert.notInclude(inspect(error, { depth: 9 }) + JSON.stringify(error) + error.message, "1234-5678")
    const spans = yield* Spans.textOf(users.verifyPhone(Redacted.make(number)))
    assert.include(spans, "Users.verifyPhone")
    assert.notMatch(spans, /1234.?5678/)
  }).pipe(Effect.scoped)
)
