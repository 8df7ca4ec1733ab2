import { assert, describe, it } from "@effect/vitest"
import type { Event } from "@heddle/bot/turn/machine/Event"
import * as Machine from "@heddle/bot/turn/machine/Machine"
import { retryWindowMs } from "@heddle/bot/turn/machine/Outage"
import {
  accountEnded,
  answered,
  atRest,
  away,
  checked,
  collected,
  done,
  fired,
  firstPrompt,
  message,
  opened,
  posted,
  prompt,
  send,
  stop,
  tell
} from "../support/TurnEvents.ts"

describe("the machine of a turn", () => {
  it("sends a message to an idle task and ends with the answer", () => {
    const { names, outcome, phase } = tell(message, opened, checked("Idle"), ...send, answered, collected, posted)
    assert.strictEqual(phase, "Over")
    assert.deepEqual(outcome, { _tag: "Answered", stopReason: "end_turn", tokens: undefined })
    assert.deepEqual(names, [
      "OpenSession",
      "ClearNotice",
      "CheckTask",
      "PreparePrompt",
      "RecordPrompt",
      "SendPrompt",
      "HoldShutdown",
      "CollectArtifacts",
      "PostEnd"
    ])
  })

  it("sends a message during a run of another client, but not during a run that did not confirm its stop", () => {
    assert.strictEqual(tell(message, opened, checked("Busy")).phase, "Preparing")
    const stopped = { ...checked("Busy"), isStopOpen: true }
    const { names, phase } = tell(message, opened, stopped)
    assert.deepEqual([phase, names.at(-1)], ["Checking", "AwaitStoppedRun"])
    assert.deepEqual(tell(message, opened, stopped, stop).outcome, { _tag: "Unsent" })
    assert.deepEqual(tell(message, opened, stopped, { ...stopped, hasWaited: true }).outcome, { _tag: "StillAtWork" })
    const pending = { ...checked("Pending"), isStopOpen: true, hasWaited: true }
    assert.strictEqual(tell(message, opened, stopped, pending).phase, "Preparing")
    const asking = { ...pending, awaitsAnswer: true }
    assert.deepEqual(tell(message, opened, stopped, asking).outcome, { _tag: "StillAtWork" })
    assert.strictEqual(tell(message, opened, { ...checked("Idle"), isStopOpen: true }).phase, "Preparing")
  })

  it("follows a prompt that the session has received, after a restart", () => {
    const { names, phase, state } = tell({ ...message, prompted: true }, opened, checked("Idle", true))
    assert.strictEqual(phase, "Following")
    assert.strictEqual(state.prompt, "Delivered")
    assert.notInclude(names, "PreparePrompt")
  })

  it("resends a prompt that is missing in the history", () => {
    const { phase, state } = tell({ ...message, prompted: true }, opened, checked("Idle"))
    assert.deepEqual([phase, state.prompt], ["Preparing", "NotThere"])
  })

  it("resends a prompt that is missing when the run before it has ended", () => {
    const rested = { ...atRest, hasAnswer: false, hasArrived: false }
    const { phase, state } = tell({ ...message, prompted: true }, opened, checked("Pending"), rested)
    assert.deepEqual([phase, state.prompt], ["Preparing", "NotThere"])
  })

  it("leaves a prompt to the person when the history omits user messages and shows no answer", () => {
    const absent = [opened, checked("Idle", false, false), collected, posted]
    for (const rows of [message, firstPrompt].map((each) => ({ ...each, prompted: true }))) {
      const { names, outcome, phase, state } = tell(rows, ...absent)
      assert.deepEqual([phase, outcome, state.prompt], ["Over", { _tag: "DeliveryUnknown" }, "Unknown"])
      assert.notInclude(names, "PreparePrompt")
    }
    const { names, outcome } = tell({ ...message, prompted: true, stopAsked: true }, ...absent)
    assert.include(names, "SendCancel")
    assert.deepEqual(outcome, { _tag: "DeliveryUnknown" })
  })

  it("leaves a stopped prompt to the person when nothing shows whether it arrived", () => {
    const detached = [opened, checked("Idle", false, false), ...send, { _tag: "PromptDetached" } as const, stop]
    const over = { ...atRest, hasAnswer: false, isComplete: false } as const
    const ended = (...events: ReadonlyArray<Event>) => tell(message, ...detached, ...events).outcome?._tag
    assert.strictEqual(ended(over), "DeliveryUnknown")
    assert.strictEqual(ended({ ...over, isDeliveryUnknown: true }), "DeliveryUnknown")
    assert.strictEqual(ended({ ...over, hasArrived: false, isComplete: true }), "Unsent")
    assert.strictEqual(ended({ ...over, hasAnswer: true }), "EndedAfterStop")
  })

  it("follows a prompt when the history omits user messages and shows an answer", () => {
    for (const rows of [message, firstPrompt].map((each) => ({ ...each, prompted: true }))) {
      const { phase, state } = tell(rows, opened, checked("Idle", true, false))
      assert.deepEqual([phase, state.prompt], ["Following", "Delivered"])
    }
  })

  it("leaves a prompt to the person whose connection broke when only user messages could prove that it arrived", () => {
    const broken = (isComplete: boolean, hasAnswer: boolean) =>
      tell(
        message,
        opened,
        checked("Idle", false, isComplete),
        ...send,
        { _tag: "PromptDetached" },
        { ...atRest, hasAnswer, isComplete }
      ).outcome?._tag
    assert.strictEqual(broken(false, false), "DeliveryUnknown")
    assert.strictEqual(broken(false, true), "Answered")
    assert.strictEqual(broken(true, false), "Answered")
  })

  it("sends a message that was never sent, whatever the history shows", () => {
    for (const isComplete of [true, false])
      assert.strictEqual(tell(message, opened, checked("Idle", false, isComplete)).phase, "Preparing")
  })

  it("ends an opened task without a prompt to the agent", () => {
    const { outcome } = tell({ ...message, kind: "OpenedTask" }, opened, checked("Idle"))
    assert.deepEqual(outcome, { _tag: "Quiet" })
  })

  it("follows a pending task like a busy one", () => {
    assert.strictEqual(tell({ ...message, prompted: true }, opened, checked("Pending")).phase, "Following")
  })

  it("ends with a task that has ended", () => {
    assert.deepEqual(tell(message, opened, checked("Ended")).outcome, { _tag: "TaskEnded", isUnsent: true })
    const rows = { ...message, prompted: true }
    const ended = { _tag: "TaskEnded", isUnsent: false } as const
    assert.deepEqual(tell(rows, opened, checked("Ended", true)).outcome, ended)
    assert.deepEqual(tell(firstPrompt, opened, checked("Busy"), { _tag: "TaskEnded" }).outcome, ended)
  })

  it("sends a message to a task whose last run failed", () => {
    assert.strictEqual(tell(message, opened, checked("Failed")).phase, "Preparing")
  })

  it("ends as failed when the run failed, with or without an answer", () => {
    const failed = { ...atRest, hasFailed: true }
    const rows = { ...message, prompted: true }
    assert.deepEqual(tell(rows, opened, checked("Failed", true), failed).outcome, { _tag: "RunFailed" })
    for (const each of [failed, { ...failed, hasAnswer: false, hasArrived: false, isComplete: false } as const])
      assert.deepEqual(tell(firstPrompt, opened, checked("Failed"), each).outcome, { _tag: "RunFailed" })
  })

  it("opens the session again, and sends nothing, when the run is over and its channel has not said so", () => {
    const { names, phase } = tell(message, opened, checked("Idle"), ...send, { _tag: "ChannelOutdated" })
    assert.deepEqual([phase, names.at(-2), names.at(-1)], ["Opening", "CloseSession", "OpenSession"])
    assert.strictEqual(names.filter((name) => name === "SendPrompt").length, 1)
  })

  it("follows a prompt whose connection broke, and does not resend it", () => {
    const { names, outcome } = tell(message, opened, checked("Idle"), ...send, { _tag: "PromptDetached" }, atRest)
    assert.strictEqual(names.filter((name) => name === "SendPrompt").length, 1)
    assert.deepEqual(outcome, { _tag: "Answered", stopReason: "end_turn" })
  })

  it("resends a prompt that was provably not delivered", () => {
    const lost = [opened, checked("Idle"), ...send, { _tag: "PromptDetached" } as const, away(0, true)]
    assert.strictEqual(tell(message, ...lost).state.prompt, "NotThere")
    assert.strictEqual(tell(message, ...lost, fired("Retry"), opened, checked("Idle")).phase, "Preparing")
  })

  it("does not take an empty history for a proof that a prompt was not delivered", () => {
    const empty = checked("Idle", false, false)
    const lost = [opened, empty, ...send, { _tag: "PromptDetached" } as const, away(0, true), fired("Retry"), opened]
    const { names, outcome } = tell(message, ...lost, empty)
    assert.deepEqual(outcome, { _tag: "DeliveryUnknown" })
    assert.strictEqual(names.filter((name) => name === "SendPrompt").length, 1)
  })

  it("opens the session again when only another client's prompt ran", () => {
    const others: Event = { ...atRest, hasArrived: false, onlyOtherPrompts: true }
    const { names, phase } = tell({ ...message, prompted: true }, opened, checked("Busy"), others)
    assert.strictEqual(phase, "Opening")
    assert.deepEqual(names.slice(-2), ["CloseSession", "OpenSession"])
    const shown: Event = { ...others, hasAnswer: true, hasArrived: true }
    assert.strictEqual(tell({ ...message, prompted: true }, opened, checked("Busy"), shown).outcome?._tag, "Answered")
  })

  it("ends with a refusal when the author lost the permission", () => {
    const { names, outcome } = tell(message, opened, checked("Idle"), { _tag: "PromptRefused", text: "no" })
    assert.deepEqual(outcome, { _tag: "Failed", text: "no" })
    assert.notInclude(names, "SendPrompt")
  })

  it("ends as unsent when it is stopped before the prompt", () => {
    const before = [[], [opened], [opened, checked("Idle")], [opened, checked("Idle"), send[0]!]]
    for (const events of before) {
      const { names, outcome } = tell(message, ...events, stop, send[1]!)
      assert.deepEqual(outcome, { _tag: "Unsent" })
      assert.notInclude(names, "SendPrompt")
      assert.notInclude(names, "SendCancel")
    }
    assert.deepEqual(tell({ ...message, stopAsked: true }).outcome, { _tag: "Unsent" })
  })

  it("sends the agent a cancellation and ends when the agent confirms it", () => {
    const cancelled = { ...answered, stopReason: "cancelled" }
    const { names, outcome } = tell(message, opened, checked("Idle"), ...send, stop, cancelled)
    assert.include(names, "SendCancel")
    assert.deepEqual(outcome, { _tag: "Answered", stopReason: "cancelled", tokens: undefined })
    const silent = { ...cancelled, isUnconfirmed: true }
    const ignored = tell(message, opened, checked("Idle"), ...send, stop, silent)
    assert.deepEqual(ignored.outcome, { _tag: "StopUnconfirmed" })
    const refused = tell(message, opened, checked("Idle"), ...send, stop, {
      ...silent,
      isUndelivered: true
    })
    assert.deepEqual(refused.outcome, { _tag: "StopNotDelivered" })
  })

  it("gives a cancelled agent five seconds to end a followed run", () => {
    const following = [opened, checked("Busy", true), stop, { _tag: "CancelSent" } as const]
    assert.deepEqual(tell(firstPrompt, ...following).commands.at(-1), {
      _tag: "StartTimer",
      timer: "StopGrace",
      ms: 5000
    })
    assert.deepEqual(tell(firstPrompt, ...following, fired("StopGrace")).outcome, { _tag: "StopUnconfirmed" })
    const ended = (stopReason: string) => tell(firstPrompt, ...following, { ...atRest, stopReason }).outcome
    assert.deepEqual(ended("cancelled"), { _tag: "Stopped" })
    assert.deepEqual(ended("end_turn"), { _tag: "EndedAfterStop" })
    assert.strictEqual(tell(firstPrompt, ...following, fired("GiveUp")).phase, "Following")
  })

  it("reports an agent that cannot be cancelled within ten seconds", () => {
    const rows = { ...message, prompted: true }
    assert.deepEqual(tell(rows, stop, fired("GiveUp")).outcome, { _tag: "StopNotDelivered" })
    const failed: Event = { _tag: "CancelFailed" }
    const { outcome } = tell(rows, opened, checked("Busy"), stop, failed, fired("GiveUp"))
    assert.deepEqual(outcome, { _tag: "StopNotDelivered" })
  })

  it("repeats a requested stop after a restart", () => {
    const { names } = tell({ ...message, prompted: true, stopAsked: true }, opened)
    assert.deepEqual(names, ["OpenSession", "ShowStop", "StartTimer", "ClearNotice", "SendCancel", "CheckTask"])
  })

  it("repeats a stop of a first prompt that the service began to run after it", () => {
    const taken: Event = { _tag: "CancelSent" }
    const count = (...events: ReadonlyArray<Event>) => {
      const { names } = tell({ ...firstPrompt, stopAsked: true }, opened, ...events)
      return names.filter((name) => name === "SendCancel").length
    }
    assert.strictEqual(count(taken, checked("Busy", true)), 2)
    assert.strictEqual(count(checked("Busy", true)), 1, "the first may have to wait for a busy service")
    assert.strictEqual(count(checked("Busy", true), taken), 2)
    assert.strictEqual(count(checked("Busy", true), taken, taken), 2)
    assert.strictEqual(count({ _tag: "CancelFailed" }, checked("Busy", true)), 2)
  })

  it("shows a stored end again", () => {
    const recorded: Event = { _tag: "SessionOpened", storedEnd: done }
    assert.deepEqual(tell({ ...message, prompted: true, storedEnd: done }, recorded).outcome, {
      _tag: "Recorded",
      end: done
    })
  })

  it("shows a stored failure after thirty seconds when the session cannot be opened", () => {
    const failed = { _tag: "Failed", text: "gone" } as const
    const { names, outcome } = tell({ ...message, prompted: true, storedEnd: failed }, fired("Replay"))
    assert.deepEqual(names, ["StartTimer", "OpenSession", "CloseSession", "HoldShutdown", "PostEnd"])
    assert.deepEqual(outcome, { _tag: "Recorded", end: failed })
  })

  it("shows the stored end of a message that never went out without its session", () => {
    const { names, outcome } = tell({ ...message, storedEnd: done })
    assert.deepEqual(names, ["CloseSession", "HoldShutdown", "PostEnd"])
    assert.deepEqual(outcome, { _tag: "Recorded", end: done })
  })

  it("waits longer each time while the service is unavailable, and gives up after fifteen minutes", () => {
    const waits: Array<number> = []
    const events: Array<Event> = []
    for (let attempt = 0; attempt < 7; attempt++) {
      events.push(away(attempt, false, attempt + 1))
      const last = tell(message, ...events).commands.at(-1)
      if (last?._tag === "StartTimer") waits.push(last.ms)
      events.push(fired("Retry"))
    }
    assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 10_000, 10_000])
    assert.deepEqual(tell(message, away(retryWindowMs + 1)).outcome, { _tag: "Failed", text: "away" })
  })

  it("tells a task that is still being created from a service that is away", () => {
    const waitsFor = (isCreating: boolean) => {
      const failure = { _tag: "Unavailable", text: "away", isNotDelivered: false, isNotSent: false, retryAfterMs: 0 }
      const failed = { ...away(0), failure: { ...failure, isCreating } } as Event
      return tell(message, failed).commands.find(({ _tag }) => _tag === "ShowWaiting")
    }
    assert.deepEqual(waitsFor(true), { _tag: "ShowWaiting", isCreating: true })
    assert.deepEqual(waitsFor(false), { _tag: "ShowWaiting" })
  })

  it("ends at once when it is stopped while the service is unavailable", () => {
    assert.deepEqual(tell(message, away(0), stop).outcome, { _tag: "Unsent" })
    assert.deepEqual(tell({ ...message, prompted: true }, away(0), stop).outcome, { _tag: "StopNotDelivered" })
  })

  it("measures the fifteen minutes from the beginning of the first failed attempt", () => {
    const second = (failedAt: number): Event => ({ ...away(failedAt, false, 2), beganAt: 800_000 }) as Event
    const after = (failedAt: number) => tell(message, away(5), fired("Retry"), second(failedAt)).phase
    assert.deepEqual([after(retryWindowMs), after(retryWindowMs + 1)], ["WaitingForService", "Posting"])
  })

  const minute = 60_000
  /** An attempt whose session was open from `openedAt` until it failed. */
  const lostSession = (attempt: number, openedAt: number, failedAt: number): Event =>
    ({ ...away(failedAt, false, attempt), beganAt: openedAt, openedAt }) as Event

  it("measures the fifteen minutes from the failure of an attempt that had a session", () => {
    const first = [opened, checked("Idle"), ...send, lostSession(1, 0, 40 * minute)]
    const { commands, phase } = tell(message, ...first)
    assert.deepEqual([phase, commands.at(-1)], ["WaitingForService", { _tag: "StartTimer", timer: "Retry", ms: 500 }])
    const after = (failedAt: number) =>
      tell(message, ...first, fired("Retry"), { ...away(failedAt, false, 2), beganAt: 41 * minute } as Event).phase
    assert.deepEqual([after(55 * minute), after(55 * minute + 1)], ["WaitingForService", "Posting"])
  })

  it("begins a new outage after a session that was open for minutes", () => {
    const first = [away(0), fired("Retry")]
    const working = [opened, checked("Busy", true), lostSession(2, minute, 20 * minute), fired("Retry")]
    const rows = { ...message, prompted: true }
    const { state } = tell(rows, ...first, ...working)
    assert.deepEqual([state.unavailableSince, state.retries], [20 * minute, 1])
    const after = (failedAt: number) => tell(rows, ...first, ...working, away(failedAt, false, 3)).phase
    assert.deepEqual([after(35 * minute), after(35 * minute + 1)], ["WaitingForService", "Posting"])
  })

  it("gives up on a service that opens sessions and limits all queries", () => {
    const limited = { ...lostSession(1, 0, 15 * minute + 2), refusedSince: 1 } as Event
    assert.equal(tell(message, opened, limited).phase, "Posting")
    const later = { ...lostSession(1, 0, 35 * minute + 1), refusedSince: 20 * minute } as Event
    assert.equal(tell(message, opened, later).phase, "Posting")
  })

  it("gives up on a service that opens sessions and fails soon after", () => {
    const events: Array<Event> = []
    let now = 0
    for (let attempt = 1; tell(message, ...events).phase !== "Posting"; attempt++) {
      events.push(opened, checked("Idle"), ...send, lostSession(attempt, now, now + 2 * minute), fired("Retry"))
      now += 2 * minute
    }
    // The outage began with the first failure, after two minutes.
    assert.strictEqual(now, 18 * minute)
  })

  it("ignores a failure of an attempt that is over", () => {
    const events = [opened, checked("Idle"), ...send, away(0), fired("Retry"), opened]
    const { state } = tell(message, ...events)
    assert.strictEqual(state.attempt, 2)
    assert.deepEqual(Machine.step(state, away(0, true, 1)), [state, []])
    assert.strictEqual(Machine.step(state, away(0, true, 2))[0].phase._tag, "WaitingForService")
  })

  it("sends the prompt that was prepared", () => {
    const { commands } = tell(message, opened, checked("Idle"), ...send)
    assert.deepEqual(commands.slice(-2), [
      { _tag: "RecordPrompt", blocks: prompt },
      { _tag: "SendPrompt", blocks: prompt }
    ])
  })

  it("waits for the account and continues when it is connected", () => {
    assert.strictEqual(tell(message, accountEnded(false)).names.at(-1), "AskToConnect")
    const { names, phase } = tell(message, accountEnded(false), { _tag: "AccountConnected" })
    assert.deepEqual([phase, names.slice(-2)], ["Opening", ["ClearNotice", "OpenSession"]])
  })

  it("continues at once when another account has replaced the ended one", () => {
    assert.deepEqual(tell(message, accountEnded(true)).names, ["OpenSession", "CloseSession", "OpenSession"])
  })

  it("ends when it is stopped while it waits for an account, with a stored end if there is one", () => {
    assert.deepEqual(tell(message, accountEnded(false), stop).outcome, { _tag: "NotReconnected" })
    assert.deepEqual(tell(message, accountEnded(false, done), stop).outcome, { _tag: "Recorded", end: done })
  })

  it("sends answers while a session is open, and only shows them otherwise", () => {
    const changed: Event = { _tag: "AnswersChanged" }
    assert.strictEqual(tell(message, changed).names.at(-1), "ShowAnswers")
    assert.strictEqual(tell(message, opened, changed).names.at(-1), "SendAnswers")
  })

  it("does nothing after the thread was closed", () => {
    const closed: Event = { _tag: "ThreadClosed", isRowClosed: true }
    const { names, phase } = tell(message, opened, checked("Idle"), ...send, closed, answered, stop, collected)
    assert.strictEqual(phase, "ThreadClosed")
    assert.strictEqual(names.at(-1), "SendPrompt")
  })
})
