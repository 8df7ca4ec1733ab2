import { assert, describe, it } from "@effect/vitest"
import { type StopCandidate, type StopTarget, stopTarget } from "@heddle/bot/store/StopTarget"

/** A message that the agent has, and whose turn runs. */
const running = (eventId: string, more: Partial<StopCandidate> = {}): StopCandidate => ({
  eventId,
  kind: "message",
  first: false,
  state: "running",
  prompted: true,
  stopAsked: false,
  ended: false,
  endPostId: undefined,
  ...more
})
const taken = (eventId: string, more: Partial<StopCandidate> = {}) => running(eventId, { prompted: false, ...more })
const queued = (eventId: string, more: Partial<StopCandidate> = {}) => taken(eventId, { state: "queued", ...more })
const done = (eventId: string, endPostId: string, more: Partial<StopCandidate> = {}) =>
  running(eventId, { state: "done", ended: true, endPostId, ...more })
const stopped = { stopAsked: true }

const stopping = (turnId: string): StopTarget => ({ _tag: "Stopping", turnId })
const next = (turnId: string): StopTarget => ({ _tag: "Next", turnId })
const over: StopTarget = { _tag: "Over" }
const idle: StopTarget = { _tag: "Idle" }

const request = "50"
const table: ReadonlyArray<
  readonly [title: string, StopTarget, candidates: ReadonlyArray<StopCandidate>, requests?: ReadonlyArray<string>]
> = [
  ["an empty thread has nothing to stop", idle, []],
  ["a running turn", stopping("10"), [running("10")]],
  ["the running turn, not the message behind it", stopping("10"), [running("10"), queued("20")]],
  ["a turn whose end is not posted yet", { _tag: "Posting", turnId: "10" }, [running("10", { ended: true })]],
  [
    "a turn whose end was posted after the request, and whose row is not finished yet",
    { _tag: "Posting", turnId: "10" },
    [running("10", { ended: true, endPostId: "60" })]
  ],
  ["late output", { _tag: "Late", turnId: "10" }, [running("10", { kind: "late_output", prompted: false })]],
  ["a message that the agent does not have yet", stopping("10"), [taken("10")]],
  ["a message in the queue", next("10"), [queued("10"), queued("20")]],
  ["the first message of a task, which the service has", stopping("10"), [queued("10", { first: true })]],

  ["not what was written after the request", idle, [running("60"), queued("70")]],
  ["not a turn whose end was posted before the request", idle, [done("10", "40"), done("20", "45")]],
  [
    "not a message that the agent never got",
    idle,
    [taken("10", { state: "removed" }), taken("20", { state: "closed" })]
  ],
  ["a message behind a turn whose end was posted before the request", next("20"), [done("10", "40"), queued("20")]],
  ["a turn that has ended since is over, whatever runs now", over, [done("10", "60"), running("20"), queued("30")]],
  [
    "a message that never reached the agent, and whose end was posted since, is over",
    over,
    [done("10", "60", { prompted: false }), queued("30")],
    ["20"]
  ],
  ["a turn that was cut since is over", over, [done("10", "60", { state: "cut" })]],

  ["a repeated request: the message since the first", next("30"), [running("10", stopped), queued("30")], ["20"]],
  [
    "a repeated request: not a message before the first",
    stopping("10"),
    [running("10", stopped), queued("20")],
    ["30"]
  ],
  [
    "a repeated request: the first message since, not the one before",
    next("40"),
    [running("10", stopped), queued("20"), queued("40")],
    ["30"]
  ],
  ["a repeated request: not a message that was taken since", over, [done("10", "40", stopped), taken("20")], ["30"]],
  ["a repeated request: the message behind it", next("40"), [taken("20"), queued("40")], ["30"]],
  ["a repeated request: not a turn that began since", over, [done("10", "60", stopped), running("20")], ["30"]],
  [
    "a repeated request: the turn that began since, whose message is newer than the first",
    stopping("40"),
    [done("10", "60", stopped), running("40")],
    ["30"]
  ],
  ["a repeated request: a turn that began in between", stopping("20"), [done("10", "40"), running("20")], ["30"]],
  ["a repeated request: no message before the first", idle, [done("10", "40", stopped), queued("20")], ["30"]],
  ["a repeated request: the message that will not reach the agent", next("10"), [queued("10", stopped)], ["30"]],
  [
    "the first message of a task that was not stopped, also after an earlier request",
    stopping("10"),
    [queued("10", { first: true })],
    ["20"]
  ],
  ["a request that is newer is no earlier one", next("20"), [running("10", stopped), queued("20")], ["60"]],
  ["the request itself is no earlier one", next("20"), [running("10", stopped), queued("20")], [request]]
]

describe("a request to stop means", () => {
  for (const [title, expected, candidates, requests = []] of table) {
    it(title, () => assert.deepEqual(stopTarget({ candidates, requests }, request), expected))
  }

  it("an earlier message: a longer id is newer", () => {
    assert.deepEqual(stopTarget({ candidates: [running("99")], requests: [] }, "100"), stopping("99"))
    assert.deepEqual(stopTarget({ candidates: [running("100")], requests: [] }, "99"), idle)
  })
})
