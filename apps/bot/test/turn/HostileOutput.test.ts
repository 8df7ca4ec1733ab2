import { assert, describe, it } from "@effect/vitest"
import * as Update from "@heddle/acp/schema/Update"
import * as SessionState from "@heddle/acp/SessionState"
import * as AgentAttachments from "@heddle/bot/turn/session/AgentAttachments"
import * as StepOutputs from "@heddle/bot/turn/session/StepOutputs"

const million = 1_000_000

describe("output that an agent makes to keep the bot busy", () => {
  it("costs no more than its length: an address without an end", () => {
    const uri = `${"a".repeat(million)}/`
    const [file] = AgentAttachments.ofMessage("m", [{ type: "resource", resource: { uri, text: "x" } }])
    assert.isBelow(file?.attachment.name.length ?? 0, 2000)
  })

  it("costs no more than its length: a line that returns to its beginning again and again", () => {
    const update = { sessionUpdate: "tool_call", toolCallId: "1", title: "t", kind: "execute", status: "completed" }
    const rawOutput = `${"\r".repeat(million)}last${"\r".repeat(10)}`
    const { entries } = SessionState.fold(SessionState.empty, [
      Update.decode({ sessionId: "s", update: { ...update, rawOutput } })!.update
    ])
    assert.deepStrictEqual(StepOutputs.of(entries), [{ title: "t", text: "last" }])
  })
})
