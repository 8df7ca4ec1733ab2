import { assert, describe, it } from "@effect/vitest"
import * as PromptBlocks from "@heddle/server/sandbox/session/PromptBlocks"

describe("PromptBlocks", () => {
  it("accepts only lists of blocks", () => {
    assert.isUndefined(PromptBlocks.parse("text"))
    assert.isUndefined(PromptBlocks.parse([]))
    assert.isUndefined(PromptBlocks.parse([{ text: "no type" }]))
    assert.isUndefined(PromptBlocks.parse([{ type: "text", text: "a" }, null]))
    assert.lengthOf(PromptBlocks.parse([{ type: "text", text: "a" }]) ?? [], 1)
  })

  it("refuses files that cannot be stored; unknown types and empty files are fine", () => {
    const file = (resource: object) => ({ type: "resource", resource: { uri: "file:///x", ...resource } })
    const problem = (...blocks: ReadonlyArray<{ readonly type: string }>) => PromptBlocks.findProblem(blocks)
    assert.isUndefined(
      problem({ type: "text" }, { type: "resource_link" }, { type: "future" }, { type: "constructor" })
    )
    assert.isUndefined(problem(file({ text: "" }), file({ blob: "" })))
    assert.match(problem(file({})) ?? "", /"resource" has no content/)
    assert.match(problem(file({ blob: "no base64!" })) ?? "", /"resource" has no content/)
    assert.match(problem({ type: "image" }) ?? "", /"image" has no content/)
    assert.match(problem(...Array.from({ length: 101 }, () => file({ text: "a" }))) ?? "", /at most 100 files/)
  })

  it("keeps the names and sizes of attachments, not their bytes", () => {
    const kept = PromptBlocks.forHistory([
      { type: "text", text: "look" },
      { type: "image", mimeType: "image/png", data: Buffer.alloc(10).toString("base64") },
      { type: "resource", resource: { uri: "file:///tmp/100%.csv", mimeType: "text/csv", text: "é" } },
      { type: "resource", resource: { uri: "file:///a%20b.bin", blob: Buffer.alloc(11).toString("base64") } }
    ])
    assert.deepStrictEqual(kept, [
      { type: "text", text: "look" },
      { type: "resource_link", uri: "attachment:///image", name: "image", mimeType: "image/png", size: 10 },
      { type: "resource_link", uri: "file:///tmp/100%.csv", name: "100%.csv", mimeType: "text/csv", size: 2 },
      { type: "resource_link", uri: "file:///a%20b.bin", name: "a b.bin", size: 11 }
    ])
  })
})
