import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import { Draining } from "../concurrency/Draining.ts"
import * as MonotonicClock from "../concurrency/MonotonicClock.ts"
import type { Ticks } from "../concurrency/Ticks.ts"
import { tell } from "../messages/Explain.ts"
import { ThreadShut } from "../outbox/Outbox.ts"
import { retryWhileStoreFails } from "../store/database/RetryPolicy.ts"
import { type Delivery, type Failure, isRefusedRequest } from "./Failure.ts"
import type { LateOutputSource } from "./LateOutput.ts"
import type { Command } from "./machine/Command.ts"
import type { Event } from "./machine/Event.ts"
import { initial, isDecided, step } from "./machine/Machine.ts"
import { awayMs } from "./machine/Outage.ts"
import { isUnsent, type Rows, type State } from "./machine/State.ts"
import type { OpenTurn, Signal } from "./OpenTurn.ts"
import * as Reconnect from "./Reconnect.ts"
import * as Prompt from "./prompt/Prompt.ts"
import * as AgentDefaults from "./session/AgentDefaults.ts"
import * as SessionHistory from "./session/history/SessionHistory.ts"
import * as ResendOffers from "./session/ResendOffers.ts"
import * as TaskCheck from "./session/TaskCheck.ts"
import * as TurnSession from "./session/TurnSession.ts"
import * as TurnPosts from "./TurnPosts.ts"
import * as Activities from "./Activities.ts"
import * as ChannelSilence from "./ChannelSilence.ts"

/** A running turn: its commands become effects, and their results become events. */
export interface RunningTurn {
  readonly turn: OpenTurn
  readonly posts: TurnPosts.TurnPosts
  readonly scope: Scope.Scope
  /** Written by `apply` alone. */
  state: State
  attempt: AttachAttempt | undefined
  /** When the outcome was known, in epoch milliseconds. */
  decidedAt: number
  /** The source of late output. */
  lateOutputSource: Omit<LateOutputSource, "shown" | "start"> | undefined
}

/** The handles of one attempt to attach to the task; its scope ends everything that runs on it. */
interface AttachAttempt {
  readonly scope: Scope.CloseableScope
  /** Ends the attempt. */
  readonly failure: Deferred.Deferred<never, Failure>
  /** Not only the session failed, but what it was used for. */
  hasWorkFailed: boolean
  opened: TurnSession.AttachedSession | undefined
  /** When the session was open, in epoch milliseconds. */
  openedAt: number | undefined
  work: Fiber.RuntimeFiber<void> | undefined
}

/** Runs a turn from the state in its rows to its end. Fails with `ThreadShut` when its thread is gone or locked. */
export const run = Effect.fnUntraced(function* (turn: OpenTurn, posts: TurnPosts.TurnPosts, rows: Rows) {
  const self: RunningTurn = {
    turn,
    posts,
    scope: yield* Effect.scope,
    state: initial(rows),
    attempt: undefined,
    decidedAt: 0,
    lateOutputSource: undefined
  }
  yield* (yield* Draining).onDrain(() => turn.events.unsafeOffer({ _tag: "Draining" }))
  yield* Effect.ensuring(loop(self), endAttempt(self))
  return self.lateOutputSource
})

const loop = Effect.fnUntraced(function* (self: RunningTurn) {
  yield* apply(self, { _tag: "Started" })
  while (self.state.phase._tag !== "Over" && self.state.phase._tag !== "ThreadClosed") {
    yield* handle(self, yield* Queue.take(self.turn.events))
  }
  const { phase } = self.state
  const { threadId } = self.turn.thread
  if (phase._tag === "ThreadClosed") return yield* new ThreadShut({ threadId, isRowClosed: phase.isRowClosed })
})

const handle = (self: RunningTurn, signal: Signal): Effect.Effect<unknown, never, Requirements> => {
  switch (signal._tag) {
    case "Crashed":
      return Effect.failCause(signal.cause)
    case "QueueChanged":
      return Effect.sync(self.posts.refreshQueue)
    case "Draining":
      // The turn goes on from its rows after the next start; an end that is nearly shown still comes.
      return isDecided(self.state) ? Effect.void : Effect.zipRight(endAttempt(self), Effect.never)
    default:
      return apply(self, signal)
  }
}

const apply = Effect.fnUntraced(function* (self: RunningTurn, event: Event) {
  const [state, commands] = step(self.state, event)
  self.state = state
  for (const command of commands) yield* perform(self, command)
})

const perform = (self: RunningTurn, command: Command): Effect.Effect<void, never, Requirements> => {
  const { turn } = self
  switch (command._tag) {
    case "OpenSession":
      return openSession(self, command.attempt)
    case "CloseSession":
      return endAttempt(self)
    case "CheckTask":
      return runPhaseWork(self, ({ session }) =>
        Effect.tap(session.checkTask, ({ isHeld }) =>
          Effect.zipRight(withdrawOffers(turn, session), AgentDefaults.apply(turn, session.acp, isHeld))
        )
      )
    case "AwaitFirstRun":
      return runPhaseWork(self, ({ session }) => Activities.awaitFirstRun(session))
    case "AwaitStoppedRun":
      return runPhaseWork(self, ({ session }) => Activities.awaitStoppedRun(session))
    case "PreparePrompt":
      return runPhaseWork(self, ({ session }) => preparePrompt(turn, session))
    case "RecordPrompt":
      return runPhaseWork(self, ({ session }) =>
        Effect.as(session.recordPrompt(command.blocks), { _tag: "PromptRecorded", blocks: command.blocks } as const)
      )
    case "SendPrompt":
      return runPhaseWork(self, ({ session }) =>
        ChannelSilence.whileWatched(turn, session, session.sendPrompt(command.blocks))
      )
    case "FollowRun":
      return runPhaseWork(self, ({ session }) => Activities.followRun(turn, session))
    case "AwaitSilence":
      return runPhaseWork(self, ({ session }) =>
        Effect.zipRight(withdrawOffers(turn, session), Activities.awaitSilence(turn))
      )
    case "CollectArtifacts":
      return runPhaseWork(self, ({ session }) =>
        Effect.map(session.finish, (lateOutputSource): Event => {
          self.lateOutputSource = lateOutputSource
          return { _tag: "ArtifactsCollected" }
        })
      )
    case "SendCancel":
      return runBeside(self, ({ session }) => Activities.sendCancel(session))
    case "SendAnswers":
      return runBeside(self, ({ session }) => completing(command.handled, session.sendAnswers))
    case "ShowAnswers":
      return forkEvent(self, self.scope, completing(command.handled, Activities.showAnswers(turn)))
    case "ShowStop":
      return Effect.sync(() => turn.state.set({ stopAsked: true }))
    case "ShowWaiting":
      return Effect.sync(() => {
        const { waitingForCreation, waitingForService } = turn.messages
        const text = command.isCreating === true ? waitingForCreation : waitingForService
        turn.state.set({ notice: { _tag: "Waiting", text } })
      })
    case "ClearNotice":
      return Effect.sync(() => turn.state.set({ notice: undefined }))
    case "AskToConnect":
      return forkEvent(self, self.scope, Effect.as(Reconnect.askToConnect(turn), { _tag: "AccountConnected" } as const))
    case "StartTimer":
      return forkEvent(
        self,
        self.scope,
        Effect.as(Effect.sleep(command.ms), { _tag: "TimerFired", timer: command.timer } as const)
      )
    case "HoldShutdown":
      return Effect.gen(function* () {
        self.decidedAt = yield* Clock.currentTimeMillis
        yield* Scope.extend((yield* Draining).hold, self.scope)
      })
    case "PostEnd":
      return Effect.zipRight(
        endAttempt(self),
        forkEvent(
          self,
          self.scope,
          TurnPosts.showEnd(turn, self.posts, command.outcome, self.decidedAt).pipe(
            Effect.as({ _tag: "EndPosted" } as const),
            Effect.catchTag("ThreadShut", ({ isRowClosed }) =>
              Effect.succeed({ _tag: "ThreadClosed", isRowClosed } as const)
            )
          )
        )
      )
  }
}

/** The session may have messages by now that were not known to have arrived. */
const withdrawOffers = (turn: OpenTurn, { acp, isLoaded }: TurnSession.TurnSession) =>
  isLoaded
    ? retryWhileStoreFails(
        "The offer to send a message once more",
        Effect.flatMap(acp.state, (session) => ResendOffers.withdrawArrived(turn, session))
      )
    : Effect.void

/** Makes the prompt of a message, unless the agent has it already. */
const preparePrompt = Effect.fnUntraced(function* (
  turn: OpenTurn,
  { acp }: TurnSession.TurnSession
): Effect.fn.Return<Event, Failure, PrepareRequirements> {
  if (turn.entry.kind === "resent" && (yield* ResendOffers.isNeedless(turn, yield* acp.state)))
    return { _tag: "PromptRefused", text: tell(turn.messages, turn.messages.turnPosts.arrived) }
  const { blocks, refusal } = yield* Prompt.prepare(turn, acp)
  return refusal === undefined ? { _tag: "PromptPrepared", blocks } : { _tag: "PromptRefused", text: refusal }
})

type PrepareRequirements =
  | Effect.Effect.Context<ReturnType<typeof Prompt.prepare>>
  | Effect.Effect.Context<ReturnType<typeof ResendOffers.isNeedless>>

type Requirements =
  | Activities.Requirements
  | Effect.Effect.Context<ReturnType<typeof AgentDefaults.apply>>
  | Draining
  | Ticks
  | Effect.Effect.Context<ReturnType<typeof TurnSession.attach>>
  | PrepareRequirements
  | Effect.Effect.Context<ReturnType<typeof Reconnect.askToConnect>>
  | Effect.Effect.Context<ReturnType<typeof TurnPosts.showEnd>>

/** Completes `handled` after an effect that leads to no event. */
const completing = <R>(handled: Deferred.Deferred<void> | undefined, effect: Effect.Effect<void, never, R>) =>
  effect.pipe(
    Effect.ensuring(handled === undefined ? Effect.void : Deferred.succeed(handled, undefined)),
    Effect.as(undefined)
  )

/** Forks an effect. Its result becomes the next event; a defect ends the turn. */
const forkEvent = <R>(self: RunningTurn, scope: Scope.Scope, effect: Effect.Effect<Event | undefined, never, R>) =>
  effect.pipe(
    Effect.matchCause({
      onSuccess: (event) => (event === undefined ? undefined : void self.turn.events.unsafeOffer(event)),
      onFailure: (cause) =>
        Cause.isInterruptedOnly(cause) ? undefined : void self.turn.events.unsafeOffer({ _tag: "Crashed", cause })
    }),
    Effect.forkIn(scope)
  )

const openSession = Effect.fnUntraced(function* (self: RunningTurn, number: number) {
  yield* endAttempt(self)
  const attempt: AttachAttempt = {
    scope: yield* Scope.fork(self.scope, ExecutionStrategy.sequential),
    failure: yield* Deferred.make<never, Failure>(),
    hasWorkFailed: false,
    opened: undefined,
    openedAt: undefined,
    work: undefined
  }
  const clock = yield* Effect.clock
  const beganAt = MonotonicClock.read(clock)
  self.attempt = attempt
  const opened = (opened: TurnSession.AttachedSession) => {
    attempt.opened = opened
    attempt.openedAt = MonotonicClock.read(clock)
    self.turn.events.unsafeOffer({ _tag: "SessionOpened", storedEnd: opened.storedEnd })
  }
  yield* forkEvent(
    self,
    attempt.scope,
    Effect.catchAll(
      TurnSession.attach(self.turn, attempt.failure, opened),
      Effect.fnUntraced(function* (error) {
        const failedAt = MonotonicClock.read(clock)
        const refusedSince = TaskCheck.isServiceAway(error) ? attempt.opened?.session.refusedSince(failedAt) : undefined
        const times = { beganAt, openedAt: attempt.openedAt, refusedSince, failedAt }
        const { hasWorkFailed } = attempt
        const failed = yield* Activities.failureOf(self.turn, error, {
          delivery: deliveryOf(self, error, hasWorkFailed),
          isNotSent: hasWorkFailed && isPromptUnsent(self.state, error),
          awayMs: awayMs(self.state, times)
        })
        return { _tag: "AttemptFailed", attempt: number, ...times, ...failed } as const
      })
    )
  )
})

/** What is known about the message of a turn whose attempt fails. `hasWorkFailed`: not the session, but what it was used for. */
const deliveryOf = ({ state, turn }: RunningTurn, error: Failure, hasWorkFailed: boolean): Delivery => {
  const { kind, phase } = state
  if (hasWorkFailed && phase._tag === "Prompting" && (error._tag === "RpcError" || error._tag === "InvalidAnswer")) {
    const { extent, session } = turn.state.get()
    const hasAnswer = session !== undefined && SessionHistory.hasAnswer(session, extent)
    return isRefusedRequest(error) && !hasAnswer ? "unsent" : "runEnded"
  }
  return kind !== "LateOutput" && isUnsent(state) ? "unsent" : "perhapsSent"
}

const isPromptUnsent = ({ phase }: State, error: Failure): boolean =>
  phase._tag === "Prompting" && error._tag === "ConnectionLost" && !error.sent

/** Ends an attempt and its work. A channel that is kept for late output stays open. */
const endAttempt = (self: RunningTurn) =>
  Effect.suspend(() => {
    const { attempt } = self
    self.attempt = undefined
    return attempt === undefined ? Effect.void : Scope.close(attempt.scope, Exit.void)
  })

/** Runs the work of the current phase on the open session, and interrupts the work of the previous phase. */
const runPhaseWork = <R>(
  self: RunningTurn,
  make: (opened: TurnSession.AttachedSession) => Effect.Effect<Event, Failure, R>
) =>
  Effect.suspend(() => {
    const { attempt } = self
    if (attempt?.opened === undefined) return Effect.void
    const todo = Effect.catchAll(make(attempt.opened), (error) => {
      attempt.hasWorkFailed = true
      return Effect.as(Deferred.fail(attempt.failure, error), undefined)
    })
    const interruptPrevious = attempt.work === undefined ? Effect.void : Fiber.interruptFork(attempt.work)
    return Effect.zipRight(
      interruptPrevious,
      Effect.map(forkEvent(self, attempt.opened.scope, todo), (fiber) => void (attempt.work = fiber))
    )
  })

/** Runs work on the open session beside the work of the current phase. */
const runBeside = <R>(
  self: RunningTurn,
  make: (opened: TurnSession.AttachedSession) => Effect.Effect<Event | undefined, never, R>
) =>
  Effect.suspend(() =>
    self.attempt?.opened === undefined
      ? Effect.void
      : Effect.asVoid(forkEvent(self, self.attempt.opened.scope, make(self.attempt.opened)))
  )
