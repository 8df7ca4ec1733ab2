import type { FaultRule, Readings } from "@heddle/plain-service"
import * as FastCheck from "effect/FastCheck"

/** What the agent does with a message, one after the other; the words are part of the message. */
export type Behavior =
  | "ask"
  | "ask gated"
  | "fail"
  | "gated"
  | "gated ask"
  | "gated ask gated"
  | "gated gated"
  | "mute"
  | "quick"

/** What has become of the newest message when the person goes on. */
export type Moment = "arrived" | "begun" | "ended" | "shown" | "written"

/** A request that goes wrong. */
export type Fault = Pick<FaultRule, "effect" | "when"> & {
  readonly target: "cancel" | "initialize" | "load" | "prompt" | "response" | "stream" | "task"
  readonly times: number
}

/** How a person clicks: twice at once, or without the right to. */
interface Clicks {
  readonly clicks: 1 | 2
  readonly who: "other" | "owner"
}

/** A person writes messages in a row. */
interface Writing {
  readonly does: "write"
  readonly behaviors: ReadonlyArray<Behavior>
  readonly until: Moment
}

/** What happens next in a story. */
export type Step =
  | Writing
  | { readonly does: "bot is away"; readonly seconds: number; readonly meanwhile: ReadonlyArray<Writing | SimpleStep> }
  | ({ readonly does: "answer"; readonly choice: "Allow" | "Reject" } & Clicks)
  | ({ readonly does: "send it" } & Clicks)
  | { readonly does: "fault"; readonly fault: Fault }
  | { readonly does: "cut"; readonly how: "end" | "reset" }
  | SimpleStep

interface SimpleStep {
  readonly does:
    | "another client writes"
    | "end tickets"
    | "end tokens"
    | "open gates"
    | "restart bot"
    | "restart service"
    | "stop"
}

/** A story: how the service reads the document, how the creation goes wrong, and what happens. */
export interface Scenario {
  readonly readings: Partial<Readings>
  readonly first: { readonly behavior: Behavior; readonly until: Moment }
  readonly creation: Pick<Fault, "effect" | "when"> | undefined
  readonly steps: ReadonlyArray<Step>
}

const { array, constant, constantFrom, oneof, option, record, tuple } = FastCheck

const mostly = <A>(usual: A, ...others: ReadonlyArray<A>): FastCheck.Arbitrary<A> =>
  oneof({ weight: 4, arbitrary: constant(usual) }, { weight: 1, arbitrary: constantFrom(...others) })

const readings: FastCheck.Arbitrary<Partial<Readings>> = record({
  replay: constantFrom("full", "withoutUserMessages", "none"),
  replayedChunks: constantFrom("asSent", "joined"),
  replayedMeta: constantFrom("kept", "dropped"),
  replayedPrompts: mostly<Readings["replayedPrompts"]>("asWritten", "escaped", "newestOnly"),
  initialize: constantFrom("bare", "full"),
  loadResult: constantFrom("object", "null"),
  creatingMs: mostly(20, 6000, 15_000),
  firstPrompt: mostly<Readings["firstPrompt"]>("runs", "runsLater", "waits"),
  // The bot waits eight seconds for a first run.
  laterMs: constantFrom(1000, 6000),
  restStatus: constantFrom("idle", "pending", "completed"),
  askStatus: constantFrom("working", "pending"),
  pendingRequests: constantFrom("lost", "askedAgain"),
  endedTickets: constantFrom("keepStreams", "cutStreams"),
  linkMovesOnQuery: mostly(false, true),
  ignoreCancel: mostly(false, true),
  roundsAtRestart: constantFrom("continue", "fail"),
  requestIds: constantFrom("numbers", "strings"),
  sse: constantFrom("plain", "awkward")
})

type Effects = ReadonlyArray<Fault["effect"]>

const failing = (effects: Effects, whens: ReadonlyArray<Fault["when"]>) =>
  record({ effect: constantFrom(...effects), when: constantFrom(...whens) })

/** With 401 or 429 a service says that it did not act; no other failure says so. */
const failure = oneof(
  { weight: 3, arbitrary: failing([{ status: 503 }, { status: 502 }, "reset"], ["after", "before"]) },
  { weight: 1, arbitrary: failing([{ status: 429, retryAfterSeconds: 1 }, { status: 401 }], ["before"]) },
  { weight: 1, arbitrary: failing([{ delayMs: 300 }, { delayMs: 1500 }], ["after", "before"]) }
)

/** A creation has more answers that leave open whether the service acted. */
const creationFailure = oneof(
  { weight: 3, arbitrary: failure },
  { weight: 1, arbitrary: failing([{ status: 409 }, { status: 408 }], ["after", "before"]) }
)

const targets: ReadonlyArray<Fault["target"]> = [
  ...(["prompt", "prompt", "prompt", "response", "response"] as const),
  ...(["cancel", "initialize", "load", "stream", "task"] as const)
]

const fault: FastCheck.Arbitrary<Fault> = tuple(constantFrom(...targets), failure, constantFrom(1, 1, 2, 4)).map(
  ([target, failed, times]) => ({ target, times, ...failed })
)

const until = constantFrom<Moment>("written", "arrived", "begun", "shown", "ended")
const behavior = constantFrom<Behavior>(
  ...(["quick", "gated", "mute", "ask", "ask gated", "fail"] as const),
  ...(["gated gated", "gated ask", "gated ask gated"] as const)
)
const clicks = record({ who: mostly<Clicks["who"]>("owner", "other"), clicks: mostly<Clicks["clicks"]>(1, 2) })

const simple = (...steps: ReadonlyArray<SimpleStep["does"]>) =>
  constantFrom(...steps).map((does): SimpleStep => ({ does }))

const writing = (until: FastCheck.Arbitrary<Moment>): FastCheck.Arbitrary<Writing> =>
  record({ does: constant("write" as const), behaviors: array(behavior, { minLength: 1, maxLength: 2 }), until })

const meanwhile = oneof(
  { weight: 1, arbitrary: writing(constant("written")) },
  {
    weight: 3,
    arbitrary: simple(
      ...(["another client writes", "end tickets", "end tokens"] as const),
      ...(["open gates", "open gates", "restart service", "stop"] as const)
    )
  }
)

const step: FastCheck.Arbitrary<Step> = oneof(
  { weight: 6, arbitrary: writing(until) },
  {
    weight: 2,
    arbitrary: record({
      does: constant("bot is away" as const),
      seconds: constantFrom(1, 3, 5),
      meanwhile: array(meanwhile, { minLength: 1, maxLength: 3 })
    })
  },
  {
    weight: 3,
    arbitrary: tuple(constantFrom<"Allow" | "Reject">("Allow", "Reject"), clicks).map(([choice, how]): Step => ({
      does: "answer",
      choice,
      ...how
    }))
  },
  { weight: 2, arbitrary: clicks.map((how): Step => ({ does: "send it", ...how })) },
  { weight: 5, arbitrary: fault.map((fault): Step => ({ does: "fault", fault })) },
  { weight: 2, arbitrary: constantFrom<"end" | "reset">("end", "reset").map((how): Step => ({ does: "cut", how })) },
  {
    weight: 7,
    arbitrary: simple(
      ...(["another client writes", "end tickets", "end tokens", "open gates"] as const),
      ...(["restart bot", "restart service", "stop", "stop"] as const)
    )
  }
)

const scenario: FastCheck.Arbitrary<Scenario> = record({
  readings,
  first: record({ behavior, until }),
  creation: option(creationFailure, { nil: undefined, freq: 5 }),
  steps: array(step, { minLength: 3, maxLength: 10 })
})

/** The story of a seed, always the same. */
export const ofSeed = (seed: number): Scenario => FastCheck.sample(scenario, { seed, numRuns: 1 })[0]!
