import { assert, it } from "@effect/vitest"
import { Users } from "@heddle/core/Users"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Client from "./Client.ts"
import * as Service from "./Service.ts"

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
