import { assert, describe, it } from "@effect/vitest"
import * as SessionNotifications from "@heddle/server/sandbox/agent/SessionNotifications"

const said = (text: string) => ({
  jsonrpc: "2.0" as const,
  method: "session/update",
  params: { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } }
})

describe("what an agent says before its session is open", () => {
  it("is kept up to 4 MiB, the first of it, and forwarded in its order", () => {
    const forwarded: Array<Readonly<Record<string, unknown>>> = []
    const notifications = SessionNotifications.make((_, params) => forwarded.push(params))
    notifications.hold()
    for (let n = 0; n < 20; n++) notifications.receive(said(`${n} ${"x".repeat(500_000)}`))
    for (let n = 0; n < 100_000; n++) notifications.receive(said("small"))
    notifications.open("session")
    assert.lengthOf(forwarded, 8)
    assert.match(JSON.stringify(forwarded.at(-1)), /"7 x/)
    notifications.receive(said("later"))
    assert.lengthOf(forwarded, 9)
  })

  it("is kept again after the session was opened anew", () => {
    const forwarded: Array<unknown> = []
    const notifications = SessionNotifications.make((_, params) => forwarded.push(params))
    notifications.hold()
    notifications.receive(said("x".repeat(5_000_000)))
    notifications.open("session")
    notifications.hold()
    notifications.receive(said("again"))
    notifications.open("session")
    assert.lengthOf(forwarded, 1)
  })
})
