import { assert, describe, it } from "@effect/vitest"
import type { Event } from "@heddle/bot/turn/machine/Event"
import { echo } from "../support/Agents.ts"
import { withStack } from "../support/Stack.ts"
import { checked, fired, firstPrompt, held, opened, stop, tell } from "../support/TurnEvents.ts"

describe("the first prompt of a task", () => {
  it("follows a first prompt that the service already runs", () => {
    assert.strictEqual(tell(firstPrompt, opened, checked("Busy")).phase, "Following")
  })

  it("sends a first prompt at once where the service confirms that it holds it", () => {
    for (const status of ["Idle", "Busy", "Completed"] as const)
      assert.strictEqual(tell(firstPrompt, opened, held(status, false, false)).phase, "Preparing")
    const { outcome } = tell({ ...firstPrompt, kind: "OpenedTask" }, opened, held("Idle", false, false))
    assert.deepEqual(outcome, { _tag: "Quiet" })
  })

  it("watches whether the service runs a first prompt, then asks or sends it as the bot is set", () => {
    const unseen = checked("Idle", false, false)
    const watching = tell(firstPrompt, opened, unseen)
    assert.deepEqual([watching.phase, watching.names.at(-1)], ["Checking", "AwaitFirstRun"])
    const waited = { ...unseen, hasWaited: true }
    assert.deepEqual(tell(firstPrompt, opened, unseen, waited).outcome, { _tag: "DeliveryUnknown" })
    assert.strictEqual(tell({ ...firstPrompt, initialPrompt: "send" }, opened, unseen, waited).phase, "Preparing")
    for (const status of ["Busy", "Pending", "Completed", "Failed"] as const)
      for (const initialPrompt of ["auto", "send"] as const) {
        const seen = tell({ ...firstPrompt, initialPrompt }, opened, unseen, { ...waited, status })
        assert.strictEqual(seen.phase, "Following")
      }
  })

  it("waits when it is stopped before the service runs a first prompt, and stops the run that begins", () => {
    const unseen = checked("Idle", false, false)
    const stopping = [opened, stop, { _tag: "CancelSent" } as const, unseen]
    assert.strictEqual(tell(firstPrompt, ...stopping).names.at(-1), "AwaitFirstRun")
    const ended = (...events: ReadonlyArray<Event>) => tell(firstPrompt, ...stopping, ...events).outcome?._tag
    assert.strictEqual(ended({ ...unseen, hasWaited: true }), "StopUnconfirmed")
    assert.strictEqual(ended(fired("GiveUp")), "StopUnconfirmed")
    for (const hasArrived of [true, false]) {
      const { names, phase } = tell(firstPrompt, ...stopping, { ...checked("Busy", hasArrived), hasWaited: true })
      assert.strictEqual(phase, "Following")
      assert.strictEqual(names.filter((name) => name === "SendCancel").length, 2)
    }
  })

  it("is sent again when it was lost on its way to a service that holds first prompts, and runs once", () =>
    withStack(echo, async ({ service, shows, start }) => {
      let sent = 0
      service.state.cutsOff = (body) => body.includes('"session/prompt"') && ++sent === 1
      const transcript = await shows(await start("one"), /done ·|not known/, 20_000)
      assert.notMatch(transcript, /not known/)
      assert.deepEqual([service.prompts, sent], [["one"], 2])
    }))
})
