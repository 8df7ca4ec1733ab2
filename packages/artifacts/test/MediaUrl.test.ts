import * as MediaUrl from "@heddle/artifacts/MediaUrl"
import * as SandboxUrl from "@heddle/artifacts/SandboxUrl"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"

describe("SandboxUrl", () => {
  it.each([
    ["https://host/acp", "https://host"],
    ["https://host/acp/", "https://host"],
    ["https://host:8443/box/7/acp?sessionId=1", "https://host:8443/box/7"]
  ])("derives the sandbox of %s", (link, expected) => {
    assert.deepStrictEqual(SandboxUrl.fromLink(link), Either.right(expected))
  })

  it.each(["https://host/sessions/7", "https://host/", "wss://host/acp", "https://me:secret@host/acp", "nowhere", ""])(
    "finds none in %s",
    (link) => {
      const result = SandboxUrl.fromLink(link)
      assert.isTrue(Either.isLeft(result))
      if (Either.isLeft(result)) assert.notInclude(result.left.message, "secret")
    }
  )
})

describe("MediaUrl", () => {
  const sandbox = "https://box.example/7"
  const of = (uri: string, url?: string) =>
    MediaUrl.resolve({ artifact: { type: "media", uri }, ...(url === undefined ? {} : { url }) }, sandbox)

  it("puts a uri below the sandbox, with the token", () => {
    assert.deepStrictEqual(
      of("agent:///artifacts/my chart#1.png"),
      Either.right({ url: "https://box.example/7/artifacts/my%20chart%231.png", withToken: true })
    )
    assert.deepStrictEqual(
      of("agent:///artifacts/%C5%BE.png"),
      Either.right({ url: "https://box.example/7/artifacts/%C5%BE.png", withToken: true })
    )
  })

  it("prefers the entry's address, and keeps the token from other origins", () => {
    assert.deepStrictEqual(
      of("agent:///a.png", "https://box.example/signed?x=1"),
      Either.right({ url: "https://box.example/signed?x=1", withToken: true })
    )
    assert.deepStrictEqual(
      of("file:///a.png", "https://cdn.example/a.png"),
      Either.right({ url: "https://cdn.example/a.png", withToken: false })
    )
    assert.deepStrictEqual(
      of("agent:///a.png", "https://box.example.evil.example/a.png"),
      Either.right({ url: "https://box.example.evil.example/a.png", withToken: false })
    )
  })

  it.each([
    "file:///etc/passwd",
    "https://evil.example/x",
    "agent:///../secret",
    "agent:///artifacts/../../secret",
    "agent:///artifacts/%2e%2e/secret",
    "agent:///artifacts/%252e%252e/secret",
    "agent:///artifacts/..%2fsecret",
    "agent:///artifacts\\..\\secret",
    "agent:///artifacts/%5c..%5csecret",
    "agent:///artifacts//secret",
    "agent:///artifacts/a%00.png",
    "agent:///artifacts/%zz",
    "agent://host/artifacts/a.png",
    "agent:///"
  ])("refuses %s", (uri) => {
    assert.isTrue(Either.isLeft(of(uri)))
  })

  it.each([
    "http://box.example/7/a.png",
    "http://169.254.169.254/latest",
    "file:///etc/passwd",
    "https://me:pw@cdn.example/a",
    "javascript:alert(1)"
  ])("refuses the address %s", (url) => {
    assert.isTrue(Either.isLeft(of("agent:///a.png", url)))
  })
})
