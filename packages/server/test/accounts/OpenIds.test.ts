import { assert, describe, it } from "@effect/vitest"
import * as OpenIds from "@heddle/server/accounts/OpenIds"
import { MasterKey } from "@heddle/server/config/MasterKey"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

describe("open_id", () => {
  // Applications store it: another value would make every person a stranger to them.
  it.effect("is the HMAC-SHA256 of application and user under a key of the service, in every version", () =>
    Effect.gen(function* () {
      const openIds = yield* OpenIds.OpenIds
      assert.strictEqual(openIds.of("app", "user"), "UcjURhrBBvlrtj59uQiWDXt5aSsKkwtknyN9ykralqc")
      assert.notStrictEqual(openIds.of("a", "bc"), openIds.of("ab", "c"))
    }).pipe(
      Effect.provide(OpenIds.layer),
      Effect.provide(Layer.succeed(MasterKey, { derive: () => new Uint8Array(32).fill(7) }))
    )
  )
})
