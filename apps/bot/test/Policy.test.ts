import { assert, describe, it } from "@effect/vitest"
import { decide } from "@heddle/bot/access/Policy"

describe("Policy", () => {
  it("lets anyone start in a server, and the owner alone do the rest", () => {
    assert.strictEqual(decide("you", { _tag: "StartTask", inGuild: true }), "allowed")
    assert.strictEqual(decide("you", { _tag: "StartTask", inGuild: false }), "onlyInServers")
    assert.strictEqual(decide("you", { _tag: "OwnAccount" }), "allowed")
    for (const _tag of ["Reply", "Approve", "Stop", "Read"] as const) {
      assert.strictEqual(decide("you", { _tag, ownerId: "you" }), "allowed")
      assert.strictEqual(decide("sam", { _tag, ownerId: "you" }), "notYours")
      assert.strictEqual(decide("", { _tag, ownerId: "you" }), "notYours")
    }
  })
})
