import { assert, describe, it } from "@effect/vitest"
import * as AttachmentName from "@heddle/server/sandbox/attachments/AttachmentName"
import * as FastCheck from "effect/FastCheck"

const nameOf = (uri: string | undefined, mimeType?: string) =>
  AttachmentName.of({ uri, mimeType, content: { _tag: "Text", text: "" } })

describe("the name of a stored file", () => {
  it.each([
    ["attachment:///orders.xlsx", "orders.xlsx"],
    ["attachment:///Gr%C3%B6%C3%9Fe%20(2).csv", "Größe (2).csv"],
    ["attachment:///%E8%AE%A2%E5%8D%95.xlsx", "订单.xlsx"],
    ["file:///C:%5CUsers%5Cme%5Ca.txt", "a.txt"],
    ["attachment:///..%2F..%2Fetc%2Fpasswd", "passwd"],
    ["attachment:///.mcp.json", "mcp.json"],
    ["attachment:///...", "file"],
    ["attachment:///-rf", "rf"],
    ["attachment:///a%00b%0Ac%1B.txt", "a_b c_.txt"],
    ["attachment:///$(rm)`;x'%22.sh", "_(rm)_x_.sh"],
    ["attachment:///%E2%80%AEtxt.exe", "_txt.exe"],
    ["attachment:///nul.txt", "_nul.txt"],
    ["attachment:///a.txt.%20.", "a.txt"]
  ])("%s is %s", (uri, expected) => assert.strictEqual(nameOf(uri), expected))

  it("is made of the end of an endless name, without delay", () => {
    const name = nameOf(`attachment:///a${".".repeat(1_000_000)}b.txt`)
    assert.match(name, /b\.txt$/)
  })

  it("says the kind of a file without a name", () => {
    assert.strictEqual(nameOf(undefined, "image/png"), "image.png")
    assert.strictEqual(nameOf(undefined, "audio/wav"), "audio.wav")
    assert.strictEqual(nameOf("attachment:///", undefined), "attachment_")
    assert.strictEqual(nameOf("///", "application/x-nothing"), "file")
  })

  it("keeps the extension of a long name", () => {
    const name = nameOf(`attachment:///${"长".repeat(200)}.xlsx`)
    assert.isAtMost(Buffer.byteLength(name), 150)
    assert.match(name, /^长+\.xlsx$/)
    assert.strictEqual(AttachmentName.withNumber("a.tar.gz", 2), "a.tar-2.gz")
    assert.strictEqual(AttachmentName.withNumber("README", 3), "README-3")
    assert.strictEqual(AttachmentName.withNumber("README", 1), "README")
  })

  it.prop("is one short, visible part of a path whatever the uri", [FastCheck.fullUnicodeString()], ([text]) => {
    for (const uri of [text, `attachment:///${encodeURIComponent(text)}`]) {
      const name = nameOf(uri)
      assert.match(name, /^[^./\\\p{C}][^/\\\p{C}]*$/u)
      assert.isAtMost(Buffer.byteLength(name), 160)
    }
  })
})
