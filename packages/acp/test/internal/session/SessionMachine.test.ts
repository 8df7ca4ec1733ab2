import { ConnectionLost } from "@heddle/acp/AcpError"
import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import { type Command, type Event, initial, type State } from "#internal/session/SessionLife"
import { step } from "#internal/session/SessionMachine"
import { agent, ended, lost, prompt, refused } from "../../fixtures/SessionEvents.ts"
import { text } from "../../fixtures/Session.ts"

const connected: ReadonlyArray<Event> = [
  { _tag: "Connected", fresh: true },
  { _tag: "Attached", connection: 1, agent, loads: true, repeats: true }
]

/** Runs events and gives the last state and the commands of the last event. */
const after = (...events: ReadonlyArray<Event>): readonly [State, ReadonlyArray<Command>] =>
  events.reduce<readonly [State, ReadonlyArray<Command>]>(([state], event) => step(state, event), [initial, []])

const tags = (commands: ReadonlyArray<Command>) => commands.map(({ _tag }) => _tag)
const endOf = (commands: ReadonlyArray<Command>) => {
  const end = commands.find((command) => command._tag === "EndTurn")?.end
  if (end === undefined) return undefined
  return Exit.match(end, {
    onSuccess: ({ stopReason }) => stopReason,
    onFailure: (cause) => (cause._tag === "Fail" ? cause.error._tag : cause._tag)
  })
}

describe("the channel", () => {
  it("attaches each new connection and ignores what an older one brings", () => {
    const [first, commands] = after({ _tag: "Connected", fresh: true })
    assert.deepStrictEqual(tags(commands), ["DropConnection", "Attach"])
    const [second] = step(first, { _tag: "Connected", fresh: true })
    for (const stale of [
      { _tag: "Attached", connection: 1, agent, loads: true, repeats: true },
      { _tag: "AttachFailed", connection: 1, error: refused },
      { _tag: "RepeatWindow", connection: 1 }
    ] as const) {
      assert.deepStrictEqual(step(second, stale), [second, []])
    }
    const [ready, announced] = step(second, { _tag: "Attached", connection: 2, agent, loads: true, repeats: true })
    assert.strictEqual(ready.channel._tag, "Ready")
    assert.deepStrictEqual(announced[0], { _tag: "AnnounceReady", reopened: false, repeats: true })
  })

  it("waits for repeated requests only after a connection before it", () => {
    const attached = (connection: number) =>
      ({ _tag: "Attached", connection, agent, loads: true, repeats: true }) as const
    const [first, commands] = after({ _tag: "Connected", fresh: true }, attached(1))
    assert.deepStrictEqual(tags(commands), ["AnnounceReady"])
    const [second] = step(first, { _tag: "Connected", fresh: true })
    assert.deepStrictEqual(tags(step(second, attached(2))[1]), ["AnnounceReady", "StartTimer"])
  })

  it("goes on with the same connection without attaching again", () => {
    const [interrupted, announced] = after(...connected, { _tag: "Interrupted", error: lost(true) })
    assert.strictEqual(interrupted.channel._tag, "Interrupted")
    assert.deepStrictEqual(tags(announced), ["AnnounceInterrupted"])
    const [ready, commands] = step(interrupted, { _tag: "Connected", fresh: false })
    assert.strictEqual(ready.channel._tag, "Ready")
    assert.deepStrictEqual(commands, [{ _tag: "AnnounceReady", reopened: true, repeats: true }])
  })

  it("is ready only once it is up again when it broke while the session was attached", () => {
    const [state, commands] = after(
      { _tag: "Connected", fresh: true },
      { _tag: "Interrupted", error: lost(true) },
      { _tag: "Attached", connection: 1, agent, loads: true, repeats: true }
    )
    assert.strictEqual(state.channel._tag, "Interrupted")
    assert.notInclude(tags(commands), "AnnounceReady")
    assert.strictEqual(step(state, { _tag: "Connected", fresh: false })[0].channel._tag, "Ready")
  })

  it("is replaced, not used again, when an attachment may have acted", () => {
    const failed: Event = { _tag: "AttachFailed", connection: 1, error: lost(true) }
    const [replacing, commands] = after({ _tag: "Connected", fresh: true }, prompt(1), failed)
    assert.strictEqual(replacing.channel._tag, "Connecting")
    assert.deepStrictEqual(commands, [{ _tag: "ReplaceConnection", reason: lost(true) }])
    // The connection that was given up is not taken up again.
    assert.strictEqual(step(replacing, { _tag: "Connected", fresh: false })[0].channel._tag, "Connecting")
    const [attaching, attach] = step(replacing, { _tag: "Connected", fresh: true })
    assert.deepStrictEqual(attach, [{ _tag: "DropConnection" }, { _tag: "Attach", connection: 2 }])
    assert.strictEqual(
      step(attaching, { _tag: "Attached", connection: 2, agent, loads: true, repeats: true })[0].channel._tag,
      "Ready"
    )
  })

  it("is closed when no attachment is confirmed on six connections, unless the session was open", () => {
    const tries = (count: number): ReadonlyArray<Event> =>
      Array.from({ length: count }, (_, nth) => nth + 1).flatMap((nth): ReadonlyArray<Event> => [
        { _tag: "Connected", fresh: true },
        { _tag: "AttachFailed", connection: nth, error: lost(true) }
      ])
    assert.strictEqual(after(...tries(5))[0].channel._tag, "Connecting")
    assert.strictEqual(after(...tries(6))[0].channel._tag, "Closed")
    assert.strictEqual(after(...connected, ...tries(20).slice(2))[0].channel._tag, "Connecting")
  })

  it("is closed for good and fails what waits", () => {
    const [state, commands] = after({ _tag: "Connected", fresh: true }, prompt(1), prompt(2), {
      _tag: "AttachFailed",
      connection: 1,
      error: refused
    })
    assert.strictEqual(state.channel._tag, "Closed")
    assert.deepStrictEqual(tags(commands), ["DropConnection", "AnnounceClosed", "EndTurn", "EndTurn"])
    assert.strictEqual(endOf(commands), "ChannelRefused")
    for (const event of [...connected, { _tag: "Interrupted", error: lost(true) }] as const) {
      assert.deepStrictEqual(step(state, event), [state, []])
    }
    assert.strictEqual(endOf(step(state, prompt(3))[1]), "ChannelRefused")
  })
})

describe("the delivery of a prompt", () => {
  it("is NotSent until the channel is ready, then Sent, then Answered", () => {
    const [waiting, timer] = after(prompt(1))
    assert.strictEqual(waiting.turn?.delivery, "NotSent")
    assert.deepStrictEqual(timer, [{ _tag: "StartTimer", timer: { _tag: "ReadyTimeout", id: 1 } }])
    const [sent, commands] = after(prompt(1), ...connected)
    assert.strictEqual(sent.turn?.delivery, "Sent")
    assert.include(tags(commands), "SendPrompt")
    const [answered, ending] = step(sent, { _tag: "PromptAnswered", id: 1, end: ended })
    assert.strictEqual(answered.turn, undefined)
    assert.strictEqual(answered.lastTurn?.delivery, "Answered")
    assert.deepStrictEqual(tags(ending), ["WithdrawRequests", "EndTurn"])
    assert.strictEqual(endOf(ending), "end_turn")
  })

  it("fails unsent when the channel does not come up in time", () => {
    const [state, commands] = after(prompt(1), { _tag: "ReadyTimeout", id: 1 })
    assert.strictEqual(state.turn, undefined)
    assert.strictEqual(endOf(commands), "ConnectionLost")
  })

  it("is InDoubt when the connection broke under it; the prompt is not sent again", () => {
    const [state, commands] = after(...connected, prompt(1), { _tag: "PromptLost", id: 1, error: lost(true) })
    assert.strictEqual(state.lastTurn?.delivery, "InDoubt")
    assert.deepStrictEqual(state.doubt, { id: 1, content: text("prompt 1"), completeFrom: undefined })
    assert.deepStrictEqual(tags(commands), ["EndTurn"])
    assert.strictEqual(endOf(commands), "Detached")
  })

  it("is taken back, not in doubt, when it surely did not arrive", () => {
    for (const error of [lost(false), refused]) {
      const [state, commands] = after(...connected, prompt(1), { _tag: "PromptLost", id: 1, error })
      assert.strictEqual(state.doubt, undefined)
      assert.deepStrictEqual(tags(commands), ["RemovePrompt", "EndTurn"])
      assert.strictEqual(endOf(commands), error._tag)
    }
  })

  it("leaves its doubt by a complete history, and by an incomplete one only if the prompt is in it", () => {
    const [doubted] = after(...connected, prompt(1), { _tag: "PromptLost", id: 1, error: lost(true) })
    const [replacing, commands] = step(doubted, { _tag: "HistoryRequested" })
    assert.deepStrictEqual(tags(commands), ["ReplaceConnection"])
    assert.deepStrictEqual(step(replacing, { _tag: "HistoryRequested" }), [replacing, []])
    const [reattached] = step(replacing, { _tag: "Connected", fresh: true })
    const replayed = (complete: boolean, finding: "Present" | "Missing" | "Unproven") =>
      step(complete ? reattached : doubted, { _tag: "HistoryReplayed", finding })
    assert.deepStrictEqual(replayed(false, "Present")[0].doubt, undefined)
    assert.deepStrictEqual(replayed(false, "Missing"), [doubted, []])
    const [undelivered, removal] = replayed(true, "Missing")
    assert.deepStrictEqual([undelivered.doubt, undelivered.undelivered], [undefined, 1])
    assert.deepStrictEqual(removal, [{ _tag: "RemovePrompt", id: 1 }])
    assert.deepStrictEqual(replayed(true, "Present")[0].undelivered, undefined)
    assert.deepStrictEqual(replayed(false, "Unproven"), [doubted, []])
    const [unproven, none] = replayed(true, "Unproven")
    assert.deepStrictEqual(
      [unproven.doubt, unproven.undelivered, unproven.unproven, none],
      [undefined, undefined, 1, []]
    )
  })

  it("is decided by the next connection that is opened after the agent was idle", () => {
    const doubted = [...connected, prompt(1), { _tag: "PromptLost", id: 1, error: lost(true) }] as const
    const missing: Event = { _tag: "HistoryReplayed", finding: "Missing" }
    const [attaching] = after(...doubted, { _tag: "Connected", fresh: true })
    const [requested, commands] = step(attaching, { _tag: "AgentIdle" })
    assert.deepStrictEqual(commands, [])
    // The load of this connection may have been sent before.
    assert.strictEqual(step(requested, missing)[0].undelivered, undefined)
    const [next] = step(requested, { _tag: "Connected", fresh: true })
    assert.strictEqual(step(next, missing)[0].undelivered, 1)
    const [ready] = step(requested, { _tag: "Attached", connection: 2, agent, loads: true, repeats: true })
    assert.deepStrictEqual(tags(step(ready, { _tag: "HistoryRequested" })[1]), ["ReplaceConnection"])
  })

  it("is not looked for while a turn runs, or at an agent that cannot load", () => {
    const [running] = after(...connected, prompt(1), { _tag: "PromptLost", id: 1, error: lost(true) }, prompt(2))
    assert.deepStrictEqual(step(running, { _tag: "HistoryRequested" })[1], [])
    const resuming = { _tag: "Attached", connection: 1, agent, loads: false, repeats: true } as const
    const [doubted] = after({ _tag: "Connected", fresh: true }, resuming, prompt(1), {
      _tag: "PromptLost",
      id: 1,
      error: lost(true)
    })
    assert.deepStrictEqual(step(doubted, { _tag: "HistoryRequested" }), [doubted, []])
  })

  it("is refused before anything is sent when the agent does not take its content", () => {
    const image = [{ type: "image" as const, data: "", mimeType: "image/png" }]
    const [state, commands] = after(...connected, { _tag: "PromptRequested", prompt: { id: 1, content: image } })
    assert.strictEqual(state.turn, undefined)
    assert.strictEqual(endOf(commands), "UnsupportedContent")
  })
})

describe("a prompt that was surely not sent", () => {
  const reconnecting = new ConnectionLost({ description: "moved", sent: false, reconnecting: true })

  it("goes out on the connection that is being opened, if that comes in time", () => {
    const [waiting, commands] = after(...connected, prompt(1), { _tag: "PromptLost", id: 1, error: reconnecting })
    assert.deepStrictEqual(tags(commands), ["RemovePrompt", "StartTimer"])
    const next = [
      { _tag: "Connected", fresh: true },
      { _tag: "Attached", connection: 2, agent, loads: true, repeats: true }
    ] as const
    const [sent, sending] = next.reduce<ReturnType<typeof step>>(([state], event) => step(state, event), [waiting, []])
    assert.deepStrictEqual([sent.turn?.delivery, tags(sending).includes("SendPrompt")], ["Sent", true])
    const [, ending] = step(waiting, { _tag: "ReadyTimeout", id: 1 })
    assert.strictEqual(endOf(ending), "ConnectionLost")
  })

  it("ends as cancelled where it was cancelled meanwhile", () => {
    const [state, commands] = after(
      ...connected,
      prompt(1),
      { _tag: "CancelRequested", id: 2 },
      {
        _tag: "PromptLost",
        id: 1,
        error: reconnecting
      }
    )
    assert.strictEqual(state.turn, undefined)
    assert.strictEqual(endOf(commands), "cancelled")
  })
})

describe("a cancellation", () => {
  it("ends a turn that was not sent without a message to the agent", () => {
    const [state, commands] = after(prompt(1), { _tag: "CancelRequested", id: 2 })
    assert.deepStrictEqual(state.cancels, [])
    assert.deepStrictEqual(tags(commands), ["CancelRequests", "EndTurn"])
    assert.strictEqual(endOf(commands), "cancelled")
  })

  it("is Requested, then Confirmed only by an answer that says that the turn was cancelled", () => {
    const [requested, commands] = after(...connected, prompt(1), { _tag: "CancelRequested", id: 2 })
    assert.strictEqual(requested.turn?.cancellation, "Requested")
    assert.deepStrictEqual(tags(commands), ["CancelRequests", "StartTimer", "SendCancel"])
    const [told] = step(requested, { _tag: "CancelSent", id: 2 })
    const [late, ending] = step(told, { _tag: "PromptAnswered", id: 1, end: ended })
    assert.strictEqual(late.lastTurn?.cancellation, "TooLate")
    assert.deepStrictEqual([endOf(ending), tags(ending).includes("CancelToolCalls")], ["end_turn", false])
    const cancelled = Exit.succeed({ stopReason: "cancelled" } as const)
    const [confirmed, stopping] = step(told, { _tag: "PromptAnswered", id: 1, end: cancelled })
    assert.strictEqual(confirmed.lastTurn?.cancellation, "Confirmed")
    assert.deepStrictEqual([endOf(stopping), tags(stopping).includes("CancelToolCalls")], ["cancelled", true])
  })

  it("is Unconfirmed at the deadline, and settled by a late answer, which is not the end of the next turn", () => {
    const [unconfirmed, ending] = after(
      ...connected,
      prompt(1),
      { _tag: "CancelRequested", id: 2 },
      { _tag: "CancelSent", id: 2 },
      prompt(3),
      { _tag: "CancelDeadline", id: 2, turnId: 1 }
    )
    assert.strictEqual(unconfirmed.lastTurn?.cancellation, "Unconfirmed")
    assert.strictEqual(endOf(ending), "cancelled")
    assert.strictEqual(unconfirmed.turn?.id, 3)
    const [late, commands] = step(unconfirmed, { _tag: "PromptAnswered", id: 1, end: ended })
    assert.strictEqual(late.lastTurn?.cancellation, "TooLate")
    assert.strictEqual(late.turn?.id, 3)
    // What the agent asks belongs to the turn that runs.
    assert.deepStrictEqual(commands, [])
  })

  it("keeps the next prompt waiting while it is on its way, beyond the deadline, too", () => {
    const [state] = after(...connected, prompt(1), { _tag: "CancelRequested", id: 2 }, prompt(3), {
      _tag: "CancelDeadline",
      id: 2,
      turnId: 1
    })
    assert.strictEqual(state.turn, undefined)
    assert.strictEqual(state.cancels[0]?.overdue, true)
    const [next, commands] = step(state, { _tag: "CancelFailed", id: 2, error: lost(true) })
    assert.deepStrictEqual(tags(commands), ["SettleCancel", "SendPrompt"])
    assert.strictEqual(next.turn?.id, 3)
  })

  it("is repeated after a pause, and not once the agent has answered", () => {
    const [pausing, timer] = after(
      ...connected,
      prompt(1),
      { _tag: "CancelRequested", id: 2 },
      { _tag: "CancelFailed", id: 2, error: lost(true) }
    )
    assert.deepStrictEqual(timer, [{ _tag: "StartTimer", timer: { _tag: "CancelRetry", id: 2 } }])
    assert.deepStrictEqual(tags(step(pausing, { _tag: "CancelRetry", id: 2 })[1]), ["SendCancel"])
    const [answered, commands] = step(pausing, { _tag: "PromptAnswered", id: 1, end: ended })
    assert.deepStrictEqual(answered.cancels, [])
    assert.deepStrictEqual(tags(commands), ["WithdrawRequests", "SettleCancel", "EndTurn"])
  })

  it("without a turn is settled by the channel, or fails with its end", () => {
    const [sent, commands] = after(...connected, { _tag: "CancelRequested", id: 1 }, { _tag: "CancelSent", id: 1 })
    assert.deepStrictEqual([sent.cancels, tags(commands)], [[], ["SettleCancel"]])
    const [, failed] = after({ _tag: "CancelRequested", id: 1 }, { _tag: "Closed", error: refused })
    assert.deepInclude(
      failed.find(({ _tag }) => _tag === "SettleCancel"),
      { error: refused }
    )
  })
})
