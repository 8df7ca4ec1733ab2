import { assert, describe, it } from "@effect/vitest"
import type { Command, Timer } from "@heddle/bot/turn/machine/Command"
import type { Event } from "@heddle/bot/turn/machine/Event"
import * as Machine from "@heddle/bot/turn/machine/Machine"
import type * as TurnState from "@heddle/bot/turn/machine/State"

const message: TurnState.Rows = {
  kind: "Message",
  hasFiles: false,
  prompted: false,
  stopAsked: false,
  storedEnd: undefined
}
const firstPrompt: TurnState.Rows = { ...message, kind: "FirstPrompt" }
const lateOutput: TurnState.Rows = { ...message, kind: "LateOutput" }
const done = { _tag: "Done", stopReason: "end_turn", milliseconds: 5, tokens: undefined } as const

const opened: Event = { _tag: "SessionOpened", storedEnd: undefined }
const stop: Event = { _tag: "StopAsked" }
const answered: Event = { _tag: "PromptAnswered", stopReason: "end_turn" }
const atRest = { _tag: "RunEnded", onlyOtherPrompts: false, hasAnswer: true, stopReason: "end_turn" } as const
const collected: Event = { _tag: "ArtifactsCollected" }
const posted: Event = { _tag: "EndPosted" }
const checked = (
  status: TurnState.TaskStatus,
  hasArrived = false,
  history: TurnState.History = "WithUserMessages"
): Event => ({ _tag: "TaskChecked", status, hasArrived, history })
const failedAttempt = { _tag: "AttemptFailed", attempt: 1, beganAt: 0, failedAt: 0, hasOpenRequest: false } as const
const away = (failedAt: number, isNotDelivered = false, attempt = 1): Event => ({
  ...failedAttempt,
  attempt,
  failedAt,
  failure: { _tag: "Unavailable", text: "away", isNotDelivered }
})
const accountEnded = (isReplaced: boolean, storedEnd: TurnState.State["storedEnd"] = undefined): Event => ({
  ...failedAttempt,
  failure: { _tag: "AccountEnded", isReplaced, storedEnd }
})
const fired = (timer: Timer): Event => ({ _tag: "TimerFired", timer })
const prompt = [{ type: "text", text: "go on" }] as const
const send: ReadonlyArray<Event> = [
  { _tag: "PromptPrepared", blocks: prompt },
  { _tag: "PromptRecorded", blocks: prompt }
]

/** Runs a story from the rows of a turn; gives the last state and all commands by name. */
const tell = (rows: TurnState.Rows, ...events: ReadonlyArray<Event>) => {
  let state = Machine.initial(rows)
  const commands: Array<Command> = []
  for (const event of [{ _tag: "Started" } as const, ...events]) {
    const [next, more] = Machine.step(state, event)
    state = next
    commands.push(...more)
  }
  const outcome = "outcome" in state.phase ? state.phase.outcome : undefined
  return { state, phase: state.phase._tag, outcome, commands, names: commands.map(({ _tag }) => _tag) }
}

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

  it("sends a message during a run of another client", () => {
    assert.strictEqual(tell(message, opened, checked("Busy")).phase, "Preparing")
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

  it("resends a prompt when the session never held anything", () => {
    const { phase, state } = tell({ ...message, prompted: true }, opened, checked("Idle", false, "Empty"))
    assert.deepEqual([phase, state.prompt], ["Preparing", "NotThere"])
  })

  it("leaves a prompt to the person when the history omits user messages and shows no answer", () => {
    const absent = [opened, checked("Idle", false, "WithoutUserMessages"), collected, posted]
    for (const rows of [message, firstPrompt].map((each) => ({ ...each, prompted: true }))) {
      const { names, outcome, phase, state } = tell(rows, ...absent)
      assert.deepEqual([phase, outcome, state.prompt], ["Over", { _tag: "DeliveryUnknown" }, "Unknown"])
      assert.notInclude(names, "PreparePrompt")
    }
    const { names, outcome } = tell({ ...message, prompted: true, stopAsked: true }, ...absent)
    assert.include(names, "SendCancel")
    assert.deepEqual(outcome, { _tag: "Stopped" })
  })

  it("follows a prompt when the history omits user messages and shows an answer", () => {
    for (const rows of [message, firstPrompt].map((each) => ({ ...each, prompted: true }))) {
      const { phase, state } = tell(rows, opened, checked("Idle", true, "WithoutUserMessages"))
      assert.deepEqual([phase, state.prompt], ["Following", "Delivered"])
    }
  })

  it("leaves a prompt to the person whose connection broke when only user messages could prove that it arrived", () => {
    const broken = (history: TurnState.History, hasAnswer: boolean) =>
      tell(
        message,
        opened,
        checked("Idle", false, history),
        ...send,
        { _tag: "PromptDetached" },
        {
          ...atRest,
          hasAnswer
        }
      ).outcome?._tag
    assert.strictEqual(broken("WithoutUserMessages", false), "DeliveryUnknown")
    assert.strictEqual(broken("WithoutUserMessages", true), "Answered")
    assert.strictEqual(broken("WithUserMessages", false), "Answered")
    assert.strictEqual(broken("Empty", false), "Answered")
  })

  it("sends a message that was never sent, whatever the history shows", () => {
    for (const history of ["Empty", "WithUserMessages", "WithoutUserMessages"] as const)
      assert.strictEqual(tell(message, opened, checked("Idle", false, history)).phase, "Preparing")
  })

  it("follows a first prompt that the service already runs", () => {
    assert.strictEqual(tell(firstPrompt, opened, checked("Busy")).phase, "Following")
  })

  it("sends a first prompt that the service holds", () => {
    assert.strictEqual(tell(firstPrompt, opened, checked("Idle")).phase, "Preparing")
  })

  it("sends the files of a first prompt after a run without them", () => {
    const rows = { ...firstPrompt, hasFiles: true }
    const { commands } = tell(rows, opened, checked("Busy"), atRest)
    assert.deepEqual(commands.at(-1), { _tag: "PreparePrompt", part: "Files" })
    assert.strictEqual(tell(rows, opened, checked("Busy"), atRest, ...send, answered).phase, "Ending")
  })

  it("ends an opened task without a prompt to the agent", () => {
    const { outcome } = tell({ ...message, kind: "OpenedTask" }, opened, checked("Idle"))
    assert.deepEqual(outcome, { _tag: "Quiet" })
  })

  it("follows a pending task like a busy one", () => {
    assert.strictEqual(tell({ ...message, prompted: true }, opened, checked("Pending")).phase, "Following")
  })

  it("ends with a failed task, also when the service still returns link and token", () => {
    for (const status of ["FailedButAlive", "Terminal"] as const) {
      assert.deepEqual(tell(message, opened, checked(status)).outcome, { _tag: "TaskFailed" })
      const rows = { ...message, prompted: true }
      assert.deepEqual(tell(rows, opened, checked(status, true)).outcome, { _tag: "TaskFailed" })
    }
    const failing: Event = { _tag: "RunFailed" }
    assert.deepEqual(tell(firstPrompt, opened, checked("Busy"), failing).outcome, { _tag: "TaskFailed" })
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

  it("opens the session again when only another client's prompt ran", () => {
    const others: Event = { ...atRest, onlyOtherPrompts: true }
    const { names, phase } = tell({ ...message, prompted: true }, opened, checked("Busy"), others)
    assert.strictEqual(phase, "Opening")
    assert.deepEqual(names.slice(-2), ["CloseSession", "OpenSession"])
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
    const cancelled: Event = { _tag: "PromptAnswered", stopReason: "cancelled" }
    const { names, outcome } = tell(message, opened, checked("Idle"), ...send, stop, cancelled)
    assert.include(names, "SendCancel")
    assert.deepEqual(outcome, { _tag: "Answered", stopReason: "cancelled", tokens: undefined })
  })

  it("gives a cancelled agent five seconds to end a followed run", () => {
    const following = [opened, checked("Busy", true), stop, { _tag: "CancelSent" } as const]
    assert.deepEqual(tell(firstPrompt, ...following).commands.at(-1), {
      _tag: "StartTimer",
      timer: "StopGrace",
      ms: 5000
    })
    assert.deepEqual(tell(firstPrompt, ...following, fired("StopGrace")).outcome, { _tag: "StopUnconfirmed" })
    assert.deepEqual(tell(firstPrompt, ...following, atRest).outcome, { _tag: "Stopped" })
    assert.strictEqual(tell(firstPrompt, ...following, fired("GiveUp")).phase, "Following")
  })

  it("reports an agent that cannot be cancelled within ten seconds", () => {
    const rows = { ...message, prompted: true }
    assert.deepEqual(tell(rows, stop, fired("GiveUp")).outcome, { _tag: "Untold" })
    const failed: Event = { _tag: "CancelFailed" }
    const { outcome } = tell(rows, opened, checked("Busy"), stop, failed, fired("GiveUp"))
    assert.deepEqual(outcome, { _tag: "Untold" })
  })

  it("repeats a requested stop after a restart", () => {
    const { names } = tell({ ...message, prompted: true, stopAsked: true }, opened)
    assert.deepEqual(names, ["OpenSession", "ShowStop", "StartTimer", "ClearNotice", "SendCancel", "CheckTask"])
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
    const { names, outcome } = tell({ ...message, storedEnd: failed }, fired("Replay"))
    assert.deepEqual(names, ["StartTimer", "OpenSession", "CloseSession", "HoldShutdown", "PostEnd"])
    assert.deepEqual(outcome, { _tag: "Recorded", end: failed })
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
    assert.deepEqual(tell(message, away(Machine.retryWindowMs + 1)).outcome, { _tag: "Failed", text: "away" })
  })

  it("ends at once when it is stopped while the service is unavailable", () => {
    assert.deepEqual(tell(message, away(0), stop).outcome, { _tag: "Unsent" })
    assert.deepEqual(tell({ ...message, prompted: true }, away(0), stop).outcome, { _tag: "Untold" })
  })

  it("measures the fifteen minutes from the beginning of the first failed attempt", () => {
    const second = (failedAt: number): Event => ({ ...away(failedAt, false, 2), beganAt: 800_000 }) as Event
    const after = (failedAt: number) => tell(message, away(5), fired("Retry"), second(failedAt)).phase
    assert.deepEqual([after(Machine.retryWindowMs), after(Machine.retryWindowMs + 1)], ["WaitingForService", "Posting"])
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

  it("shows late output until the agent is silent", () => {
    const { names, outcome } = tell(lateOutput, opened, { _tag: "Silent" })
    assert.include(names, "AwaitSilence")
    assert.deepEqual(outcome, { _tag: "Quiet" })
  })

  it("cancels an agent that continues after its answer", () => {
    const { names, outcome } = tell(lateOutput, opened, stop)
    assert.include(names, "SendCancel")
    assert.deepEqual(outcome, { _tag: "Quiet" })
  })

  it("ends silently when late output cannot be read, unless a request is open", () => {
    assert.deepEqual(tell(lateOutput, away(0)).outcome, { _tag: "Failed", text: "" })
    assert.strictEqual(tell(lateOutput, { ...away(0), hasOpenRequest: true } as Event).phase, "WaitingForService")
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

/** Every event there is, with every value that decides anything. */
const everyEvent: ReadonlyArray<Event> = [
  { _tag: "Started" },
  stop,
  { _tag: "AnswersChanged" },
  opened,
  { _tag: "SessionOpened", storedEnd: done },
  ...(["Idle", "Busy", "Pending", "FailedButAlive", "Terminal"] as const).flatMap((status) =>
    [true, false].flatMap((arrived) =>
      (["Empty", "WithUserMessages", "WithoutUserMessages"] as const).map((history) =>
        checked(status, arrived, history)
      )
    )
  ),
  send[0]!,
  { _tag: "PromptRefused", text: "no" },
  send[1]!,
  answered,
  { _tag: "PromptAnswered", stopReason: "cancelled" },
  { _tag: "PromptDetached" },
  atRest,
  { ...atRest, onlyOtherPrompts: true },
  { ...atRest, hasAnswer: false },
  { _tag: "RunFailed" },
  { _tag: "Silent" },
  { _tag: "CancelSent" },
  { _tag: "CancelFailed" },
  ...[true, false].flatMap((hasOpenRequest) =>
    [
      { ...failedAttempt, failure: { _tag: "Final", text: "no" } } as const,
      away(0),
      away(0, true),
      away(1e9),
      away(0, false, 0),
      accountEnded(true),
      accountEnded(false),
      accountEnded(false, done)
    ].map((event): Event => ({ ...event, hasOpenRequest }) as Event)
  ),
  { _tag: "AccountConnected" },
  ...(["GiveUp", "StopGrace", "Retry", "Replay"] as const).map(fired),
  collected,
  posted,
  { _tag: "ThreadClosed", isRowClosed: true },
  { _tag: "ThreadClosed", isRowClosed: false }
]

const everyStart: ReadonlyArray<TurnState.Rows> = (
  ["FirstPrompt", "OpenedTask", "Message", "LateOutput"] as const
).flatMap((kind) =>
  [true, false].flatMap((prompted) =>
    [true, false].flatMap((stopAsked) =>
      [undefined, done, { _tag: "Failed", text: "gone" } as const].map((storedEnd) => ({
        kind,
        hasFiles: kind === "FirstPrompt",
        prompted,
        stopAsked,
        storedEnd
      }))
    )
  )
)

interface Transition {
  readonly from: TurnState.State
  readonly event: Event
  readonly to: TurnState.State
  readonly fromKey: string
  readonly toKey: string
  readonly names: ReadonlyArray<Command["_tag"]>
}

/** Every transition that can be reached; attempts and failures of the service count up to one. */
const everyTransition = (): ReadonlyArray<Transition> => {
  const seen = new Set<string>()
  const todo: Array<TurnState.State> = everyStart.map(Machine.initial)
  const transitions: Array<Transition> = []
  for (let from = todo.pop(); from !== undefined; from = todo.pop()) {
    const fromKey = JSON.stringify(from)
    if (seen.has(fromKey)) continue
    seen.add(fromKey)
    for (const event of everyEvent) {
      const [to, commands] = Machine.step(from, event)
      const next = { ...to, attempt: Math.min(1, to.attempt), retries: Math.min(1, to.retries) }
      const toKey = to === from ? fromKey : JSON.stringify(next)
      transitions.push({ from, event, to, fromKey, toKey, names: commands.map(({ _tag }) => _tag) })
      todo.push(next)
    }
  }
  return transitions
}

describe("every event in every reachable state", () => {
  const all = everyTransition()
  const each = (check: (transition: Transition) => boolean | undefined) => {
    const broken = all.find((transition) => check(transition) === false)
    assert.strictEqual(JSON.stringify(broken), undefined)
  }

  it("reaches every phase", () => {
    const phases = new Set(all.map(({ to }) => to.phase._tag))
    assert.strictEqual(phases.size, 13)
  })

  it("sends a prompt only after its row was written, and without a request to stop", () => {
    each(({ event, from, names }) =>
      names.includes("SendPrompt") ? event._tag === "PromptRecorded" && from.stop === "None" : undefined
    )
  })

  it("prepares a prompt only if none was sent, an idle task lacks it, or its files are pending", () => {
    each(({ event, from, names }) => {
      if (!names.includes("PreparePrompt")) return undefined
      const isMissing = event._tag === "TaskChecked" && !event.hasArrived && Machine.activity[event.status] === "AtRest"
      return from.prompt === "NotSent" || isMissing || (from.hasPendingFiles && event._tag === "RunEnded")
    })
  })

  it("treats a prompt as missing only on evidence of the task or the channel", () => {
    each(({ event, from, to }) => {
      if (to.prompt !== "NotThere" || from.prompt === "NotThere") return undefined
      if (event._tag === "TaskChecked") return !event.hasArrived && event.history !== "WithoutUserMessages"
      return event._tag === "AttemptFailed" && event.failure._tag === "Unavailable" && event.failure.isNotDelivered
    })
  })

  it("never treats a sent prompt as unsent", () => {
    each(({ from, to }) => (from.prompt === "NotSent" ? undefined : to.prompt !== "NotSent"))
  })

  it("sends the files of a first prompt once", () => {
    each(({ from, to }) => (from.hasPendingFiles ? undefined : !to.hasPendingFiles))
  })

  it("reaches Over only after its end was posted", () => {
    each(({ event, from, to }) =>
      to.phase._tag === "Over" && from.phase._tag !== "Over"
        ? from.phase._tag === "Posting" && event._tag === "EndPosted"
        : undefined
    )
  })

  it("keeps a decided outcome, and then sends the agent at most a cancellation", () => {
    each(({ event, from, names, to }) => {
      if (!Machine.isDecided(from)) return undefined
      if (["OpenSession", "PreparePrompt", "RecordPrompt", "SendPrompt"].some((name) => names.includes(name as never)))
        return false
      if (!("outcome" in from.phase) || event._tag === "ThreadClosed") return true
      return "outcome" in to.phase && to.phase.outcome === from.phase.outcome
    })
  })

  it("does nothing after the end or in a closed thread", () => {
    each(({ from, names, to }) =>
      from.phase._tag === "Over" || from.phase._tag === "ThreadClosed" ? names.length === 0 && to === from : undefined
    )
  })

  it("ends as stopped or unsent only after a request to stop", () => {
    each(({ to }) => {
      const outcome = "outcome" in to.phase ? to.phase.outcome : undefined
      if (["Stopped", "StopUnconfirmed", "Untold"].includes(outcome?._tag ?? "")) return to.stop !== "None"
      return outcome?._tag === "Unsent" ? to.stop !== "None" : undefined
    })
  })

  it("ends as stopped only when the task is at rest or no prompt was sent", () => {
    each(({ event, from, to }) => {
      const outcome = "outcome" in to.phase && !("outcome" in from.phase) ? to.phase.outcome : undefined
      if (outcome?._tag !== "Stopped") return undefined
      const isAtRest = event._tag === "TaskChecked" && Machine.activity[event.status] === "AtRest"
      return isAtRest || ["RunEnded", "PromptRecorded", "StopAsked"].includes(event._tag)
    })
  })

  it("never prepares a sent prompt on a history without user messages", () => {
    each(({ event, from, names }) =>
      from.prompt !== "NotSent" && event._tag === "TaskChecked" && event.history === "WithoutUserMessages"
        ? !names.includes("PreparePrompt")
        : undefined
    )
  })

  it("does not forget a request to stop", () => {
    each(({ from, to }) => (from.stop === "None" ? undefined : to.stop !== "None"))
  })

  it("delays a shutdown before it posts, and posts each end once", () => {
    each(({ from, names, to }) => {
      if (names.includes("PostEnd") && (to.phase._tag !== "Posting" || from.phase._tag === "Posting")) return false
      return Machine.isDecided(to) && !Machine.isDecided(from) && to.phase._tag !== "ThreadClosed"
        ? names.includes("HoldShutdown")
        : undefined
    })
  })

  it("can reach the end from every state", () => {
    const into = new Map<string, Set<string>>()
    const todo = new Array<string>()
    for (const { event, from, fromKey, to, toKey } of all) {
      if (event._tag === "ThreadClosed") continue
      if (to.phase._tag === "Over") todo.push(fromKey)
      if (from !== to) into.set(toKey, (into.get(toKey) ?? new Set()).add(fromKey))
    }
    const ending = new Set<string>()
    for (let key = todo.pop(); key !== undefined; key = todo.pop()) {
      if (ending.has(key)) continue
      ending.add(key)
      todo.push(...(into.get(key) ?? []))
    }
    each(({ from, fromKey }) => (from.phase._tag === "ThreadClosed" ? undefined : ending.has(fromKey)))
  })
})
