import { assert, describe, it } from "@effect/vitest"
import type { Command } from "@heddle/bot/turn/machine/Command"
import type { Event } from "@heddle/bot/turn/machine/Event"
import * as Machine from "@heddle/bot/turn/machine/Machine"
import type * as TurnState from "@heddle/bot/turn/machine/State"
import {
  accountEnded,
  answered,
  atRest,
  away,
  checked,
  collected,
  done,
  failedAttempt,
  fired,
  lateOutput,
  notSent,
  opened,
  posted,
  send,
  stop,
  tell
} from "../support/TurnEvents.ts"

/** Every event there is, with every value that decides anything. */
const everyEvent: ReadonlyArray<Event> = [
  { _tag: "Started" },
  stop,
  { _tag: "AnswersChanged" },
  opened,
  { _tag: "SessionOpened", storedEnd: done },
  ...(["Idle", "Busy", "Pending", "Completed", "Failed", "Ended"] as const).flatMap((status) =>
    [true, false].flatMap((hasArrived) =>
      [true, false].flatMap((isComplete) => [
        checked(status, hasArrived, isComplete),
        ...["isHeld", "isStopOpen", "awaitsAnswer", "hasWaited"].map((fact) => ({
          ...checked(status, hasArrived, isComplete),
          [fact]: true
        }))
      ])
    )
  ),
  send[0]!,
  { _tag: "PromptRefused", text: "no" },
  send[1]!,
  answered,
  { ...answered, stopReason: "cancelled" },
  { ...answered, stopReason: "cancelled", isUnconfirmed: true },
  { ...answered, stopReason: "cancelled", isUnconfirmed: true, isUndelivered: true },
  { _tag: "PromptDetached" },
  ...[true, false].flatMap((isComplete) =>
    [true, false].flatMap((hasAnswer) =>
      [true, false].map((hasArrived) => ({ ...atRest, isComplete, hasAnswer, hasArrived }))
    )
  ),
  { ...atRest, onlyOtherPrompts: true },
  { ...atRest, hasFailed: true },
  { _tag: "ChannelOutdated" },
  { _tag: "TaskEnded" },
  { _tag: "Silent" },
  { _tag: "CancelSent" },
  { _tag: "CancelFailed" },
  ...[true, false].flatMap((hasOpenRequest) =>
    [
      { ...failedAttempt, failure: { _tag: "Final", text: "no" } } as const,
      away(0),
      away(0, true),
      notSent,
      away(1e9),
      { ...away(1e9), openedAt: 0 } as Event,
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
      [undefined, done, { _tag: "Failed", text: "gone" } as const].flatMap((storedEnd) =>
        (kind === "FirstPrompt" ? (["auto", "send"] as const) : (["auto"] as const)).map((initialPrompt) => ({
          initialPrompt,
          kind,
          prompted,
          stopAsked,
          storedEnd
        }))
      )
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
  const todo: Array<readonly [state: TurnState.State, key: string]> = []
  const reach = (state: TurnState.State): string => {
    const key = JSON.stringify(state)
    if (!seen.has(key)) todo.push([state, key])
    seen.add(key)
    return key
  }
  for (const rows of everyStart) reach(Machine.initial(rows))
  const transitions: Array<Transition> = []
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const [from, fromKey] = next
    for (const event of everyEvent) {
      const [to, commands] = Machine.step(from, event)
      const toKey =
        to === from ? fromKey : reach({ ...to, attempt: Math.min(1, to.attempt), retries: Math.min(1, to.retries) })
      transitions.push({ from, event, to, fromKey, toKey, names: commands.map(({ _tag }) => _tag) })
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

  it("prepares a prompt only if none was sent, or a task at rest proves to lack it", () => {
    each(({ event, from, names }) => {
      if (!names.includes("PreparePrompt") || from.prompt === "NotSent") return undefined
      if ((event._tag !== "TaskChecked" && event._tag !== "RunEnded") || event.hasArrived) return false
      if (from.prompt !== "WithService") return event.isComplete
      if (event._tag !== "TaskChecked" || from.kind !== "FirstPrompt") return false
      return event.isHeld || (event.status === "Idle" && event.hasWaited && from.initialPrompt === "send")
    })
  })

  it("treats a prompt as missing only on evidence of the task or the channel", () => {
    each(({ event, from, to }) => {
      if (to.prompt !== "NotThere" || from.prompt === "NotThere") return undefined
      if (event._tag === "TaskChecked" || event._tag === "RunEnded") return !event.hasArrived && event.isComplete
      return event._tag === "AttemptFailed" && event.failure._tag === "Unavailable" && event.failure.isNotDelivered
    })
  })

  it("never treats a sent prompt as unsent, unless the channel says that it did not go out", () => {
    each(({ event, from, to }) => {
      if (to.prompt !== "NotSent" || from.prompt === "NotSent") return undefined
      return event._tag === "AttemptFailed" && event.failure._tag === "Unavailable" && event.failure.isNotSent
    })
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
      if (["Stopped", "StopNotDelivered"].includes(outcome?._tag ?? "")) return to.stop !== "None"
      return outcome?._tag === "Unsent" ? to.stop !== "None" : undefined
    })
  })

  it("ends a followed run as done only without a request to stop", () => {
    each(({ event, from, to }) => {
      const outcome = "outcome" in to.phase && !("outcome" in from.phase) ? to.phase.outcome : undefined
      if (event._tag !== "RunEnded" || outcome?._tag !== "Answered") return undefined
      return to.stop === "None" || outcome.stopReason !== "end_turn"
    })
  })

  it("ends as stopped only when no prompt was sent", () => {
    each(({ event, from, to }) => {
      const outcome = "outcome" in to.phase && !("outcome" in from.phase) ? to.phase.outcome : undefined
      if (outcome?._tag !== "Stopped") return undefined
      if (event._tag === "TaskChecked" && from.prompt === "WithService") return event.isHeld
      const isAtRest = event._tag === "TaskChecked" && Machine.activity[event.status] === "AtRest"
      return (
        isAtRest ||
        (event._tag === "RunEnded" ? !event.hasArrived : ["PromptRecorded", "StopAsked"].includes(event._tag))
      )
    })
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

describe("a turn of late output", () => {
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
})
