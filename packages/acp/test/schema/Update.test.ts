import * as Update from "@heddle/acp/schema/Update"
import { assert, describe, it } from "@effect/vitest"

const read = (update: unknown) => Update.decode({ sessionId: "s", update })?.update

describe("Update", () => {
  it("keeps text as it came, with fields of the future", () => {
    const update = {
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text: "hi", mood: "good" },
      messageId: "m1",
      later: true
    }
    assert.strictEqual<unknown>(read(update), update)
  })

  it("keeps an unknown kind whole", () => {
    const update = { sessionUpdate: "session_end", reason: 5 }
    assert.deepStrictEqual<unknown>(read(update), { sessionUpdate: "unknown", tag: "session_end", raw: update })
  })

  it("keeps unknown content, values and fields inside a known kind", () => {
    const hologram = { type: "hologram", depth: 3 }
    assert.deepInclude(
      read({
        sessionUpdate: "tool_call",
        toolCallId: "1",
        title: "t",
        kind: "weird",
        status: "cancelled",
        content: [
          { type: "content", content: hologram },
          { type: "smell", of: "roses" }
        ],
        vendor: { extra: true }
      }),
      {
        kind: "weird",
        status: "cancelled",
        content: [
          { type: "content", content: { type: "unknown", tag: "hologram", raw: hologram } },
          { type: "unknown", tag: "smell", raw: { type: "smell", of: "roses" } }
        ],
        vendor: { extra: true }
      } as never
    )
  })

  it("leaves out one odd field or item, not the update", () => {
    assert.deepInclude(
      read({
        sessionUpdate: "tool_call_update",
        toolCallId: "1",
        title: 7,
        status: "completed",
        locations: [{ path: "/a" }, { line: 3 }, "b"],
        rawOutput: "text",
        _meta: []
      }),
      { title: undefined, status: "completed", locations: [{ path: "/a" }], rawOutput: "text" }
    )
    assert.deepInclude(
      read({
        sessionUpdate: "plan",
        entries: [{ content: "a", priority: "urgent", status: "paused" }, { content: 1 }]
      }),
      { entries: [{ content: "a", priority: "urgent", status: "paused" }] } as never
    )
  })

  it("is unknown when what it needs is missing, and nothing without a kind", () => {
    assert.strictEqual(read({ sessionUpdate: "tool_call", title: "no id" })?.sessionUpdate, "unknown")
    assert.isUndefined(read({ no: "kind" }))
    assert.isUndefined(Update.decode({ update: {} }))
    assert.isUndefined(Update.decode(null))
  })
})
