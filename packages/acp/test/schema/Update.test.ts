import * as Permission from "@heddle/acp/Permission"
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

describe("Permission", () => {
  const options = [
    { optionId: "a", name: "Allow", kind: "allow" },
    { optionId: "r", name: "Reject", kind: "reject" }
  ]

  it("is read with the kinds of option that vendors invent and the barest of tool calls", () => {
    const permission = Permission.fromParams("r1", { sessionId: "s", toolCall: { toolCallId: "1" }, options })
    assert.deepStrictEqual(
      permission?.options.map(({ kind }) => kind),
      ["allow", "reject"]
    )
    assert.deepStrictEqual(permission?.questions, [])
  })

  it("carries questions and their answers", () => {
    const questions = [
      {
        question: "Which colour?",
        header: "Colour",
        options: [{ label: "Red", description: "warm" }, { label: "Blue" }]
      },
      { question: "Which sizes?", options: ["S", "M"], multiSelect: true }
    ]
    const permission = Permission.fromParams("r1", {
      sessionId: "s",
      toolCall: { toolCallId: "1", rawInput: { questions } },
      options
    })
    assert.deepStrictEqual(permission?.questions[1], {
      id: "q_1",
      question: "Which sizes?",
      kind: "choice",
      options: [
        { value: "S", label: "S" },
        { value: "M", label: "M" }
      ],
      multiSelect: true,
      freeText: true,
      required: false
    })
    const answers = { q_0: "Red", q_1: ["S", "M"] }
    assert.isDefined(permission)
    assert.deepStrictEqual(Permission.toResult(permission, Permission.selected("a", answers)), {
      outcome: { outcome: "selected", optionId: "a", answers },
      _meta: { answers }
    })
  })

  it("is nothing without options", () => {
    assert.isUndefined(Permission.fromParams("r1", { sessionId: "s", toolCall: { toolCallId: "1" } }))
  })
})
