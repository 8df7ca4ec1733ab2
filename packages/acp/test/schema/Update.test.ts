import * as Update from "@heddle/acp/schema/Update"
import * as Wire from "@heddle/acp/schema/generated/AcpSchema"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const read = (update: unknown) => Update.decode({ sessionId: "s", update })?.update

const text = { type: "text", text: "hi", annotations: { priority: 1, audience: ["user"] }, _meta: { a: 1 } }
const wellFormed = [
  { sessionUpdate: "agent_message_chunk", content: text, messageId: "m", _meta: null },
  { sessionUpdate: "user_message_chunk", content: { type: "image", data: "AA", mimeType: "image/png", uri: null } },
  {
    sessionUpdate: "agent_thought_chunk",
    content: { type: "resource", resource: { uri: "file:///a", text: "a", mimeType: "text/plain" } }
  },
  {
    sessionUpdate: "tool_call",
    toolCallId: "1",
    title: "t",
    kind: "edit",
    status: "pending",
    content: [
      { type: "content", content: text },
      { type: "diff", path: "/a", oldText: null, newText: "b" }
    ],
    locations: [{ path: "/a", line: 1 }],
    rawInput: { deep: [{ er: null }] }
  },
  { sessionUpdate: "tool_call_update", toolCallId: "1", status: null, rawOutput: "done", future: [1] },
  { sessionUpdate: "plan", entries: [{ content: "c", priority: "high", status: "completed", _meta: {} }] },
  {
    sessionUpdate: "available_commands_update",
    availableCommands: [{ name: "n", description: "", input: { hint: "h" } }]
  },
  { sessionUpdate: "current_mode_update", currentModeId: "m" },
  { sessionUpdate: "session_info_update", title: null, updatedAt: "now" },
  { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 0.5, currency: "EUR" } },
  { sessionUpdate: "notice", severity: "info", title: "n", description: null },
  { sessionUpdate: "hologram", of: "roses" }
]

/** The value with one member, at any depth, replaced or left out. */
const damaged = (value: unknown, at: number, by: unknown): unknown => {
  let left = at
  const walk = (each: unknown): unknown => {
    if (left-- === 0) return by
    if (Array.isArray(each)) return each.map(walk)
    if (typeof each !== "object" || each === null) return each
    return Object.fromEntries(Object.entries(each).map(([name, member]) => [name, walk(member)]))
  }
  return JSON.parse(JSON.stringify(walk(value)) ?? "null")
}

describe("Update", () => {
  it("cannot read what has no name where one is expected, whatever it is instead", () => {
    const nameless = { toString: 0 }
    assert.isUndefined(read({ sessionUpdate: nameless }))
    const chunk = read({ sessionUpdate: "agent_message_chunk", content: { type: nameless } })
    assert.notStrictEqual(chunk?.sessionUpdate, "agent_message_chunk")
  })

  it("keeps options of an unknown kind as they are, and commands that say nothing of themselves", () => {
    const select = { id: "s", name: "S", type: "select", currentValue: "a", options: [{ value: "a", name: "A" }] }
    const slider = { id: "x", type: "slider", name: "n", currentValue: 3, min: 0 }
    const broken = { id: "b", type: "boolean", name: "n", currentValue: "yes" }
    assert.deepStrictEqual(
      read({ sessionUpdate: "config_option_update", configOptions: [select, slider, broken, { id: "no type" }, 5] }),
      {
        sessionUpdate: "config_option_update",
        configOptions: [
          select,
          { type: "unknown", tag: "slider", raw: slider },
          { type: "unknown", tag: "boolean", raw: broken }
        ]
      } as unknown
    )
    assert.deepStrictEqual(
      read({
        sessionUpdate: "available_commands_update",
        availableCommands: [{ name: "x", more: 1 }, { name: "y", description: null }, { description: "nameless" }, null]
      }),
      {
        sessionUpdate: "available_commands_update",
        availableCommands: [
          { name: "x", description: "", more: 1 },
          { name: "y", description: "" }
        ]
      } as unknown
    )
  })

  it("is what the schemas make of it, whatever is wrong with it", () => {
    const bySchema = Schema.decodeUnknownOption(Wire.SessionUpdate, { onExcessProperty: "preserve" })
    const junk = FastCheck.oneof(FastCheck.jsonValue({ maxDepth: 2 }), FastCheck.constant(undefined))
    FastCheck.assert(
      FastCheck.property(FastCheck.constantFrom(...wellFormed), FastCheck.nat(40), junk, (update, at, by) => {
        const raw = damaged(update, at, by)
        assert.deepStrictEqual<unknown>(read(raw), Option.getOrUndefined(bySchema(raw)))
      }),
      { numRuns: 500 }
    )
  })

  for (const update of wellFormed.slice(0, -1)) {
    it(`of kind ${update.sessionUpdate} is kept as it came`, () => {
      assert.strictEqual<unknown>(read(update), update)
    })
  }

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
