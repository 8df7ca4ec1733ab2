import * as AcpSession from "@heddle/acp/AcpSession"
import type { AcpError } from "@heddle/acp/AcpError"
import type * as SessionState from "@heddle/acp/SessionState"
import * as Ticket from "@heddle/acp/Ticket"
import { TaskId } from "@heddle/core/domain/Task"
import * as CallOptions from "@heddle/core/CallOptions"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import { BotSettings } from "../model/BotSettings.ts"
import { Accounts, type Service } from "../access/Accounts.ts"
import { untilStored } from "../store/database/UntilStored.ts"
import { isLateOutput } from "./LateOutput.ts"
import { client } from "./AgentClient.ts"
import { baselineOf } from "./Baseline.ts"
import { converse } from "./Converse.ts"
import { mayHave, type OpenTurn } from "./OpenTurn.ts"
import * as Approvals from "./Approvals.ts"
import * as Projection from "./Projection.ts"
import { Permissions } from "../store/Permissions.ts"
import * as TurnEnd from "./TurnEnd.ts"
import { Turns } from "../store/Turns.ts"
import * as ArtifactFollower from "./ArtifactFollower.ts"

/**
 * Attaches to the task, prompts it if the prompt has not arrived yet, and follows the answer to its end; undefined when
 * the session is to be looked at again.
 */
export const run = Effect.fnUntraced(function* (turn: OpenTurn) {
  const accounts = yield* Accounts
  let attached: AcpSession.AcpSession | undefined
  turn.reaching.due()
  const reached = (session: AcpSession.AcpSession) =>
    Effect.sync(() => {
      attached = session
      turn.reaching.rests()
    })
  const answered = accounts
    .use(turn.thread.ownerId, (service) => attach(turn, service, reached))
    .pipe(
      // A service that answers is at work: a sandbox may take its time to start.
      CallOptions.with({
        onResponse: ({ status }) =>
          Effect.sync(() => (attached !== undefined || status >= 500 ? undefined : turn.reaching.moved()))
      })
    )
  // On an account that its person has given up, the agent is not to go on; its channel is still open then.
  const cancelled = Effect.suspend(() =>
    attached === undefined ? neverSent(turn) : Effect.as(attached.cancel, true)
  ).pipe(
    Effect.timeout("3 seconds"),
    Effect.catchAll((error) =>
      Effect.as(Effect.logInfo("An agent may go on without the account", error.message), false)
    ),
    Effect.tap((told) => (told ? cutOff(turn) : Effect.void))
  )
  return yield* accounts.whileConnected(turn.thread.ownerId, answered, cancelled)
})

/** Whether there is nothing of a turn that an agent could be at work on. */
const neverSent = ({ entry, thread, turn }: OpenTurn) =>
  Effect.map(
    Effect.flatMap(Turns, (turns) => turns.begin(entry.eventId, thread.threadId, turn.startedAt)),
    (row) => !mayHave(entry, row)
  )

/** Keeps that a turn was stopped with its account, so that it says so when the account is connected again. */
const cutOff = Effect.fnUntraced(function* ({ entry, thread, turn }: OpenTurn) {
  const turns = yield* Turns
  const row = yield* turns.begin(entry.eventId, thread.threadId, turn.startedAt)
  if (row.end === undefined && mayHave(entry, row))
    yield* turns.setEnd(entry.eventId, yield* TurnEnd.done(row, "cancelled"))
})

/** Waits until the person stops the turn; what is answered meanwhile is shown, and given to the agent later. */
export const awaitStop = (
  turn: Pick<OpenTurn, "control" | "entry" | "state">
): Effect.Effect<void, never, Permissions> =>
  Queue.take(turn.control).pipe(
    Effect.tap((what) => (what === "Stop" ? Effect.void : showAnswers(turn))),
    Effect.repeat({ until: (what) => what === "Stop" }),
    Effect.asVoid
  )

const showAnswers = ({ entry, state }: Pick<OpenTurn, "entry" | "state">) =>
  Effect.map(
    untilStored(
      "An answer",
      Effect.flatMap(Permissions, (rows) => rows.ofTurn(entry.eventId))
    ),
    (permissions) => state.set({ permissions })
  )

const heed = (stop: Effect.Effect<void, AcpError>) =>
  Effect.catchAll(stop, (error) => Effect.logWarning("The task could not be stopped", error.message))

const attach = Effect.fnUntraced(function* (
  self: OpenTurn,
  { tasks }: Service,
  reached: (session: AcpSession.AcpSession) => Effect.Effect<void>
) {
  const { entry, state, thread } = self
  const taskId = TaskId.make(thread.taskId)
  const turns = yield* Turns
  const row = yield* turns.begin(entry.eventId, thread.threadId, self.turn.startedAt)
  const stop = yield* Deferred.make<void>()
  // An agent that may be at work is told first, if that can be done soon.
  const canBeTold = mayHave(entry, row) || isLateOutput(entry)
  const givenUp = canBeTold ? Effect.zipRight(Deferred.await(stop), Effect.sleep("10 seconds")) : Deferred.await(stop)
  let connected: { readonly answered: Effect.Effect<unknown>; readonly stop: Effect.Effect<void, AcpError> } | undefined
  if (state.get().stopAsked) yield* Deferred.succeed(stop, undefined)
  yield* Effect.forkScoped(
    Queue.take(self.control).pipe(
      Effect.flatMap((what) => {
        if (what === "Answered") return connected?.answered ?? showAnswers(self)
        state.set({ stopAsked: true })
        Deferred.unsafeDone(stop, Effect.void)
        return heed(connected?.stop ?? Effect.void)
      }),
      Effect.forever
    )
  )

  const ticket = yield* Ticket.fromChannel(tasks.awaitChannel(taskId))
  const channel = yield* Scope.fork(self.after, ExecutionStrategy.sequential)
  yield* Effect.addFinalizer((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(channel, exit)))
  const session = yield* Effect.raceFirst(
    Effect.zipRight(
      Effect.mapError(ticket.current, unwrap),
      AcpSession.open({
        sessionId: taskId,
        ticket,
        ...client,
        questions: true,
        permissionDeadline: "1 day"
      }).pipe(Scope.extend(channel))
    ),
    Effect.as(givenUp, undefined)
  )
  if (session === undefined) return yield* Effect.zipRight(Scope.close(channel, Exit.void), TurnEnd.unreached(self))

  const loaded = yield* session.state
  const { after, before } = yield* turns.around(entry.eventId)
  // Until the prompt goes out, others may add to what the session holds before it.
  const settled = entry.first || row.prompted || isLateOutput(entry)
  const baseline = (settled ? row.baseline : undefined) ?? baselineOf(entry, loaded, before)
  if (settled && row.baseline === undefined) yield* turns.setBaseline(entry.eventId, baseline)
  let begun = settled ? baseline : undefined
  let handed = canBeTold
  let extent: Projection.Extent = { skip: Infinity }
  /** Takes the session as it is now; `spoken`: somebody may have said something to the agent. */
  const see = (session: SessionState.SessionState, spoken: boolean) => {
    if (spoken && begun !== undefined) {
      // Later turns began before this one was over when the store or the bot failed at its end.
      const until = after?.baseline?.past === undefined ? after?.baseline?.items : undefined
      const now = { skip: Projection.skipped(session, begun), until, late: begun.late, past: begun.past }
      if (now.skip !== extent.skip || now.late !== extent.late) extent = now
    }
    state.set({ session, extent })
  }
  /** The turn's own prompt goes out next. */
  const begin = (words: string) =>
    Effect.gen(function* () {
      const now = yield* session.state
      begun = entry.first ? baseline : { ...baselineOf(entry, now, before), asked: Projection.asking(now, words) }
      yield* turns.setPrompted(entry.eventId, begun)
      handed = true
      see(yield* session.state, true)
    })

  const desk = yield* Approvals.open(
    session,
    {
      turnId: entry.eventId,
      threadId: thread.threadId,
      patience: (yield* BotSettings).answerDeadlineMs,
      messages: self.messages
    },
    state.set
  )
  // Before the state of the session, without which nothing of the turn is taken for out of date.
  yield* desk.refresh
  yield* desk.connected
  const works = yield* ArtifactFollower.open({
    threadId: thread.threadId,
    turnId: entry.eventId,
    ticket,
    session,
    uploadLimit: self.uploadLimit,
    show: state.set
  })
  see(loaded, true)
  state.set({ notice: undefined })
  yield* reached(session)

  let closing = false
  const about = `What the agent of thread ${thread.threadId} asks`
  const hear = (event: AcpSession.SessionEvent): Effect.Effect<unknown, never, Scope.Scope> => {
    switch (event._tag) {
      case "StateChanged":
        return Effect.sync(() =>
          see(
            event.state,
            [...event.changed].some((name) => name.startsWith("user"))
          )
        )
      case "PermissionRequested":
        return untilStored(about, desk.refresh)
      case "PermissionWithdrawn": {
        const { reason, permission } = event
        if (closing) return Effect.void
        return reason === "connection" ? desk.outOfSight(permission) : untilStored(about, desk.withdraw(permission))
      }
      case "PermissionAnswered":
        return untilStored(about, desk.sent(event.permission))
      case "Ready":
        return untilStored(about, desk.connected)
      case "Interrupted":
        self.reaching.due()
        return Effect.zipRight(
          Effect.logDebug("The channel was interrupted", event.error.message),
          Effect.forkScoped(Effect.zipRight(session.agent, reached(session)))
        )
      default:
        return Effect.void
    }
  }
  const follow = session.follow((events) => {
    // What is asked now is read from the session, so of many requests at once the last one tells of all.
    const told = events.filter(({ _tag }, at) => _tag !== "PermissionRequested" || events[at + 1]?._tag !== _tag)
    return Effect.forEach(told, hear, { discard: true })
  })
  const following = yield* Effect.forkScoped(follow)
  connected = {
    answered: untilStored(about, desk.refresh),
    // Before there is anything of the turn at the agent, it is enough that nothing is sent.
    stop: Effect.suspend(() =>
      handed ? Effect.zipRight(session.cancel, Deferred.succeed(self.stopped, undefined)) : Effect.void
    )
  }
  if (state.get().stopAsked) yield* Effect.forkScoped(heed(connected.stop))

  const conversing = converse(self, session, tasks, row, baseline, { begin, stop: Deferred.await(stop) })
  const outcome = yield* Effect.raceFirst(
    mayHave(entry, row) ? Effect.raceFirst(conversing, Effect.zipRight(givenUp, TurnEnd.unreached(self))) : conversing,
    session.closed.pipe(Effect.mapError(unwrap))
  ).pipe(
    // Closing the channel withdraws what is pending; that is not the agent's doing.
    Effect.ensuring(
      Effect.sync(() => {
        closing = true
      })
    )
  )
  if (outcome === undefined) return yield* Effect.as(Scope.close(channel, Exit.void), undefined)
  yield* self.answered
  // A busy sandbox holds up no turn's end: what was pushed is shown all the same.
  yield* works.finish("3 seconds")
  // What is said from now on comes after the end, which says so.
  yield* Fiber.interrupt(following)
  see(yield* session.state, true)
  self.heard({ session, skip: extent.skip, isLateOutput: isLateOutput(entry) })
  return outcome
})

type TasksError = Effect.Effect.Error<ReturnType<Service["tasks"]["awaitChannel"]>>

/** A ticket fails for a reason of the service: that reason is what there is a remedy for. */
const unwrap = (error: AcpError): AcpError | TasksError =>
  error._tag === "TicketError" && isTasksError(error.cause) ? error.cause : error

const isTasksError = (cause: unknown): cause is TasksError =>
  typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag !== "TicketError"
