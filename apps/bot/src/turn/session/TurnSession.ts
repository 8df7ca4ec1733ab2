import type { AcpError, UnsupportedContent } from "@heddle/acp/AcpError"
import type * as AcpSession from "@heddle/acp/AcpSession"
import type * as Wire from "@heddle/acp/schema/generated/AcpSchema"
import type * as SessionState from "@heddle/acp/SessionState"
import * as CallOptions from "@heddle/core/CallOptions"
import { TaskId } from "@heddle/core/domain/Task"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { AccountEnded, type Finish } from "../../access/AccountBoundWork.ts"
import { Accounts, type Service } from "../../access/Accounts.ts"
import { BotSettings } from "../../model/BotSettings.ts"
import type { End } from "../../model/Conversation.ts"
import * as Post from "../../model/Post.ts"
import { retryWhileStoreFails } from "../../store/database/RetryPolicy.ts"
import { Permissions } from "../../store/Permissions.ts"
import { Posts } from "../../store/Posts.ts"
import { Turns } from "../../store/Turns.ts"
import * as AccountEnd from "./AccountEnd.ts"
import * as AgentChoices from "./AgentChoices.ts"
import * as Approvals from "./Approvals.ts"
import * as ArtifactFollower from "./ArtifactFollower.ts"
import * as Channel from "./Channel.ts"
import type { LateOutputSource } from "../LateOutput.ts"
import { isLateOutput } from "../../store/Inbox.ts"
import type { Failure } from "../Failure.ts"
import type { Event } from "../machine/Event.ts"
import { type OpenTurn, rowOf } from "../OpenTurn.ts"
import * as TurnEnd from "../TurnEnd.ts"
import * as ItemIds from "./ItemIds.ts"
import * as OfferedFiles from "./OfferedFiles.ts"
import * as Projection from "./Projection.ts"
import * as SessionHistory from "./history/SessionHistory.ts"
import * as SessionPrompts from "./history/SessionPrompts.ts"
import * as TaskCheck from "./TaskCheck.ts"

/** The session of a task while a turn is attached to it. */
export interface TurnSession {
  readonly acp: AcpSession.AcpSession
  /** The history was loaded for this turn. One that was not may hold a prompt of this client that did not arrive. */
  readonly isLoaded: boolean
  readonly silentMs: OpenTurn["silentMs"]
  /** Calls a function with the reason when the session is over before the turn has ended, or is already. */
  readonly onClosed: (onClosed: (error: AcpError) => void) => void
  /** The turn needs the session no longer: what happens to its requests from now on is of no interest. */
  readonly leave: () => void
  /** Hands answered permission requests to the agent. */
  readonly sendAnswers: Effect.Effect<void>
  /** The current status of the task, and whether the service holds its first prompt. */
  readonly readTask: TaskCheck.LimitedReader["readTask"]
  readonly refusedSince: TaskCheck.LimitedReader["refusedSince"]
  /** Reads the task and searches the session for the prompt. */
  readonly checkTask: Effect.Effect<TaskCheck.TaskChecked, OpenApiError>
  /** Notes in the row of the turn that these blocks go out next. */
  readonly recordPrompt: (blocks: ReadonlyArray<Wire.ContentBlock>) => Effect.Effect<void>
  /** Sends a prompt and waits for its response. */
  readonly sendPrompt: (blocks: ReadonlyArray<Wire.ContentBlock>) => Effect.Effect<Event, AcpError | UnsupportedContent>
  /** The history, and what it shows of the turn. */
  readonly view: Effect.Effect<TaskCheck.View>
  /** Reads the list of artifacts and the last state, and keeps the channel open for late output. */
  readonly finish: Effect.Effect<Omit<LateOutputSource, "shown" | "start">>
}

/** The open session of an attempt. */
export interface AttachedSession {
  readonly session: TurnSession
  /** Closes before the cancellation for an ended account, so that the reply of the agent does not end the turn. */
  readonly scope: Scope.Scope
  /** The end that the row of the turn holds. */
  readonly storedEnd: End | undefined
}

/**
 * Attaches a turn to its task as the owner of the thread, until it is interrupted. It fails with what `failure` fails with;
 * the end of the session or of the account is such a failure.
 */
export const attach = Effect.fnUntraced(function* (
  turn: OpenTurn,
  failure: Deferred.Deferred<never, Failure>,
  onOpened: (opened: AttachedSession) => void
) {
  const { channelWatch, thread } = turn
  const accounts = yield* Accounts
  const attached: { acp?: AcpSession.AcpSession } = {}
  channelWatch.setDue()
  const onConnected = (acp: AcpSession.AcpSession) => {
    attached.acp = acp
    channelWatch.setIdle()
  }
  const openSession = (service: Service) =>
    open(turn, service, onConnected).pipe(
      // A service that responds is at work: a sandbox may take its time to start.
      CallOptions.with({
        onResponse: ({ status }) =>
          Effect.sync(() => (attached.acp !== undefined || status >= 500 ? undefined : channelWatch.progressed()))
      })
    )
  // The agent must not continue on an account that its owner disconnected; the channel is still open.
  const cancelAgent = Effect.suspend(() => AccountEnd.cancelRun(turn, attached.acp)).pipe(
    Effect.timeout("3 seconds"),
    Effect.catchAll((error) =>
      Effect.as(Effect.logInfo("An agent may go on without the account", error.message), false)
    )
  )
  const fail = (error: Failure) => Deferred.unsafeDone(failure, Effect.fail(error))
  let finishWork: Finish = () => {}
  yield* accounts.beginWork(thread.ownerId, (finish) => {
    finishWork = finish
    fail(new AccountEnded())
  })
  const useSession = (session: TurnSession) =>
    Effect.scopedWith((scope) =>
      Effect.gen(function* () {
        session.onClosed(fail)
        onOpened({ session, scope, storedEnd: (yield* rowOf(turn)).end })
        return yield* Effect.ensuring(Deferred.await(failure), Effect.sync(session.leave))
      })
    )
  return yield* Effect.raceFirst(accounts.use(thread.ownerId, openSession), Deferred.await(failure)).pipe(
    Effect.flatMap(useSession),
    Effect.tapErrorTag("AccountEnded", () => Effect.map(cancelAgent, (isStopped) => finishWork(isStopped))),
    Effect.mapError(Channel.causeOf)
  )
}, Effect.scoped)

/** Opens the channel of a task, loads its session and shows in `turn.state` what of it is the turn's, until the scope ends. */
const open = Effect.fnUntraced(function* (
  turn: OpenTurn,
  { taskReader }: Service,
  onConnected: (acp: AcpSession.AcpSession) => void
) {
  const { entry, thread } = turn
  const settings = yield* BotSettings
  const taskId = TaskId.make(thread.taskId)
  const { channel, isTakenOver } = yield* Channel.open(turn, taskReader)
  const { acp, offerReader, ticket } = channel
  const connected = Effect.sync(() => onConnected(acp))
  const tracker = yield* trackEntries(turn, acp, yield* isTakenOver ? acp.state : acp.loadedState)
  const approvals = yield* Approvals.open(
    acp,
    {
      turnId: entry.eventId,
      threadId: thread.threadId,
      task: thread,
      answerWithinMs: settings.answerDeadlineMs,
      messages: turn.messages
    },
    turn.state.set
  )
  const choices = yield* AgentChoices.follow(thread, acp)
  // Read the rows before the session: without them, every card would look outdated.
  yield* approvals.refresh
  yield* approvals.markReconnected
  const showOffer = yield* OfferedFiles.open(turn, offerReader)
  const artifacts = yield* ArtifactFollower.open({
    threadId: thread.threadId,
    turnId: entry.eventId,
    ticket,
    session: acp,
    uploadLimit: turn.uploadLimit,
    show: turn.state.set
  })
  tracker.showSession(yield* acp.state, true)
  yield* connected
  const readOnce = TaskCheck.read(taskReader, taskId)
  const { readTask, refusedSince } = TaskCheck.whileLimited(readOnce, turn)
  const { hasShown, openStop } = tracker
  const view = Effect.map(acp.state, (session) => ({ session, baseline: tracker.baseline(), hasShown, openStop }))
  const lifecycle = { isEnding: false }
  const following = yield* Effect.forkScoped(
    follow(turn, { acp, approvals, choices, connected, lifecycle, ...tracker })
  )
  return {
    acp,
    isLoaded: !isTakenOver,
    silentMs: turn.silentMs,
    onClosed: (onClosed) => {
      channel.onClosed = (error) => (lifecycle.isEnding ? undefined : onClosed(error))
      if (channel.closedBy !== undefined) channel.onClosed(channel.closedBy)
    },
    // Closing the channel withdraws pending requests; the agent did not withdraw them.
    leave: () => {
      lifecycle.isEnding = true
      channel.onClosed = undefined
    },
    sendAnswers: retryWhileStoreFails(workLabel(thread.threadId), approvals.refresh),
    readTask,
    refusedSince,
    checkTask: TaskCheck.check(readTask, view),
    recordPrompt: tracker.recordPrompt,
    sendPrompt: (blocks) => sendPrompt(acp, blocks),
    view,
    finish: Effect.gen(function* () {
      lifecycle.isEnding = true
      channel.isKept = true
      // A busy sandbox must not delay the end of the turn; artifacts that were pushed are shown anyway.
      yield* Effect.all([artifacts.finish("3 seconds"), approvals.awaitDelivery("3 seconds")], {
        concurrency: "unbounded"
      })
      // From now on the agent's text is late output.
      yield* Fiber.interrupt(following)
      yield* choices.finish
      yield* retryWhileStoreFails(workLabel(thread.threadId), Effect.zipRight(approvals.confirm, showOffer))
      tracker.showSession(yield* acp.state, true)
      const offerId = offerReader.newest()?.messageId
      return {
        session: acp,
        isAtWork: Effect.match(readOnce, {
          // A service that is away does not say that the task is at rest.
          onFailure: TaskCheck.isServiceAway,
          onSuccess: ({ status }) => status === "Busy"
        }),
        isLateOutput: isLateOutput(entry),
        hasNewOffer: () => offerReader.newest()?.messageId !== offerId
      }
    })
  } satisfies TurnSession
})

const sendPrompt = (
  acp: AcpSession.AcpSession,
  blocks: ReadonlyArray<Wire.ContentBlock>
): Effect.Effect<Event, AcpError | UnsupportedContent> =>
  acp.prompt(blocks).pipe(
    Effect.map(({ isUndelivered, isUnconfirmed, stopReason, usage }): Event => ({
      _tag: "PromptAnswered",
      stopReason: String(stopReason),
      tokens: usage?.totalTokens,
      isUnconfirmed: isUnconfirmed === true,
      isUndelivered: isUndelivered === true
    })),
    Effect.catchTag("Detached", () => Effect.succeed<Event>({ _tag: "PromptDetached" }))
  )

const workLabel = (threadId: string) => `What the agent of thread ${threadId} asks`

const openStopOf = Effect.fnUntraced(function* ({ eventId, kind }: OpenTurn["entry"]) {
  const stopped = Option.getOrUndefined(yield* (yield* Turns).lastPrompted(eventId))
  const at = stopped === undefined ? undefined : TurnEnd.openStopAt(stopped)
  if (stopped === undefined || at === undefined) return undefined
  // A person who sends a message once more decides what the status of the task does not tell.
  const awaitsAnswer =
    kind !== "resent" && (yield* (yield* Permissions).ofTurn(stopped.turnId)).some(({ sent }) => !sent)
  return { at, awaitsAnswer }
})

/** Follows which entries of the session are the turn's, and shows them; `loaded` is what it had at first. */
const trackEntries = Effect.fnUntraced(function* (
  { entry, state, thread, row: turn }: OpenTurn,
  acp: AcpSession.AcpSession,
  loaded: SessionState.SessionState
) {
  const turns = yield* Turns
  const row = yield* turns.begin(entry.eventId, thread.threadId, turn.startedAt)
  const { after, before } = yield* turns.neighbors(entry.eventId)
  // Until the prompt goes out, others may add to what the session holds before it.
  const isSettled = entry.first || row.prompted || isLateOutput(entry)
  const known = (isSettled ? row.baseline : undefined) ?? SessionHistory.baselineOf(entry, loaded, before)
  if (isSettled && row.baseline === undefined) yield* turns.setBaseline(entry.eventId, known)
  // Where a replay lacks what came before the turn, all that follows it belongs to the turn.
  const baseline = SessionHistory.hasForgotten(loaded, known)
    ? { items: SessionHistory.countAgentEntries(loaded), prompts: 0 }
    : known
  const posted = new Set((yield* (yield* Posts).ofTurn(entry.eventId)).map(({ key }) => key))
  const shownKeys = [...posted].filter(Post.isAgentOutput)
  const hasShown = shownKeys.some(Post.isOwnOutput)
  const items = Projection.items(loaded, SessionHistory.startOf(loaded, baseline, hasShown), [])
  const idPrefix = shownKeys.length > 0 && !ItemIds.showAgain(items, posted) ? `${shownKeys.length}~` : undefined
  // After a failure of the store or the bot, the next turn may have begun before this one ended.
  const until = SessionHistory.endBefore(loaded, after?.baseline)
  let activeBaseline = isSettled ? baseline : undefined
  /** Notes that the service repeats nothing on a new connection: what the agent said to the prompt meanwhile is lost. */
  const noteGap = () => {
    if (activeBaseline !== undefined && !isLateOutput(entry)) state.set({ mayLackOutput: true })
  }
  if (row.baseline !== undefined && row.end === undefined && loaded.entries.length === 0) noteGap()
  let extent: SessionHistory.Extent = { skip: Infinity }
  /** Takes the session as it is now; `mayHaveNewPrompt`: a user message may have been added. */
  const showSession = (session: SessionState.SessionState, mayHaveNewPrompt: boolean) => {
    if (mayHaveNewPrompt && activeBaseline !== undefined) {
      const { alreadyShown, lateText: lateOutput } = activeBaseline
      const next = SessionHistory.startOf(session, activeBaseline, hasShown)
      if (next.skip !== extent.skip || next.skippedChars !== extent.skippedChars || lateOutput !== extent.lateOutput)
        extent = { ...next, until, lateOutput, alreadyShown, idPrefix, posted }
    }
    state.set({ session, extent })
  }
  return {
    noteGap,
    showSession,
    /** With the prompt from when it goes out. */
    baseline: () => activeBaseline ?? baseline,
    hasShown,
    openStop: yield* openStopOf(entry),
    recordPrompt: (blocks: ReadonlyArray<Wire.ContentBlock>) =>
      Effect.gen(function* () {
        const now = yield* acp.state
        activeBaseline = entry.first
          ? baseline
          : {
              ...SessionHistory.baselineOf(entry, now, before),
              asked: SessionPrompts.identify(now, blocks, entry.eventId)
            }
        yield* turns.setPrompted(entry.eventId, activeBaseline)
        state.set({ mayLackOutput: false })
        showSession(yield* acp.state, true)
      })
  }
})

interface FollowContext {
  readonly choices: Effect.Effect.Success<ReturnType<typeof AgentChoices.follow>>
  readonly acp: AcpSession.AcpSession
  readonly approvals: Approvals.Approvals
  readonly connected: Effect.Effect<void>
  readonly lifecycle: { readonly isEnding: boolean }
  readonly noteGap: () => void
  readonly showSession: (session: SessionState.SessionState, mayHaveNewPrompt: boolean) => void
}

/** Applies session events to the stored approvals and to the turn's state. */
const follow = (turn: OpenTurn, context: FollowContext) =>
  context.acp.follow((events) => {
    // `refresh` reads all open requests from the session, so consecutive PermissionRequested events collapse into the last.
    const toHandle = events.filter(
      ({ _tag }, index) => _tag !== "PermissionRequested" || events[index + 1]?._tag !== _tag
    )
    return Effect.forEach(toHandle, (event) => handle(turn, context, event), { discard: true })
  })

const handle = (
  { channelWatch, thread }: OpenTurn,
  { acp, approvals, choices, connected, lifecycle, noteGap, showSession }: FollowContext,
  event: AcpSession.SessionEvent
): Effect.Effect<unknown, never, Scope.Scope> => {
  const retryStore = (effect: Effect.Effect<void>) => retryWhileStoreFails(workLabel(thread.threadId), effect)
  switch (event._tag) {
    case "StateChanged": {
      const hasChanged = (kind: string) => [...event.changed].some((name) => name.startsWith(kind))
      const show = Effect.sync(() => {
        choices.onChange(event.changed)
        showSession(event.state, hasChanged("user"))
      })
      return hasChanged("tool") ? Effect.zipRight(show, retryStore(approvals.toolCallsChanged(event.state))) : show
    }
    case "PermissionRequested":
      return retryStore(approvals.refresh)
    case "PermissionWithdrawn":
      if (lifecycle.isEnding) return Effect.void
      return event.reason === "connection"
        ? approvals.unlink(event.permission)
        : retryStore(approvals.withdraw(event.permission))
    case "PermissionAnswered":
      return retryStore(approvals.markSent(event.permission))
    case "Ready":
      if (!event.repeatsHistory) noteGap()
      return retryStore(approvals.markReconnected)
    case "Interrupted":
      channelWatch.setDue()
      approvals.setConnected(false)
      return Effect.zipRight(
        Effect.logDebug("The channel was interrupted", event.error.message),
        Effect.forkScoped(
          Effect.zipRight(acp.agent, connected).pipe(
            Effect.zipRight(Effect.sync(() => approvals.setConnected(true))),
            Effect.zipRight(retryStore(approvals.refresh))
          )
        )
      )
    default:
      return Effect.void
  }
}
