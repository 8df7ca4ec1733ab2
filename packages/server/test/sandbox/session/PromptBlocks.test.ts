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

  it("names block types that an agent does not support; text and links are always supported", () => {
    const blocks = [
      { type: "text" },
      { type: "resource_link" },
      { type: "future" },
      { type: "constructor" },
      { type: "resource" }
    ]
    assert.strictEqual(PromptBlocks.findUnsupported(blocks, undefined), "resource")
    assert.isUndefined(PromptBlocks.findUnsupported(blocks, { embeddedContext: true }))
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
