import * as AcpSession from "@heddle/acp/AcpSession"
import type { AcpError } from "@heddle/acp/AcpError"
import * as UndiciExchange from "@heddle/acp/node/UndiciExchange"
import type * as SessionState from "@heddle/acp/SessionState"
import * as Ticket from "@heddle/acp/Ticket"
import { TaskId } from "@heddle/core/domain/Task"
import * as CallOptions from "@heddle/core/CallOptions"
import { isBusy, isTerminal } from "@heddle/core/domain/TaskStatus"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import { BotSettings } from "../BotSettings.ts"
import { Accounts, type Service } from "../connect/Accounts.ts"
import type { Mover } from "../health/Progress.ts"
import { tell } from "../messages/Explain.ts"
import type { Messages } from "../messages/Messages.ts"
import { untilStored } from "../sql/UntilStored.ts"
import { type Heard, isAfterword } from "./Afterword.ts"
import { type End, saneTokens } from "./Conversation.ts"
import type { Entry } from "./Inbox.ts"
import * as PermissionDesk from "./PermissionDesk.ts"
import * as Projection from "./Projection.ts"
import * as Prompt from "./Prompt.ts"
import type { Control } from "./Turn.ts"
import type { Thread } from "./Threads.ts"
import { isOpened } from "./Requests.ts"
import type { TurnState } from "./TurnState.ts"
import { Permissions } from "./Permissions.ts"
import { type Baseline, type TurnRow, Turns } from "./Turns.ts"
import * as Works from "./Works.ts"

/** One turn with everything that an attempt at it needs. */
export interface Turn {
  readonly entry: Entry
  readonly thread: Thread
  /** In the language of the server. */
  readonly messages: Messages
  readonly turn: TurnRow
  readonly state: TurnState
  /** The largest file that Discord takes in this server, in bytes. */
  readonly uploadLimit: number
  readonly control: Queue.Dequeue<Control>
  /** Tells that the agent has ended the turn: from now on a stop of the bot waits until its end is shown. */
  readonly answered: Effect.Effect<void>
  /** Done when the agent was told to stop, and had its time to do so. */
  readonly stopped: Deferred.Deferred<void>
  /** Where the channel stays open after the turn. */
  readonly after: Scope.Scope
  /** Waits until the channel of the turn before is closed. */
  readonly closed: Effect.Effect<void>
  /** Is told what was heard in the end. */
  readonly heard: (heard: Omit<Heard, "shown">) => void
  /** Due while there is no channel to the agent, from when the service was last heard of. */
  readonly reaching: Mover
}

/**
 * Attaches to the task, prompts it if the prompt has not arrived yet, and follows the answer to its end; undefined when
 * the session is to be looked at again.
 */
export const run = Effect.fnUntraced(function* (turn: Turn) {
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
    attached === undefined ? Effect.succeed(false) : Effect.as(attached.cancel, true)
  ).pipe(
    Effect.timeout("3 seconds"),
    Effect.catchAll((error) =>
      Effect.as(Effect.logInfo("An agent may go on without the account", error.message), false)
    ),
    Effect.tap((told) => (told ? cutOff(turn) : Effect.void))
  )
  return yield* accounts.whileConnected(turn.thread.ownerId, answered, cancelled)
})

/** Keeps that a turn was stopped with its account, so that it says so when the account is connected again. */
const cutOff = Effect.fnUntraced(function* ({ entry, thread, turn }: Turn) {
  const turns = yield* Turns
  const row = yield* turns.begin(entry.eventId, thread.threadId, turn.startedAt)
  if (row.end === undefined && mayHave(entry, row)) yield* turns.setEnd(entry.eventId, yield* done(row, "cancelled"))
})

/** Waits until the person stops the turn; what is answered meanwhile is shown, and given to the agent later. */
export const awaitStop = (turn: Pick<Turn, "control" | "entry" | "state">): Effect.Effect<void, never, Permissions> =>
  Queue.take(turn.control).pipe(
    Effect.tap((what) => (what === "Stop" ? Effect.void : showAnswers(turn))),
    Effect.repeat({ until: (what) => what === "Stop" }),
    Effect.asVoid
  )

const showAnswers = ({ entry, state }: Pick<Turn, "entry" | "state">) =>
  Effect.map(
    untilStored(
      "An answer",
      Effect.flatMap(Permissions, (rows) => rows.ofTurn(entry.eventId))
    ),
    (permissions) => state.set({ permissions })
  )

const heed = (stop: Effect.Effect<void, AcpError>) =>
  Effect.catchAll(stop, (error) => Effect.logWarning("The task could not be stopped", error.message))

/** How a turn ends that was stopped while its agent could not be reached. */
export const unreached = Effect.fn("Attempt.unreached")(function* ({ entry, turn }: Turn) {
  if (isAfterword(entry)) return quiet
  const row = yield* (yield* Turns).begin(entry.eventId, entry.threadId, turn.startedAt)
  return yield* done(row, mayHave(entry, row) ? "untold" : "unsent")
})

/** The agent may have what the turn is to say to it. */
const mayHave = ({ first }: Entry, { prompted }: TurnRow): boolean => first || prompted

/** Stops whatever a task is at work on, without showing anything; false when it was not at work. */
export const stopTask = Effect.fn("Attempt.stopTask")(function* (thread: Pick<Thread, "ownerId" | "taskId">) {
  const accounts = yield* Accounts
  return yield* accounts.use(thread.ownerId, ({ tasks }) =>
    Effect.gen(function* () {
      const taskId = TaskId.make(thread.taskId)
      if (!isBusy((yield* tasks.get(taskId)).status)) return false
      const ticket = yield* Ticket.fromChannel(tasks.awaitChannel(taskId))
      const session = yield* AcpSession.open({ sessionId: taskId, ticket, clientInfo, exchange })
      yield* session.cancel
      return true
    })
  )
})

const attach = Effect.fnUntraced(function* (
  self: Turn,
  { tasks }: Service,
  reached: (session: AcpSession.AcpSession) => Effect.Effect<void>
) {
  const { entry, state, thread } = self
  const taskId = TaskId.make(thread.taskId)
  const turns = yield* Turns
  const row = yield* turns.begin(entry.eventId, thread.threadId, self.turn.startedAt)
  const stop = yield* Deferred.make<void>()
  // An agent that may be at work is told first, if that can be done soon.
  const givenUp = mayHave(entry, row)
    ? Effect.zipRight(Deferred.await(stop), Effect.sleep("10 seconds"))
    : Deferred.await(stop)
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
        clientInfo,
        exchange,
        questions: true,
        permissionDeadline: "1 day"
      }).pipe(Scope.extend(channel))
    ),
    Effect.as(givenUp, undefined)
  )
  if (session === undefined) return yield* Effect.zipRight(Scope.close(channel, Exit.void), unreached(self))

  const loaded = yield* session.state
  const { after, before } = yield* turns.around(entry.eventId)
  // Until the prompt goes out, others may add to what the session holds before it.
  const settled = entry.first || row.prompted || isAfterword(entry)
  const baseline = (settled ? row.baseline : undefined) ?? baselineOf(entry, loaded, before)
  if (settled && row.baseline === undefined) yield* turns.setBaseline(entry.eventId, baseline)
  let begun = settled ? baseline : undefined
  let handed = mayHave(entry, row)
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

  const desk = yield* PermissionDesk.open(
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
  const works = yield* Works.open({
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

  const outcome = yield* Effect.raceFirst(
    converse(self, session, tasks, row, baseline, { begin, stop: Deferred.await(stop) }).pipe(
      Effect.raceFirst(mayHave(entry, row) ? Effect.zipRight(givenUp, unreached(self)) : Effect.never)
    ),
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
  self.heard({ session, skip: extent.skip })
  return outcome
})

/** What the session holds before a turn that begins now. */
const baselineOf = (entry: Entry, loaded: SessionState.SessionState, before: TurnRow | undefined): Baseline => {
  const { baseline, shown } = before ?? {}
  const skip = baseline === undefined ? 0 : Projection.skipped(loaded, baseline)
  if (isAfterword(entry) && shown !== undefined) {
    return { items: skip, prompts: Projection.prompts(loaded), past: shown }
  }
  if (!isAfterword(entry) && isOpened({ ...entry, prompt: entry.content })) return Projection.lastRound(loaded)
  if (entry.first) return { items: 0, prompts: 0 }
  const late = shown === undefined ? undefined : Projection.late(loaded, skip, shown)
  return {
    items: Projection.agentEntries(loaded),
    prompts: Projection.prompts(loaded),
    ...(late === undefined ? {} : { late })
  }
}

/** What prompting needs of the attempt. */
interface Hands {
  /** Told what the turn says in words: from then on it may be in the session. */
  readonly begin: (words: string) => Effect.Effect<void>
  /** Waits until the person stops the turn. */
  readonly stop: Effect.Effect<void>
}

/**
 * Prompts if the prompt is not in the session, otherwise waits for the end of what runs. Undefined when what ran was
 * somebody else's, so that the session is to be looked at again.
 */
const converse = Effect.fnUntraced(function* (
  self: Turn,
  session: AcpSession.AcpSession,
  tasks: Service["tasks"],
  row: TurnRow,
  baseline: Baseline,
  hands: Hands
) {
  const { entry, messages, thread } = self
  if (row.end !== undefined) return row.end
  if (isAfterword(entry)) return yield* Effect.as(untilSilent(self, session), quiet)
  const mayBeThere = mayHave(entry, row)
  const task = yield* Effect.raceFirst(
    tasks.get(TaskId.make(thread.taskId)),
    mayBeThere ? Effect.never : Effect.as(hands.stop, undefined)
  )
  if (task === undefined) return yield* unreached(self)
  const { status } = task
  if (isTerminal(status)) return failed(messages)
  const arrived = mayBeThere && Projection.arrived(yield* session.state, baseline)
  // A service that does not hold the initial prompt is at work on it already.
  const running = arrived || (isBusy(status) && mayBeThere)
  // An opened task that nothing was ever said to.
  if (!running && isOpened({ ...entry, prompt: entry.content })) return quiet
  if (!running) return yield* prompt(self, session, tasks, entry.content, hands)
  const end = yield* awaitEnd(self, session, tasks)
  const others = Projection.skipped(yield* session.state, baseline) === Infinity
  if (others && end._tag === "Done" && !self.state.get().stopAsked) return undefined
  if (entry.first && !row.prompted && entry.attachments.length > 0 && end._tag === "Done") {
    return yield* prompt(self, session, tasks, "", hands)
  }
  return end
})

const quiet: End = { _tag: "Done", stopReason: "end_turn", milliseconds: 0, tokens: undefined }

/** Waits until the agent says nothing more for two seconds, or somebody wants to say something; at most for a minute. */
const untilSilent = Effect.fnUntraced(function* ({ state }: Turn, session: AcpSession.AcpSession) {
  let before = yield* session.state
  for (let silent = 0, more = 240; silent < 8 && more > 0; more--) {
    yield* Effect.sleep("250 millis")
    if ((state.get().waiting?.count ?? 0) > 0) return
    const now = yield* session.state
    silent = now === before ? silent + 1 : 0
    before = now
  }
})

const prompt = Effect.fnUntraced(function* (
  self: Turn,
  session: AcpSession.AcpSession,
  tasks: Service["tasks"],
  text: string,
  { begin, stop }: Hands
) {
  const { turn } = self
  const ready = yield* Effect.raceFirst(
    Effect.zipRight(self.closed, Prompt.prepare(self, session, text)),
    Effect.as(stop, undefined)
  )
  // Stopped before there was anything that the agent could stop.
  if (ready === undefined) return yield* done(turn, self.entry.first ? "cancelled" : "unsent")
  if (ready.refusal !== undefined) return { _tag: "Failed", text: ready.refusal } satisfies End
  yield* begin(ready.blocks.map((block) => (block.type === "text" ? block.text : "")).join(""))
  if (self.state.get().stopAsked) return yield* done(turn, self.entry.first ? "cancelled" : "unsent")
  return yield* session.prompt(ready.blocks).pipe(
    Effect.flatMap(({ stopReason, usage }) => done(turn, String(stopReason), usage?.totalTokens)),
    // The connection broke after the prompt was sent: the turn goes on without us.
    Effect.catchTag("Detached", () => awaitEnd(self, session, tasks))
  )
})

/** Waits until the task is not at work any more; its channel has no signal for the end of a turn that others began. */
const awaitEnd = Effect.fnUntraced(function* (
  { messages, state, stopped, thread: { taskId }, turn }: Turn,
  session: AcpSession.AcpSession,
  tasks: Service["tasks"]
) {
  const busy = Effect.flatMap(tasks.get(TaskId.make(taskId)), ({ status }) =>
    isTerminal(status) ? Effect.fail({ _tag: "TaskFailed" as const }) : Effect.succeed(isBusy(status))
  )
  const over = yield* session.awaitIdle(busy).pipe(
    Effect.as(false),
    Effect.catchTag("TaskFailed", () => Effect.succeed(true)),
    // An agent that does not stop is not waited for.
    Effect.raceFirst(Effect.as(Effect.zipRight(Deferred.await(stopped), Effect.sleep("5 seconds")), false))
  )
  if (over) return failed(messages)
  const told = Projection.stopReason(yield* session.state, state.get().extent)
  return yield* done(turn, state.get().stopAsked ? "cancelled" : told)
})

/** How a turn ends that was not failed by anything. */
export const done = ({ startedAt }: TurnRow, stopReason: string, tokens?: number): Effect.Effect<End> =>
  Effect.map(Clock.currentTimeMillis, (now): End => ({
    _tag: "Done",
    stopReason,
    milliseconds: now - startedAt,
    tokens: saneTokens(tokens)
  }))
const failed = (messages: Messages): End => ({ _tag: "Failed", text: tell(messages, messages.failures.taskFailed) })

const exchange = UndiciExchange.make()

const clientInfo = { name: "heddle-bot", title: "Heddle", version: "0.0.0" }

type TasksError = Effect.Effect.Error<ReturnType<Service["tasks"]["awaitChannel"]>>

/** A ticket fails for a reason of the service: that reason is what there is a remedy for. */
const unwrap = (error: AcpError): AcpError | TasksError =>
  error._tag === "TicketError" && isTasksError(error.cause) ? error.cause : error

const isTasksError = (cause: unknown): cause is TasksError =>
  typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag !== "TicketError"
