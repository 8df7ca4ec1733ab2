import * as ClusterSchema from "@effect/cluster/ClusterSchema"
import * as Entity from "@effect/cluster/Entity"
import type * as Sharding from "@effect/cluster/Sharding"
import * as Rpc from "@effect/rpc/Rpc"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { retryUntilDelivered, retryWhileStoreFails } from "../store/database/RetryPolicy.ts"
import { Admission } from "../concurrency/Admission.ts"
import { ThreadShut } from "../outbox/Outbox.ts"
import type { Signals } from "./OpenTurn.ts"
import * as AgentChoices from "./session/AgentChoices.ts"
import * as AgentSession from "./session/AgentSession.ts"
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
    const scope = yield* Effect.scope
    const oneTurn = yield* Effect.makeSemaphore(1)
    const agentSession = AgentSession.make()
    /** Has the channel of the turn before, while late output is awaited. */
    let channelScope: Scope.CloseableScope | undefined
    /** Has the wait for that late output. */
    let listeningScope: Scope.CloseableScope | undefined
    let runningTurn: (Signals & { readonly turnId: string }) | undefined

    // If this owner ends before, the stored row is delivered again.
    const handleLateOutput = (eventId: string): Effect.Effect<void> =>
      Effect.asVoid(
        Effect.forkIn(
          Effect.zipRight(signalQueueChange, oneTurn.withPermits(1)(turn(eventId, { takesOver: true }))),
          scope
        )
      )

    // While the store fails, nothing else of the thread runs: when it works again, the turn goes on from its rows.
    const turn = (eventId: string, options: { readonly wasQueued?: boolean; readonly takesOver?: boolean }) =>
      retryWhileStoreFails(
        `The turn of message ${eventId}`,
        Effect.gen(function* () {
          const signals = yield* Turn.signals(agentSession)
          runningTurn = { ...signals, turnId: eventId }
          if (listeningScope !== undefined) yield* Scope.close(listeningScope, Exit.void)
          listeningScope = yield* Scope.fork(scope, ExecutionStrategy.sequential)
          const keptScope = options.takesOver === true ? channelScope : undefined
          if (keptScope === undefined) agentSession.current = undefined
          const closing = yield* Effect.forkIn(
            channelScope === undefined || keptScope !== undefined ? Effect.void : Scope.close(channelScope, Exit.void),
            scope
          )
          channelScope = keptScope ?? (yield* Scope.fork(scope, ExecutionStrategy.sequential))
          yield* admission.enter
          return yield* Turn.run(eventId, signals, options.wasQueued === true, {
            channelScope,
            listeningScope,
            handleLateOutput,
            closed: Fiber.join(closing)
          }).pipe(provided, Effect.ensuring(Effect.sync(() => (runningTurn = undefined))))
        }).pipe(Effect.repeat({ while: (outcome) => outcome === "again" }), Effect.asVoid)
      )

    const signalQueueChange = Effect.sync(() => void runningTurn?.queueChanged.unsafeOpen())

    return ThreadOwner.of({
      Deliver: ({ payload }) =>
        Effect.suspend(() => {
          const isQueued = runningTurn !== undefined
          return Effect.zipRight(
            signalQueueChange,
            oneTurn.withPermits(1)(turn(payload.eventId, { wasQueued: isQueued }))
          )
        }),
      Stop: ({ payload }) =>
        Effect.sync(
          () => void (runningTurn?.turnId === payload.turnId && runningTurn.events.unsafeOffer({ _tag: "StopAsked" }))
        ),
      Shut: ({ address }) =>
        Effect.suspend(() =>
          runningTurn === undefined
            ? Effect.void
            : Effect.asVoid(
                Deferred.fail(runningTurn.threadShut, new ThreadShut({ threadId: address.entityId, isRowClosed: true }))
              )
        ),
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
            session: agentSession.current?.acp,
            isTurnRunning: runningTurn !== undefined
          }))
        ),
      QueueChanged: () => signalQueueChange
    })
  }),
  // Unbounded, so that stopping does not wait behind the turn that it stops, nor behind how much else waits.
  { concurrency: "unbounded", disableFatalDefects: true, mailboxCapacity: "unbounded", maxIdleTime: "5 minutes" }
)
