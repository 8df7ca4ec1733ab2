import * as SessionFold from "@heddle/acp/SessionFold"
import * as SessionState from "@heddle/acp/SessionState"
import * as Update from "@heddle/acp/schema/Update"
import * as Compaction from "@heddle/server/sandbox/journal/Compaction"
import type { Entry } from "@heddle/server/sandbox/journal/Entry"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"

describe("a history that is joined", () => {
  const say = (text: string, more: object = {}) => ({
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text },
    ...more
  })
  const tool = (fields: object) => ({ sessionUpdate: "tool_call_update", toolCallId: "t1", ...fields })

  it("has one entry for the pieces of a message, and one for the repeated output of a tool call", () => {
    const pieces = Array.from({ length: 300 }, (_, n) => say(`${n} `, { messageId: "m1" }))
    const output = ["1", "1\n2", "1\n2\n3"].map((text) => tool({ status: "in_progress", content: outputOf(text) }))
    assert.deepStrictEqual(
      joined([...pieces, ...output, tool({ status: "completed" })]).map(({ seq, params }) => [seq, updateOf(params)]),
      [
        [300, say(pieces.map(({ content }) => content.text).join(""), { messageId: "m1" })],
        [303, output[2]],
        [304, tool({ status: "completed" })]
      ]
    )
  })

  it("keeps what says more than its text, and what other methods say", () => {
    const kept = [
      say("one", { messageId: "m1" }),
      say("two", { messageId: "m2" }),
      say("a notice", { messageId: "m2", _meta: { "heddle/notice": true } }),
      say("three", { messageId: "m2" }),
      { ...say(""), content: { type: "text", text: "four", annotations: { priority: 1 } } },
      { ...say(""), content: { type: "image", data: "", mimeType: "image/png" } },
      { ...say("five"), sessionUpdate: "user_message_chunk" },
      { ...say("six"), sessionUpdate: "user_message_chunk" },
      tool({ status: "in_progress" }),
      // Clients that know no cancelled calls take the first of these.
      tool({ status: "failed" }),
      tool({ status: "cancelled" }),
      tool({ content: outputOf("kept") }),
      tool({ content: null }),
      tool({ _meta: { terminal_output_delta: { data: "a" } } }),
      tool({ _meta: { terminal_output_delta: { data: "b" } } })
    ]
    assert.deepStrictEqual(
      joined(kept).map(({ params }) => updateOf(params)),
      kept
    )
    const other = { method: "_vendor.ai/artifact", params: JSON.stringify({ sessionId: "s", update: say("text") }) }
    assert.deepStrictEqual(Compaction.compact([1, 2].map((seq) => ({ ...other, seq }))), [])
  })

  it("is the same session to a client", () => {
    const word = FastCheck.constantFrom("", "a", "b ", "\ud83d", "\ude00", "\n")
    const id = FastCheck.constantFrom({}, { messageId: "m1" }, { messageId: "m2" }, { messageId: null })
    const meta = FastCheck.constantFrom({}, {}, {}, { _meta: { "heddle/notice": true } })
    const kind = FastCheck.constantFrom(
      "agent_message_chunk",
      "agent_message_chunk",
      "agent_thought_chunk",
      "user_message_chunk"
    )
    const chunk = FastCheck.tuple(word, id, meta, kind).map(([text, named, marked, sessionUpdate]) => ({
      ...say(text, { ...named, ...marked }),
      sessionUpdate
    }))
    const call = FastCheck.record(
      {
        sessionUpdate: FastCheck.constantFrom("tool_call", "tool_call_update", "tool_call_update", "tool_call_update"),
        toolCallId: FastCheck.constantFrom("t1", "t2"),
        title: FastCheck.constantFrom("Look", "Read", null),
        status: FastCheck.constantFrom("pending", "in_progress", "completed", "failed", null),
        content: FastCheck.constantFrom(null, outputOf("1"), outputOf("2")),
        rawInput: FastCheck.constantFrom({ a: 1 }, { b: 2 }),
        _meta: FastCheck.constant({ terminal_output_delta: { data: "x" } })
      },
      { requiredKeys: ["sessionUpdate", "toolCallId"] }
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.oneof(chunk, call), { maxLength: 40 }), (updates) => {
        assert.deepStrictEqual(stateOf(joined(updates)), stateOf(entriesOf(updates)))
      }),
      { numRuns: 500 }
    )
  })
})

const outputOf = (text: string) => [{ type: "content", content: { type: "text", text } }]

const entriesOf = (updates: ReadonlyArray<object>): ReadonlyArray<Entry> =>
  updates.map((update, index) => ({
    seq: index + 1,
    method: "session/update",
    params: JSON.stringify({ sessionId: "s", update })
  }))

/** The entries that are left. */
const joined = (updates: ReadonlyArray<object>): ReadonlyArray<Entry> => {
  const entries = entriesOf(updates)
  const runs = Compaction.compact(entries)
  return entries
    .filter(({ seq }) => !runs.some(({ first, last }) => seq >= first && seq < last))
    .map((entry) => ({ ...entry, params: runs.find(({ last }) => last === entry.seq)?.params ?? entry.params }))
}

const updateOf = (params: string): unknown => JSON.parse(params).update

const stateOf = (entries: ReadonlyArray<Entry>) => {
  const folding = SessionFold.make(SessionState.empty)
  for (const { params } of entries) {
    const update = Update.decode(JSON.parse(params))?.update
    if (update !== undefined) folding.apply(update)
  }
  return folding.state()
}
