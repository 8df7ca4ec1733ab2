import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import { TaskId } from "@heddle/core/domain/Task"
import * as Effect from "effect/Effect"
import type { Channel } from "@heddle/server/sandbox/channel/Channel"
import type { ClientConnection } from "@heddle/server/sandbox/Sandbox"
import { AllClients } from "@heddle/server/sandbox/TaskClients"
import type { SandboxEvent } from "@heddle/server/sandbox/session/SandboxEvent"

const taskId = TaskId.make("task")
const message = JsonRpc.notification("session/cancel", { sessionId: taskId })
const megabyte = 1024 * 1024

describe("the clients of a task", () => {
  for (const end of ["close", "abandon"] as const) {
    it(`are forgotten after ${end}, also one that left while the sandbox was loaded`, () => {
      const { client, clients } = make()
      const { channel, connection } = client()
      connection.receive(message, 10)
      channel.close()
      clients.of(taskId)[end]()
      clients.of(taskId).connect(() => {})
      clients.of(taskId).disconnect()
      assert.deepStrictEqual(clients.taskIds(), [])
    })
  }

  it("are forgotten when a sandbox ends that did not handle the end of a connection", () => {
    const { client, clients } = make()
    const { channel } = client()
    clients.of(taskId).connect(() => {})
    channel.close()
    clients.of(taskId).close()
    assert.deepStrictEqual(clients.taskIds(), [])
  })

  it("fill no memory while the sandbox is loaded: one that sends too much is closed", () => {
    const { client, clients } = make()
    const [one, other] = [client(), client()]
    for (let count = 0; count < 100; count++) one.connection.receive(message, megabyte)
    assert.isTrue(one.isClosed())
    assert.isFalse(other.isClosed())
    const events: Array<SandboxEvent> = []
    clients.of(taskId).connect((event) => events.push(event))
    assert.isBelow(events.length, 40)
    assert.strictEqual(events.at(-1)?._tag, "Left")
    other.connection.receive(message, megabyte)
    assert.isFalse(other.isClosed())
  })
})

/** The clients of a task whose sandbox is never loaded by itself. */
const make = () => {
  const clients = new AllClients({} as never, () => {})
  const client = () => {
    let connection: ClientConnection | undefined
    let closed = false
    const channel: Channel = {
      id: "",
      push: () => {},
      drained: Effect.void,
      close: () => {
        if (closed) return
        closed = true
        connection?.leave()
      }
    }
    connection = clients.of(taskId).join(channel)
    return { channel, connection, isClosed: () => closed }
  }
  return { client, clients }
}
