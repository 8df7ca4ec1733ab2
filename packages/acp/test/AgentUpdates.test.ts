import * as SessionState from "@heddle/acp/SessionState"
import { assert, describe, it } from "@effect/vitest"
import { fold, outline, read } from "./fixtures/Updates.ts"

describe("what real agents do", () => {
  const first = (state: SessionState.SessionState) => state.entries[0]
  const oddities: ReadonlyArray<
    readonly [name: string, updates: ReadonlyArray<object>, expected: (state: SessionState.SessionState) => void]
  > = [
    [
      "an update of an unannounced tool call begins it",
      [{ sessionUpdate: "tool_call_update", toolCallId: "t", status: "in_progress", title: "ls -la" }],
      (state) =>
        assert.deepInclude(first(state), { toolCallId: "t", title: "ls -la", status: "in_progress", kind: "other" })
    ],
    [
      "a tool call announced twice is one",
      [
        { sessionUpdate: "tool_call", toolCallId: "t", title: "Read", kind: "read", status: "pending" },
        { sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed" },
        { sessionUpdate: "tool_call", toolCallId: "t", title: "Read a.csv", status: "completed" }
      ],
      (state) => {
        assert.strictEqual(state.entries.length, 1)
        assert.deepInclude(first(state), { title: "Read a.csv", kind: "read", status: "completed" })
      }
    ],
    [
      "a tool call with nothing but its input and meta",
      [
        {
          sessionUpdate: "tool_call_update",
          toolCallId: "t",
          rawInput: { questions: [] },
          _meta: { "vendor.ai/toolName": "Ask" }
        },
        { sessionUpdate: "tool_call_update", toolCallId: "t", _meta: { more: 1 } }
      ],
      (state) =>
        assert.deepInclude(first(state), {
          title: "",
          rawInput: { questions: [] },
          meta: { "vendor.ai/toolName": "Ask", more: 1 }
        })
    ],
    [
      "empty texts that carry usage along say nothing, between messages and within",
      [
        {
          sessionUpdate: "agent_message_chunk",
          content: { type: "text", text: "" },
          _meta: { usage: { totalTokens: 9 } }
        },
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Hi" } },
        { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "" } },
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "!" } },
        { sessionUpdate: "user_message_chunk", content: { type: "text", text: "" } }
      ],
      (state) => assert.deepStrictEqual(outline(state), ["agent: Hi!"])
    ],
    [
      "raw output is a string, an object, or an array",
      [
        { sessionUpdate: "tool_call_update", toolCallId: "a", rawOutput: "done" },
        { sessionUpdate: "tool_call_update", toolCallId: "b", rawOutput: { output: "done" } },
        { sessionUpdate: "tool_call_update", toolCallId: "c", rawOutput: [1] }
      ],
      (state) =>
        assert.deepStrictEqual(
          SessionState.toolCalls(state).map(({ rawOutput }) => rawOutput),
          ["done", { output: "done" }, [1]]
        )
    ],
    [
      "message ids are missing, null, or there for some",
      [
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "a" } },
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "b" }, messageId: null },
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "c" }, messageId: "m" },
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "d" } }
      ],
      (state) => assert.deepStrictEqual(outline(state), ["agent: ab", "agent: cd"])
    ],
    [
      "usage comes several times in a turn",
      [
        { sessionUpdate: "usage_update", used: 1, size: 10, cost: { amount: 0.1, currency: "USD" } },
        { sessionUpdate: "usage_update", used: 2, size: 10, cost: null }
      ],
      (state) => assert.deepStrictEqual(state.usage, { used: 2, size: 10 })
    ],
    [
      "session info comes forty times, mostly with meta only",
      [
        { sessionUpdate: "session_info_update", title: "A title", updatedAt: null },
        ...Array.from({ length: 40 }, (_, offset) => ({
          sessionUpdate: "session_info_update",
          _meta: { "vendor.ai": { mode: "history", offset } }
        }))
      ],
      (state) => assert.deepStrictEqual([state.title, state.entries.length], ["A title", 0])
    ],
    [
      "a status and an option kind of the vendor's own are kept",
      [{ sessionUpdate: "tool_call_update", toolCallId: "t", status: "cancelled", kind: "teleport" }],
      (state) => assert.deepInclude(first(state), { status: "cancelled", kind: "teleport" })
    ],
    [
      "content of the future is kept in messages and in tools",
      [
        { sessionUpdate: "agent_message_chunk", content: { type: "hologram", depth: 3 } },
        {
          sessionUpdate: "tool_call_update",
          toolCallId: "t",
          content: [{ type: "smell" }, { type: "content", content: { type: "hologram" } }]
        }
      ],
      (state) => {
        const [message, call] = state.entries
        assert.deepStrictEqual(message?._tag === "Message" && message.content, [
          { type: "unknown", tag: "hologram", raw: { type: "hologram", depth: 3 } }
        ])
        assert.deepStrictEqual(call?._tag === "ToolCall" && call.content.map((each) => each.type), [
          "unknown",
          "content"
        ])
      }
    ],
    [
      "kinds of the future and of the vendor change nothing",
      [
        { sessionUpdate: "session_end", reason: "done" },
        { sessionUpdate: "agent_message", messageId: "m", content: [] }
      ],
      (state) => assert.deepStrictEqual(state, SessionState.empty)
    ]
  ]
  for (const [name, updates, expected] of oddities) it(name, () => expected(fold(...updates.map(read))))
})
