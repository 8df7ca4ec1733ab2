import { assert, describe, it } from "@effect/vitest"
import * as AgentPlan from "@heddle/server/sandbox/artifacts/AgentPlan"
import * as ArtifactRecord from "@heddle/server/sandbox/artifacts/ArtifactRecord"
import * as LastMessage from "@heddle/server/sandbox/artifacts/LastMessage"

const text = { _tag: "Text", key: undefined, text: "# Do it" } as const

describe("AgentPlan", () => {
  it("reads the plan at the end of plan mode from any order of tool call updates", () => {
    const plan = { plan: "# Do it" }
    const { readPermission, readUpdate } = AgentPlan.makeReader()
    const call = (fields: object) => readUpdate({ sessionUpdate: "tool_call", toolCallId: "1", ...fields })
    assert.deepStrictEqual(call({ kind: "switch_mode", rawInput: plan }), text)
    // Later messages about the call have neither its kind nor its name.
    assert.deepStrictEqual(readUpdate({ sessionUpdate: "tool_call_update", toolCallId: "1", rawInput: plan }), text)
    assert.deepStrictEqual(readPermission({ toolCall: { toolCallId: "1", rawInput: plan } }), text)
    for (const _meta of [
      { claudeCode: { toolName: "ExitPlanMode" } },
      { "vendor.ai/toolName": "ExitPlanMode" },
      { toolName: "exit_plan_mode" }
    ]) {
      const { readPermission } = AgentPlan.makeReader()
      assert.deepStrictEqual(readPermission({ toolCall: { toolCallId: "2", _meta, rawInput: plan } }), text)
    }
    const file = { _tag: "File", key: undefined, file: "/w/.gemini/plans/a.md" } as const
    assert.deepStrictEqual(call({ kind: "switch_mode", rawInput: { plan_path: "/w/.gemini/plans/a.md" } }), file)
    assert.deepStrictEqual(call({ kind: "switch_mode", rawInput: { plan: " ", planFilePath: file.file } }), file)
  })

  it("reads no plan from another tool's input", () => {
    const { readPermission, readUpdate } = AgentPlan.makeReader()
    const none = [
      { sessionUpdate: "tool_call", toolCallId: "1", kind: "edit", rawInput: { plan: "no" } },
      {
        sessionUpdate: "tool_call",
        toolCallId: "1",
        kind: "think",
        _meta: { toolName: "EnterPlanMode" },
        rawInput: { plan: "no" }
      },
      { sessionUpdate: "tool_call", toolCallId: "2", kind: "switch_mode", rawInput: { plan: 42 } },
      { sessionUpdate: "tool_call", toolCallId: "2", kind: "switch_mode", rawInput: "plan" },
      { sessionUpdate: "agent_message_chunk", kind: "switch_mode", rawInput: { plan: "no" } },
      { sessionUpdate: "plan_update", plan: { type: "hologram", planId: "a" } },
      { sessionUpdate: "plan_update", plan: { type: "markdown", content: "no id" } },
      { sessionUpdate: "plan_update" },
      { sessionUpdate: "plan_removed" },
      "text",
      undefined
    ]
    for (const each of none) assert.strictEqual(readUpdate(each), undefined, JSON.stringify(each))
    assert.strictEqual(readPermission({ toolCall: { toolCallId: "9", rawInput: { plan: "no" } } }), undefined)
    assert.strictEqual(readPermission({}), undefined)
  })

  it("reads plans with ids: lists, Markdown, files, and their removal", () => {
    const { readUpdate } = AgentPlan.makeReader()
    const told = (plan: object) => readUpdate({ sessionUpdate: "plan_update", plan: { planId: "a", ...plan } })
    assert.deepStrictEqual(told({ type: "items", entries: [1] }), { _tag: "Tasks", key: "a", entries: [1] })
    assert.deepStrictEqual(told({ type: "markdown", content: "x" }), { _tag: "Text", key: "a", text: "x" })
    assert.deepStrictEqual(told({ type: "file", uri: "file:///w/p.md" }), {
      _tag: "File",
      key: "a",
      file: "file:///w/p.md"
    })
    assert.deepStrictEqual(readUpdate({ sessionUpdate: "plan_removed", planId: "a" }), { _tag: "Removed", key: "a" })
    assert.deepStrictEqual(readUpdate({ sessionUpdate: "plan", entries: "none" }), {
      _tag: "Tasks",
      key: undefined,
      entries: []
    })
  })
})

describe("ArtifactRecord", () => {
  it("increases versions and times, also after a deletion and a clock set back", () => {
    const content = (body: object) => ({ uri: "u", type: "plan", body: { ...body } })
    const first = ArtifactRecord.put(undefined, content({ text: "a", createdAt: 5 }), 1000)
    const second = ArtifactRecord.put(first, content({ text: "b", version: 7 }), 1000)
    const third = ArtifactRecord.put(second, content({ text: "c", version: 3 }), 10)
    const gone = ArtifactRecord.remove(third, 10)
    const again = ArtifactRecord.put(gone, content({ text: "c", createdAt: 9999 }), 10)
    const records = [first, second, third, gone, again]
    assert.deepStrictEqual(
      records.map(({ body, event, updatedAt }) => [event, body["version"], updatedAt]),
      [
        ["created", 1, 1000],
        ["updated", 7, 1001],
        ["updated", 8, 1002],
        ["deleted", 8, 1003],
        ["created", 9, 1004]
      ]
    )
    // An agent's own time would move pages that were read already.
    assert.deepStrictEqual([first.createdAt, again.createdAt], [1000, 10])
    const retold = ArtifactRecord.put(third, content({ text: "c", title: "T" }), 10)
    assert.strictEqual(retold.body["version"], 8, "the same text is the same version")
  })
})

describe("LastMessage", () => {
  it("is the last message of its turn", () => {
    const last = LastMessage.make()
    const say = (text: string, messageId?: string) =>
      last.update({
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text },
        ...(messageId ? { messageId } : {})
      })
    say("before")
    last.begin()
    assert.strictEqual(last.text(), undefined)
    say("I will ")
    say("look.")
    last.update({ sessionUpdate: "tool_call", toolCallId: "1" })
    assert.strictEqual(last.text(), "I will look.")
    say("It is ")
    last.update({ sessionUpdate: "tool_call_update", toolCallId: "1" })
    say("done.\n")
    assert.strictEqual(last.text(), "It is done.")
    say("First", "m1")
    say("Second", "m2")
    assert.strictEqual(last.text(), "Second")
    say("x".repeat(300_000), "m2")
    assert.strictEqual(last.text(), undefined)
  })
})
