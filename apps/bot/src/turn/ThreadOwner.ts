import * as ClusterSchema from "@effect/cluster/ClusterSchema"
import * as Entity from "@effect/cluster/Entity"
import type * as Sharding from "@effect/cluster/Sharding"
import * as Rpc from "@effect/rpc/Rpc"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { retryUntilDelivered, retryWhileStoreFails } from "../store/database/RetryPolicy.ts"
import { Admission } from "../concurrency/Admission.ts"
import * as Mutex from "../concurrency/Mutex.ts"
import { ThreadShut } from "../outbox/Outbox.ts"
import * as LateOutput from "./LateOutput.ts"
import { shut as shutTurn, type Signals } from "./OpenTurn.ts"
import * as AgentChoices from "./session/AgentChoices.ts"
import * as ThreadChannel from "./session/ThreadChannel.ts"
import * as Turn from "./Turn.ts"
import * as TurnContext from "./TurnContext.ts"

/** What calling an owner needs. */
export type Requirements = Sharding.Sharding

/**
 * The one owner of a thread, which alone talks to the task and decides what the thread shows. Deliveries are stored and
 * handled one after the other; a delivery that was cut off starts again from its rows.
 */
const ThreadOwner = Entity.make("ThreadOwner", [
  Rpc.make("Deliver", {
    payload: { eventId: Schema.String, attempt: Schema.optional(Schema.Number) },
    primaryKey: ({ attempt = 0, eventId }) => (attempt === 0 ? eventId : `${eventId}:${attempt}`)
  }).annotate(ClusterSchema.Persisted, true),
  /** Stops a turn, as its row says already. */
  Rpc.make("Stop", { payload: { turnId: Schema.String } }),
  /** The thread is gone or locked: the running turn ends, nothing is posted, and its task is stopped. */
  Rpc.make("Shut"),
  /** A permission request was answered in its row; returns after the running turn has handed the answer over or shown it. */
  Rpc.make("Answered"),
  /** Makes a person's choice of a mode, a model or an option of the agent. */
  Rpc.make("Choose", { payload: AgentChoices.Choice, success: AgentChoices.Outcome }),
  /** Waits for late output after a turn, until the next turn begins. */
  Rpc.make("Listen"),
  /** A waiting message was edited or deleted, or the server has chosen another language. */
  Rpc.make("QueueChanged")
])

/** Has a stored message handled; each attempt at the same message is made once, however often this is called. */
export const deliver = Effect.fn("ThreadOwner.deliver")(function* (threadId: string, eventId: string, attempt = 0) {
  const client = yield* ThreadOwner.client
  yield* retryUntilDelivered(client(threadId).Deliver({ eventId, attempt }, { discard: true }))
})

/** Stops a running turn. */
export const stop = Effect.fn("ThreadOwner.stop")(function* (threadId: string, turnId: string) {
  const client = yield* ThreadOwner.client
  yield* retryUntilDelivered(client(threadId).Stop({ turnId }))
})

/** Ends the running turn of a thread in which nothing can be posted any more, as its row says already. */
export const shut = Effect.fn("ThreadOwner.shut")(function* (threadId: string) {
  const client = yield* ThreadOwner.client
  yield* retryUntilDelivered(client(threadId).Shut())
})

/** Has the running turn of a thread hand over or show the answer of a permission request; its row then has the outcome. */
export const answered = Effect.fn("ThreadOwner.answered")(function* (threadId: string) {
  const client = yield* ThreadOwner.client
  yield* retryUntilDelivered(client(threadId).Answered())
})

/** Makes a person's choice of a mode, a model or an option of the agent, and tells the thread. */
export const choose = Effect.fn("ThreadOwner.choose")(function* (threadId: string, choice: AgentChoices.Choice) {
  const client = yield* ThreadOwner.client
  return yield* retryUntilDelivered(client(threadId).Choose(choice))
})

/** Has the owner wait for late output: a request keeps it alive. */
const listen = Effect.fn("ThreadOwner.listen")(function* (threadId: string) {
  const client = yield* ThreadOwner.client
  yield* retryUntilDelivered(client(threadId).Listen(undefined, { discard: true }))
})

/** Tells the running turn of a thread that its waiting messages or the language have changed. */
export const queueChanged = Effect.fn("ThreadOwner.queueChanged")(function* (threadId: string) {
  const client = yield* ThreadOwner.client
  yield* retryUntilDelivered(client(threadId).QueueChanged())
})

/** The wait for a handover, which may look up each author at Discord. */
const handOverLimit = "15 seconds"

export const layer = ThreadOwner.toLayer(
  Effect.gen(function* () {
    const provided = TurnContext.only(yield* Effect.context<TurnContext.Requirements>())
    const admission = yield* Admission
    const ownerScope = yield* Effect.scope
    const oneTurn = Mutex.make()
    const threadChannel = ThreadChannel.make()
    let runningTurn: (Signals & { readonly turnId: string }) | undefined
    /** Where late output comes from after the last turn. */
    let lateOutput: { readonly source: LateOutput.LateOutputSource; isAwaited: boolean } | undefined
    const nextTurn = yield* Effect.makeLatch()

    // While the store fails, nothing else of the thread runs: when it works again, the turn goes on from its rows.
    const turn = (threadId: string, eventId: string, wasQueued: boolean) =>
      retryWhileStoreFails(
        `The turn of message ${eventId}`,
        Effect.gen(function* () {
          for (;;) {
            nextTurn.unsafeOpen()
            const signals = yield* Turn.signals
            runningTurn = { ...signals, turnId: eventId }
            yield* admission.enter
            const outcome = yield* Turn.run(eventId, { ownerScope, signals, threadChannel, wasQueued }).pipe(
              provided,
              Effect.ensuring(Effect.sync(() => (runningTurn = undefined)))
            )
            if (outcome._tag === "Again") continue
            yield* awaitMore(threadId, outcome)
            return outcome.next
          }
        })
      )

    /** Runs a turn, and those that come before the messages that wait. */
    const turns = Effect.fnUntraced(function* (threadId: string, eventId: string, wasQueued: boolean) {
      for (let next: string | undefined = eventId; next !== undefined;) next = yield* turn(threadId, next, wasQueued)
    })

    /** Awaits the late output of a turn, or of the turn before where this one did not use the kept channel. */
    const awaitMore = Effect.fnUntraced(function* (threadId: string, outcome: Turn.Outcome) {
      const { current } = threadChannel
      const isKept = current?.isKept === true && current.acp === lateOutput?.source.session
      const source = outcome.lateOutput ?? (isKept ? lateOutput?.source : undefined)
      lateOutput = source === undefined ? undefined : { source, isAwaited: false }
      if (source === undefined) return yield* ThreadChannel.close(threadChannel)
      nextTurn.unsafeClose()
      yield* listen(threadId)
    })

    const signalQueueChange = Effect.sync(() => void runningTurn?.events.unsafeOffer({ _tag: "QueueChanged" }))

    return ThreadOwner.of({
      Deliver: ({ address, payload }) =>
        Effect.suspend(() => {
          const wasQueued = oneTurn.isBusy()
          return Effect.zipRight(signalQueueChange, oneTurn.run(turns(address.entityId, payload.eventId, wasQueued)))
        }),
      Listen: ({ address }) =>
        Effect.gen(function* () {
          if (lateOutput === undefined || lateOutput.isAwaited) return
          lateOutput.isAwaited = true
          const begun = Effect.as(nextTurn.await, "NextTurn" as const)
          const heard = yield* Effect.raceFirst(provided(LateOutput.awaitLateOutput(lateOutput.source)), begun)
          if (heard === "NextTurn") return
          if (heard === "Nothing") return yield* ThreadChannel.close(threadChannel)
          const stored = yield* retryWhileStoreFails("Late output", provided(LateOutput.enqueue(address.entityId)))
          if (Option.isSome(stored)) yield* deliver(address.entityId, stored.value)
        }),
      Stop: ({ payload }) =>
        Effect.sync(
          () => void (runningTurn?.turnId === payload.turnId && runningTurn.events.unsafeOffer({ _tag: "StopAsked" }))
        ),
      Shut: ({ address }) =>
        Effect.sync(() => {
          if (runningTurn !== undefined)
            shutTurn(runningTurn, new ThreadShut({ threadId: address.entityId, isRowClosed: true }))
        }),
      Answered: () =>
        Effect.gen(function* () {
          if (runningTurn === undefined) return
          const handled = yield* Deferred.make<void>()
          runningTurn.events.unsafeOffer({ _tag: "AnswersChanged", handled })
          // A turn that ends meanwhile completes nothing.
          yield* Effect.timeoutOption(Deferred.await(handled), handOverLimit)
        }),
      Choose: ({ address, payload }) =>
        provided(
          AgentChoices.choose(address.entityId, payload, () => ({
            session: threadChannel.current?.acp,
            isTurnRunning: runningTurn !== undefined
          }))
        ),
      QueueChanged: () => signalQueueChange
    })
  }),
  // Unbounded, so that stopping does not wait behind the turn that it stops, nor behind how much else waits.
  { concurrency: "unbounded", disableFatalDefects: true, mailboxCapacity: "unbounded", maxIdleTime: "5 minutes" }
)
