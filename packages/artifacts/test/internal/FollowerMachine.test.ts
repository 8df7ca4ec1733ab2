import type * as AcpSession from "@heddle/acp/AcpSession"
import * as ArtifactIndex from "@heddle/artifacts/ArtifactIndex"
import { type Event, initial, startNext, type State, step } from "#internal/FollowerMachine"
import { assert, describe, it } from "@effect/vitest"

const pushed = (updatedAt: number, rest: object = {}): Event => ({
  _tag: "Received",
  event: {
    _tag: "Extension",
    name: "artifact",
    method: "_vendor.ai/artifact",
    params: { artifact: { type: "overview", uri: "agent:///a", text: "", updatedAt }, ...rest }
  } as AcpSession.SessionEvent
})
const ready: Event = { _tag: "Received", event: { _tag: "Ready", repeatsHistory: true } }
const requested = (complete: boolean): Event => ({ _tag: "ListRequested", complete })
const listed = (complete: boolean, asOf = 0): Event => ({ _tag: "Listed", list: [], asOf, complete })
const done: Event = { _tag: "JobDone" }

/** Runs events from a state and gives the last state and its commands, by name. */
const after = (from: State, ...events: ReadonlyArray<Event>) => {
  let state = from
  let commands: ReadonlyArray<string> = []
  for (const event of events) {
    const [next, caused] = step(state, event, "task-1")
    state = next
    commands = caused.map((command) => (command._tag === "Start" ? command.job : command._tag))
  }
  return { state, commands }
}

const [loading] = startNext(initial(false))
const { state: idle } = after(loading, requested(true), listed(true), done)

describe("a follower of artifacts", () => {
  it("loads the whole list first and publishes nothing before it", () => {
    assert.deepStrictEqual(startNext(initial(false))[1], [{ _tag: "Start", job: "Load" }])
    assert.deepStrictEqual(after(loading, requested(true), pushed(1)).commands, [])
    assert.deepStrictEqual(after(loading, requested(true), pushed(1), listed(true)).commands, ["Publish"])
    assert.deepStrictEqual(idle.job, undefined)
  })

  it("publishes pushes before the list if it is set to", () => {
    const [partial] = startNext(initial(true))
    const { commands, state } = after(partial, requested(true), pushed(1))
    assert.deepStrictEqual([commands, state.index.complete], [["Publish"], false])
  })

  it("requests one list for all incomplete pushes, from the time of the oldest", () => {
    const first = after(idle, pushed(7))
    assert.deepStrictEqual(first.commands, ["Publish", "Refresh"])
    const second = after(first.state, pushed(9))
    assert.deepStrictEqual(second.commands, ["Publish"])
    assert.strictEqual(second.state.incompleteSince, 7)
    // A push after the request needs a list of its own.
    const third = after(second.state, requested(false), pushed(11), listed(false), done)
    assert.deepStrictEqual([third.commands, third.state.incompleteSince], [["Refresh"], 11])
  })

  it("loads again after a reconnect and does one thing at a time", () => {
    assert.deepStrictEqual(after(idle, ready).commands, ["Load"])
    const { commands, state } = after(idle, pushed(7), ready)
    assert.deepStrictEqual([commands, state.job], [[], "Refresh"])
    assert.deepStrictEqual(after(state, done).commands, ["Load"])
    // The whole list has what the push lacked.
    assert.deepStrictEqual(after(state, done, requested(true), listed(true), done).commands, [])
  })

  it("ignores pushes of other sessions and loads after a push that cannot be read", () => {
    assert.deepStrictEqual(after(idle, pushed(7, { sessionId: "task-2" })).state, idle)
    assert.deepStrictEqual(after(idle, pushed(7, { artifact: "none" })).commands, ["Load"])
  })

  it("ends after a job that became due while another one ran", () => {
    const { state } = after(idle, pushed(7), requested(false), pushed(9), { _tag: "SourceEnded" })
    const refreshed = after(state, listed(false), done)
    assert.deepStrictEqual(refreshed.commands, ["Refresh"])
    assert.deepStrictEqual(after(refreshed.state, requested(false), listed(false), done).commands, ["End"])
  })

  it("ends with the session, after the jobs that are due", () => {
    assert.deepStrictEqual(after(idle, { _tag: "SourceEnded" }).commands, ["End"])
    const { commands, state } = after(idle, ready, requested(true), { _tag: "SourceEnded" })
    assert.deepStrictEqual(commands, [])
    const ended = after(state, listed(true), done)
    assert.deepStrictEqual(ended.commands, ["End"])
    assert.deepStrictEqual(after(ended.state, ready).commands, [])
    assert.deepStrictEqual(ArtifactIndex.toArray(state.index), [])
  })
})
