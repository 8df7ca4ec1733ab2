import type { AcpError } from "@heddle/acp/AcpError"
import * as AcpSession from "@heddle/acp/AcpSession"
import type * as Wire from "@heddle/acp/schema/generated/AcpSchema"
import type * as SessionState from "@heddle/acp/SessionState"
import * as Ticket from "@heddle/acp/Ticket"
import { TaskId } from "@heddle/core/domain/Task"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type { Service } from "../../access/Accounts.ts"
import { BotSettings } from "../../model/BotSettings.ts"
import { retryWhileStoreFails } from "../../store/database/RetryPolicy.ts"
import { type Baseline, Turns } from "../../store/Turns.ts"
import { client } from "./AgentClient.ts"
import * as Approvals from "./Approvals.ts"
import * as ArtifactFollower from "./ArtifactFollower.ts"
import { baselineOf } from "../prompt/Baseline.ts"
import { isLateOutput, type Listening } from "../LateOutput.ts"
import type { OpenTurn } from "../OpenTurn.ts"
import type { Extent } from "./Projection.ts"
import * as PromptMatch from "../prompt/PromptMatch.ts"

/** The session of a task while a turn is attached to it. */
export interface TurnSession {
  readonly acp: AcpSession.AcpSession
  /** Fails with the reason when the session is over before the turn has ended. */
  readonly closed: Effect.Effect<never, AcpError | TasksError>
  /** Hands answered permission requests to the agent. */
  readonly sendAnswers: Effect.Effect<void>
  /** Notes in the row of the turn that these blocks go out next. */
  readonly recordPrompt: (blocks: ReadonlyArray<Wire.ContentBlock>) => Effect.Effect<void>
  /** The history, and what it held before the turn. */
  readonly view: Effect.Effect<{ readonly session: SessionState.SessionState; readonly baseline: Baseline }>
  /** Reads the list of artifacts and the last state, and keeps the channel open for late output. */
  readonly finish: Effect.Effect<Omit<Listening, "shown">>
}

/** Opens the channel of a task, loads its session and shows in `turn.state` what of it is the turn's, until the scope ends. */
export const open = Effect.fnUntraced(function* (
  turn: OpenTurn,
  { tasks }: Service,
  onConnected: (acp: AcpSession.AcpSession) => void
) {
  const { entry, thread } = turn
  const taskId = TaskId.make(thread.taskId)
  const ticket = yield* Ticket.fromChannel(tasks.awaitChannel(taskId))
  const channel = yield* keptChannel(turn.after)
  yield* Effect.mapError(ticket.current, causeOf)
  const acp = yield* AcpSession.open({
    sessionId: taskId,
    ticket,
    ...client,
    questions: true,
    permissionDeadline: "1 day"
  }).pipe(Scope.extend(channel.scope))
  const connected = Effect.sync(() => onConnected(acp))
  const tracked = yield* track(turn, acp)
  const approvals = yield* Approvals.open(
    acp,
    {
      turnId: entry.eventId,
      threadId: thread.threadId,
      answerWithinMs: (yield* BotSettings).answerDeadlineMs,
      messages: turn.messages
    },
    turn.state.set
  )
  // Before the state of the session: without its rows, no card is out of date.
  yield* approvals.refresh
  yield* approvals.connected
  const artifacts = yield* ArtifactFollower.open({
    threadId: thread.threadId,
    turnId: entry.eventId,
    ticket,
    session: acp,
    uploadLimit: turn.uploadLimit,
    show: turn.state.set
  })
  tracked.see(yield* acp.state, true)
  yield* connected
  const ending = { begun: false }
  const following = yield* Effect.forkScoped(follow(turn, { acp, approvals, connected, ending, see: tracked.see }))
  return {
    acp,
    closed: acp.closed.pipe(
      Effect.catchAll((error) => (ending.begun ? Effect.never : Effect.fail(causeOf(error)))),
      // Closing the channel withdraws what is pending, which is not the agent's doing.
      Effect.ensuring(Effect.sync(() => (ending.begun = true)))
    ),
    sendAnswers: retryWhileStoreFails(about(thread.threadId), approvals.refresh),
    recordPrompt: tracked.recordPrompt,
    view: Effect.map(acp.state, (session) => ({ session, baseline: tracked.baseline })),
    finish: Effect.gen(function* () {
      ending.begun = true
      channel.keep()
      // A busy sandbox holds up no turn's end: what was pushed is shown all the same.
      yield* artifacts.finish("3 seconds")
      // What the agent says from now on comes after the end, which says so.
      yield* Fiber.interrupt(following)
      tracked.see(yield* acp.state, true)
      return { session: acp, skip: tracked.extent().skip, isLateOutput: isLateOutput(entry) }
    })
  } satisfies TurnSession
})

type TasksError = Effect.Effect.Error<ReturnType<Service["tasks"]["awaitChannel"]>>

/** A ticket fails for a reason of the service, for which there is a remedy. */
const causeOf = (error: AcpError): AcpError | TasksError =>
  error._tag === "TicketError" && isTasksError(error.cause) ? error.cause : error

const isTasksError = (cause: unknown): cause is TasksError =>
  typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag !== "TicketError"

const about = (threadId: string) => `What the agent of thread ${threadId} asks`

/** A scope for the channel, which closes with the attempt unless it is kept. */
const keptChannel = Effect.fnUntraced(function* (after: Scope.Scope) {
  const scope = yield* Scope.fork(after, ExecutionStrategy.sequential)
  const kept = { isKept: false }
  yield* Effect.addFinalizer(() => (kept.isKept ? Effect.void : Scope.close(scope, Exit.void)))
  return { scope, keep: () => void (kept.isKept = true) }
})

/** Follows which entries of the session are the turn's, and shows them. */
const track = Effect.fnUntraced(function* ({ entry, state, thread, turn }: OpenTurn, acp: AcpSession.AcpSession) {
  const turns = yield* Turns
  const row = yield* turns.begin(entry.eventId, thread.threadId, turn.startedAt)
  const loaded = yield* acp.state
  const { after, before } = yield* turns.around(entry.eventId)
  // Until the prompt goes out, others may add to what the session holds before it.
  const isSettled = entry.first || row.prompted || isLateOutput(entry)
  const baseline = (isSettled ? row.baseline : undefined) ?? baselineOf(entry, loaded, before)
  if (isSettled && row.baseline === undefined) yield* turns.setBaseline(entry.eventId, baseline)
  // Later turns began before this one was over when the store or the bot failed at its end.
  const until = after?.baseline?.past === undefined ? after?.baseline?.items : undefined
  let begun = isSettled ? baseline : undefined
  let extent: Extent = { skip: Infinity }
  /** Takes the session as it is now; `prompted`: a prompt may have been added. */
  const see = (session: SessionState.SessionState, prompted: boolean) => {
    if (prompted && begun !== undefined) {
      const skip = PromptMatch.entriesBefore(session, begun)
      if (skip !== extent.skip || begun.late !== extent.late)
        extent = { skip, until, late: begun.late, past: begun.past }
    }
    state.set({ session, extent })
  }
  return {
    see,
    extent: () => extent,
    baseline,
    recordPrompt: (blocks: ReadonlyArray<Wire.ContentBlock>) =>
      Effect.gen(function* () {
        const now = yield* acp.state
        begun = entry.first
          ? baseline
          : { ...baselineOf(entry, now, before), asked: PromptMatch.markOf(now, blocks, entry.eventId) }
        yield* turns.setPrompted(entry.eventId, begun)
        see(yield* acp.state, true)
      })
  }
})

interface Followed {
  readonly acp: AcpSession.AcpSession
  readonly approvals: Approvals.Approvals
  readonly connected: Effect.Effect<void>
  readonly ending: { readonly begun: boolean }
  readonly see: (session: SessionState.SessionState, prompted: boolean) => void
}

/** Brings what happens in the session to the rows and to the state of the turn. */
const follow = (turn: OpenTurn, followed: Followed) =>
  followed.acp.follow((events) => {
    // Requests are read from the session: of many at once, the last event is enough.
    const last = events.filter(({ _tag }, at) => _tag !== "PermissionRequested" || events[at + 1]?._tag !== _tag)
    return Effect.forEach(last, (event) => handle(turn, followed, event), { discard: true })
  })

const handle = (
  { reaching, thread }: OpenTurn,
  { acp, approvals, connected, ending, see }: Followed,
  event: AcpSession.SessionEvent
): Effect.Effect<unknown, never, Scope.Scope> => {
  const stored = (effect: Effect.Effect<void>) => retryWhileStoreFails(about(thread.threadId), effect)
  switch (event._tag) {
    case "StateChanged":
      return Effect.sync(() =>
        see(
          event.state,
          [...event.changed].some((name) => name.startsWith("user"))
        )
      )
    case "PermissionRequested":
      return stored(approvals.refresh)
    case "PermissionWithdrawn":
      if (ending.begun) return Effect.void
      return event.reason === "connection"
        ? approvals.disconnected(event.permission)
        : stored(approvals.withdraw(event.permission))
    case "PermissionAnswered":
      return stored(approvals.sent(event.permission))
    case "Ready":
      return stored(approvals.connected)
    case "Interrupted":
      reaching.due()
      return Effect.zipRight(
        Effect.logDebug("The channel was interrupted", event.error.message),
        Effect.forkScoped(Effect.zipRight(acp.agent, connected))
      )
    default:
      return Effect.void
  }
}
