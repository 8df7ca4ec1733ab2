import { assert, describe, it } from "@effect/vitest"
import { remedy } from "@heddle/bot/turn/Failure"
import { english } from "@heddle/bot/messages/Translations"
import { OutcomeUnknown, RateLimited, ServiceFailure, Unreachable } from "@heddle/core/OpenApiError"

const failures = [
  new Unreachable({ operation: "tasks.get", reason: "the connection was refused", requestId: "r-1" }),
  new OutcomeUnknown({ operation: "tasks.get", reason: "the connection broke", requestId: "r-1" }),
  new ServiceFailure({ status: 503, code: "server_error", description: "down", requestId: "r-1" }),
  new RateLimited({ code: "rate_limited", description: "too many", requestId: "r-1" })
]

describe("a turn whose service stays away", () => {
  for (const failure of failures)
    it(`after ${failure._tag} does not claim that nothing was charged, since the agent may have the prompt`, () => {
      const tried = remedy(failure, english, "1", 16)
      assert.strictEqual(tried._tag, "TryAgain")
      if (tried._tag === "Reconnect") return
      assert.notMatch(tried.text, /nothing was/i)
      assert.match(tried.text, /for 16 minutes[^]*charged as usual[^]*r-1/)
    })
})
