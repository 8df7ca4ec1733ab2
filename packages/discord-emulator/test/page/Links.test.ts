import assert from "node:assert/strict"
import { afterAll, beforeAll, describe, it } from "vitest"
import { localFileUrl, webUrl } from "../../page/text/Links.ts"

const before = Object.getOwnPropertyDescriptor(globalThis, "location")
beforeAll(() => {
  const value = new URL("http://127.0.0.1:4320/")
  Object.defineProperty(globalThis, "location", { value, configurable: true })
})
afterAll(() => {
  if (before === undefined) Reflect.deleteProperty(globalThis, "location")
  else Object.defineProperty(globalThis, "location", before)
})

describe("a file of this server", () => {
  it("is recognised under every loopback address", () => {
    for (const host of ["127.0.0.1", "localhost", "[::1]"])
      assert.equal(localFileUrl(`http://${host}:4320/attachments/1/2/a.png?x=1`), "/attachments/1/2/a.png?x=1")
    assert.equal(localFileUrl("/attachments/1/2/a.png"), "/attachments/1/2/a.png")
  })

  it.each([
    "http://127.0.0.1:4320//evil.test/i.png",
    "http://127.0.0.1:4320//evil.test/attachments/1/2/i.png",
    "http://127.0.0.1:4320/\\\\evil.test/attachments/i.png",
    "http://127.0.0.1:4320/page/api/messages",
    "http://127.0.0.1:4320/attachments/../page/api/messages",
    "http://127.0.0.1:4321/attachments/1/2/a.png",
    "https://evil.test/attachments/1/2/a.png",
    "//evil.test/attachments/1/2/a.png",
    "javascript:alert(1)",
    "attachment://a.png",
    undefined
  ])("is not what %s means", (address) => {
    assert.equal(localFileUrl(address), undefined)
  })
})

describe("a link", () => {
  it("accepts http and https only", () => {
    assert.equal(webUrl("https://example.com/a"), "https://example.com/a")
    for (const address of ["javascript:alert(1)", "data:text/html,x", " javascript:1", "/a", 1])
      assert.equal(webUrl(address), undefined)
  })
})
