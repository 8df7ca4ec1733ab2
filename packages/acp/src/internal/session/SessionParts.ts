import type * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Connection } from "../../Connection.ts"
import * as Extension from "../../Extension.ts"
import type { SessionEvent } from "../../SessionEvent.ts"
import type { Options } from "../../SessionOptions.ts"
import * as SessionState from "../../SessionState.ts"
import type { Transport } from "../../Transport.ts"
import * as Retries from "../Retries.ts"
import * as Attachment from "./Attachment.ts"
import * as Broadcast from "./Broadcast.ts"
import * as EventLoop from "./EventLoop.ts"
import * as InboundRouter from "./InboundRouter.ts"
import * as PendingRequests from "./PendingRequests.ts"
import * as PromptEvidence from "./PromptEvidence.ts"
import * as SessionCalls from "./SessionCalls.ts"
import * as SessionCommands from "./SessionCommands.ts"
import { type Event, initial, type State, type Timer } from "./SessionLife.ts"
import * as SessionMachine from "./SessionMachine.ts"
import * as SessionStateRef from "./SessionStateRef.ts"

/** Where a session runs. */
export interface Environment {
  readonly connection: Effect.Effect<Connection>
  readonly reconnect: Transport["reconnect"]
  readonly clock: Clock.Clock
  /** Runs in the background until the session is closed. */
  readonly fork: SessionCommands.Context<never>["fork"]
}

/** Makes the parts of a session and connects them; nothing runs yet. */
export const make = <E>(options: Options<E>, { clock, connection, fork, reconnect }: Environment) => {
  // Without options.extensions, E is the event type of the standard registry.
  const extensions = (options.extensions ?? Extension.standard) as Extension.Registry<E>
  const callers: SessionCommands.Callers = { prompts: new Map(), cancels: new Map(), promptRecords: new Map() }
  const timerDurations = durations(options)
  const life = () => loop.state()
  const dispatch = (event: Event) => loop.dispatch(event)

  const broadcast: Broadcast.Broadcast<SessionEvent<E>> = Broadcast.make<SessionEvent<E>>({
    changed: (changed) => ({ _tag: "StateChanged", state: state.get(), changed }),
    dropped: (count) => ({ _tag: "EventsDropped", count })
  })
  const state = SessionStateRef.make(options.state ?? SessionState.empty, broadcast.change)
  const requests = PendingRequests.make({
    deadline: options.permissionDeadline ?? "300 seconds",
    repeatAnswers: options.repeatAnswers ?? true,
    changed: (permissions) => state.set({ permissions }),
    publish: broadcast.event
  })
  const router = InboundRouter.make({
    sessionId: options.sessionId,
    extensions,
    questions: options.questions === true,
    clock,
    state,
    requests,
    publish: broadcast.event,
    isCancelling: () => life().turn?.cancellation === "Requested"
  })
  const attachment = Attachment.make({
    session: options,
    extensionPrefix: extensions.prefix,
    connection,
    router,
    state,
    life,
    onHistory: (history) => {
      // The replayed history shows whether the prompt arrived whose connection broke before its answer.
      const { doubt } = life()
      const record = doubt === undefined ? undefined : callers.promptRecords.get(doubt.id)
      if (record === undefined) return
      dispatch({ _tag: "HistoryReplayed", finding: PromptEvidence.find(record, history, state.get()) })
    }
  })
  const perform = SessionCommands.make({
    attachment,
    broadcast,
    connection,
    reconnect,
    requests,
    router,
    state,
    callers,
    durationOf: (timer) => timerDurations[timer],
    life,
    dispatch,
    fork
  })
  const loop: EventLoop.EventLoop<State, Event> = EventLoop.make(initial, SessionMachine.step, perform)
  return { broadcast, state, requests, router, loop, calls: SessionCalls.make(loop, callers) }
}

const durations = <E>(options: Options<E>): Record<Timer["_tag"], Duration.DurationInput> => ({
  ReadyTimeout: options.readyTimeout ?? "30 seconds",
  CancelDeadline: options.cancelDeadline ?? "5 seconds",
  CancelRetry: Retries.cancelPause,
  RepeatWindow: Retries.repeatWindow
})
