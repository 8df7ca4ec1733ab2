import * as SessionFold from "@heddle/acp/SessionFold"
import * as SessionState from "@heddle/acp/SessionState"
import { assert, describe, it } from "@effect/vitest"
import { fold, outline, read, say, tool } from "./fixtures/Updates.ts"

describe("SessionFold", () => {
  it("shows a prompt at once and takes its echo for it", () => {
    const folding = SessionFold.make(SessionState.empty)
    folding.prompt([{ type: "text", text: "hello there" }])
    assert.deepStrictEqual(outline(folding.state()), ["user: hello there"])
    folding.apply(say("user", "hello "))
    folding.apply(say("user", "there"))
    folding.apply(say("agent", "hi"))
    assert.deepStrictEqual(outline(folding.state()), ["user: hello there", "agent: hi"])
  })

  it("does not take another person's message for the echo", () => {
    const folding = SessionFold.make(SessionState.empty)
    folding.prompt([{ type: "text", text: "mine" }])
    folding.apply(say("user", "theirs", "m1"))
    assert.deepStrictEqual(outline(folding.state()), ["user: mine", "user: theirs"])
  })

  it("folds a replay of 200,000 updates in a moment and copies only what is looked at", () => {
    const folding = SessionFold.make(SessionState.empty)
    for (let turn = 0; turn < 2000; turn++) {
      folding.apply(say("user", `question ${turn}`))
      folding.apply(tool(`${turn}`, { title: "Look" }))
      for (let chunk = 0; chunk < 98; chunk++) folding.apply(say("agent", "word "))
    }
    const state = folding.state()
    assert.strictEqual(state.entries.length, 6000)
    assert.strictEqual(folding.state(), state)
    assert.strictEqual(SessionState.messages(state, "agent")[1999]?.text.length, 490)
  })

  it("costs the same for each update of one message, however long it is and whatever it holds", () => {
    const link = read({ sessionUpdate: "agent_message_chunk", content: { type: "resource_link", name: "a", uri: "b" } })
    const time = (updates: number) => {
      const folding = SessionFold.make(SessionState.empty)
      const word = say("agent", "word ")
      const from = performance.now()
      for (let n = 0; n < updates; n++) folding.apply(n % 2 === 0 ? word : link)
      const [message] = SessionState.messages(folding.state())
      assert.strictEqual(message?.content.length, updates)
      assert.strictEqual(message?.text.length, (updates / 2) * 5)
      return performance.now() - from
    }
    // Copying the message for each update would take a quarter of an hour.
    assert.isBelow(time(200_000), 10_000)
  })

  it("keeps the agent's words apart from the service's message that came between", () => {
    const notice = read({
      sessionUpdate: "agent_message_chunk",
      messageId: "notice",
      content: { type: "text", text: "It was not answered in time." },
      _meta: { "heddle/notice": true }
    })
    const said = fold(say("agent", "I am wri"), notice, say("agent", "So "), say("agent", "I stop."))
    assert.deepStrictEqual(outline(said), [
      "agent: I am wri",
      "agent: It was not answered in time.",
      "agent: So I stop."
    ])
  })

  it("gives a new message a key of its own after a replay that named some", () => {
    const folding = SessionFold.make(SessionState.empty)
    for (const text of ["a", "b"]) {
      folding.prompt([{ type: "text", text }])
      folding.apply(say("agent", `answer to ${text}`, text))
    }
    const replayed = fold(
      say("user", "a, as the agent keeps it", "u1"),
      say("agent", "answer to a", "a"),
      say("user", "b", "u2"),
      say("agent", "answer to b", "b")
    )
    const again = SessionFold.make(SessionState.reconcile(folding.state(), replayed))
    again.prompt([{ type: "text", text: "c" }])
    assert.deepStrictEqual(outline(again.state()), [
      "user: a, as the agent keeps it",
      "agent: answer to a",
      "user: b",
      "agent: answer to b",
      "user: c"
    ])
  })

  it("gives each reader the text so far, and what it gave is not changed afterwards", () => {
    const folding = SessionFold.make(SessionState.empty)
    folding.apply(say("agent", "one", "m"))
    const before = folding.state()
    folding.apply(say("agent", " two", "m"))
    folding.apply(tool("t", { title: "Look" }))
    const after = folding.state()
    folding.apply(say("agent", " three", "m"))
    assert.deepStrictEqual(
      [outline(before), outline(after), outline(folding.state())],
      [["agent: one"], ["agent: one two", "tool: Look"], ["agent: one two three", "tool: Look"]]
    )
    assert.strictEqual(folding.state().entries[1], after.entries[1])
  })
})
