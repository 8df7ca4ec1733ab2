import * as JsonRpc from "@heddle/acp/JsonRpc"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as TestClock from "effect/TestClock"
import { RateLimitWaits } from "#internal/http/RateLimitWaits"

describe("the waits that servers ask for", () => {
  it.effect("hold the messages of one method to one server, and end", () =>
    Effect.gen(function* () {
      const waits = new RateLimitWaits()
      const prompt = JsonRpc.request(1, "session/prompt", {})
      const isHeld = (link: string, message: JsonRpc.Message = prompt) =>
        Effect.map(Effect.exit(waits.awaitEnd(link, message)), Exit.isFailure)
      yield* waits.begin("https://a.example/one", prompt, 300)
      assert.isTrue(yield* isHeld("https://a.example/one"))
      assert.isTrue(yield* isHeld("https://a.example/moved"))
      assert.isFalse(yield* isHeld("https://b.example/one"))
      assert.isFalse(yield* isHeld("https://a.example/one", JsonRpc.notification("session/cancel", {})))
      assert.isFalse(yield* isHeld("https://a.example/one", JsonRpc.success(1, {})))
      yield* TestClock.adjust("300 seconds")
      assert.isFalse(yield* isHeld("https://a.example/one"))
    })
  )
})
