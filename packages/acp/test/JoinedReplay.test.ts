import * as SessionState from "@heddle/acp/SessionState"
import { assert, describe, it } from "@effect/vitest"
import { fold, outline, say } from "./fixtures/Updates.ts"

describe("a replay that joins the messages of users", () => {
  it("keeps a prompt above its answer, where the turn before had no words", () => {
    const live = fold(
      say("user", "one"),
      say("agent", "Said one."),
      say("user", "two", "u2"),
      say("user", "three", "u3")
    )
    const replay = fold(
      say("user", "one"),
      say("agent", "Said one."),
      say("user", "two"),
      say("user", "three"),
      say("agent", "Begun.")
    )
    assert.deepStrictEqual(outline(SessionState.reconcile(live, replay)), [
      "user: one",
      "agent: Said one.",
      "user: two",
      "user: three",
      "agent: Begun."
    ])
  })

  it("keeps it also below a message that this client has not seen", () => {
    const live = fold(say("user", "three"))
    const replay = fold(say("user", "of another"), say("user", "three"), say("agent", "Begun."))
    assert.deepStrictEqual(outline(SessionState.reconcile(live, replay)), [
      "user: of another",
      "user: three",
      "agent: Begun."
    ])
  })
})
