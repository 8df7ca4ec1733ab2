import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type AcpError, ConnectionLost, type Detached, SessionNotFound, type TransportError } from "./AcpError.ts"
import type { AlreadyAnswered, InvalidChoice, NotDelivered, UnsupportedContent } from "./AcpError.ts"
import * as Connection from "./Connection.ts"
import * as Extension from "./Extension.ts"
import * as Asks from "./internal/Asks.ts"
import * as Attach from "./internal/Attach.ts"
import * as Broadcast from "./internal/Broadcast.ts"
import * as Early from "./internal/Early.ts"
import * as Idle from "./internal/Idle.ts"
import * as Turns from "./internal/Turns.ts"
import * as JsonRpc from "./JsonRpc.ts"
import * as Permission from "./Permission.ts"
import type * as Wire from "./schema/generated/AcpSchema.ts"
import * as Update from "./schema/Update.ts"
import type { SessionEvent } from "./SessionEvent.ts"
import * as SessionFold from "./SessionFold.ts"
import * as SessionState from "./SessionState.ts"
import * as SseTransport from "./SseTransport.ts"
import type { Transport } from "./Transport.ts"

export type { SessionEvent, Withdrawal } from "./SessionEvent.ts"

/**
 * How one turn ended; `stopReason` is "cancelled" whenever `cancel` was asked for in it, a word of the agent's own where
 * it has one, and "unknown" where it says none.
 */
export interface TurnEnd {
  readonly stopReason: Wire.StopReason
  readonly usage?: Wire.Usage
}

/** What happens in a turn; `Ended` is the last. */
export type TurnEvent<E = Extension.Standard> = SessionEvent<E> | { readonly _tag: "Ended"; readonly end: TurnEnd }

/** One session of one agent, kept up over broken connections; `E` are the extension notifications that it reads. */
export interface AcpSession<E = Extension.Standard> {
  readonly sessionId: string
  readonly state: Effect.Effect<SessionState.SessionState>
  /** Starts with the present state, open requests included. A reader that is slow gets the newest state, not every one. */
  readonly changes: Stream.Stream<SessionEvent<E>>
  /**
   * Gives what `changes` gives to an effect, all that is there at a time, and ends with the session. It spares
   * what a stream costs: for who follows many sessions.
   */
  readonly follow: <FollowError, R>(
    use: (events: ReadonlyArray<SessionEvent<E>>) => Effect.Effect<unknown, FollowError, R>
  ) => Effect.Effect<void, FollowError, R>
  /** Waits until the session is over and fails with the reason. */
  readonly closed: Effect.Effect<never, AcpError>
  /**
   * Sends a prompt and waits for the end of its turn; interrupting it leaves the turn running.
   *
   * One turn runs at a time: a second prompt waits, and is sent when the turns before it have ended, cancelled ones
   * included; one that is interrupted while it waits is not sent. With `ConnectionLost` and `sent: false` nothing was sent.
   * `Detached` means that the turn may still be running: the prompt is not sent again, and `awaitIdle` learns its end.
   */
  readonly prompt: (
    content: ReadonlyArray<Wire.ContentBlock>
  ) => Effect.Effect<TurnEnd, AcpError | Detached | UnsupportedContent>
  /**
   * Sends a prompt as `prompt` does and gives what happens until its turn ends, the end last: first the present state,
   * then its changes, united for a reader that is slow. Its errors are the prompt's; leaving it leaves the turn running.
   */
  readonly turn: (
    content: ReadonlyArray<Wire.ContentBlock>
  ) => Stream.Stream<TurnEvent<E>, AcpError | Detached | UnsupportedContent>
  /**
   * Cancels the running turn and waits for its end; what is asked in it is answered so.
   *
   * `cancelDeadline` after the call the turn is over for this client, whatever became of the message to the agent, which
   * is repeated until then. Fails only where no turn runs and the agent cannot be told.
   *
   * The message names no turn. So while one is on its way, a later prompt waits, and closing the session waits as well,
   * until that deadline at most: it would stop what the next session prompts. All that can be waited for is that the
   * server takes it; an agent to which it is handed later than that may stop in a later turn.
   */
  readonly cancel: Effect.Effect<void, AcpError>
  /**
   * Waits for the end of a turn that has no answer to wait for: one that became `Detached`, or that somebody else began.
   *
   * `busy` asks whoever knows, such as the task's status; it is asked again every 0.5 to 5 seconds, and its error ends
   * the waiting. After its "no" the channel is up, the history complete, and nothing has arrived for 0.3 seconds; for
   * such a silence it waits 6 seconds at most.
   *
   * A prompt that became `Detached` may never have arrived. Where the agent tells its history, that is found out now:
   * it fails with `NotDelivered`, and the prompt is no longer in the state. It can be sent again then.
   */
  readonly awaitIdle: <BusyError, R>(
    busy: Effect.Effect<boolean, BusyError, R>
  ) => Effect.Effect<void, BusyError | AcpError | NotDelivered, R>
  /** Hands an answer to the channel; the first one counts, and one that does not fit leaves the request open. */
  readonly answerPermission: (
    requestId: string,
    answer: Permission.Answer
  ) => Effect.Effect<void, AlreadyAnswered | InvalidChoice>
  /** What the agent said about itself, after the latest `initialize`. */
  readonly agent: Effect.Effect<Wire.InitializeResponse, AcpError>
}

/** Which session is opened, and how. */
export interface Options<E = Extension.Standard> {
  /** The task id (spec 2.7); without it a session of the agent's own naming is begun. */
  readonly sessionId?: string
  /** The working directory named to the agent; "/" without it. */
  readonly cwd?: string
  /** What is known of the session already. */
  readonly state?: SessionState.SessionState
  readonly clientInfo?: Wire.Implementation
  /**
   * Whether questions and forms reach a person; told to the agent. Without it the agent's question requests and
   * elicitations are refused at once; permission requests, with questions or not, always reach `changes`.
   */
  readonly questions?: boolean
  /** Which extension notifications are decoded, and the vendor's prefix; artifact pushes without it. */
  readonly extensions?: Extension.Registry<E>
  /**
   * Takes the session up by `session/resume` where offered, also when it could be loaded. Cheaper for who knows the
   * history and prompts alone: what was said while the channel was broken is not told.
   */
  readonly resume?: boolean
  /** Fails with `SessionNotFound` when a load brings no history: some agents load any name without complaint. */
  readonly mustExist?: boolean
  /** How long opening may take; 90 seconds without it, which is longer than a service tries to start its agent. */
  readonly openTimeout?: Duration.DurationInput
  /** How long a prompt waits for a channel that is down; 30 seconds without it. */
  readonly readyTimeout?: Duration.DurationInput
  /** When a turn counts as cancelled although the agent does not say so; 5 seconds without it. */
  readonly cancelDeadline?: Duration.DurationInput
  /** How long a person has for an answer; then the mildest refusal is taken. 300 seconds without it. */
  readonly permissionDeadline?: Duration.DurationInput
}

/** Opens a task's session over its channel (spec 4.13): connects, initializes, loads. */
export const open = <E = Extension.Standard>(
  options: Options<E> & SseTransport.Options
): Effect.Effect<AcpSession<E>, AcpError, Scope.Scope> => make(SseTransport.make(options), options)

/** Opens a session over any transport. */
export const make = <E = Extension.Standard>(
  transport: Transport,
  options: Options<E>
): Effect.Effect<AcpSession<E>, AcpError, Scope.Scope> =>
  // What goes on for as long as the session lives is no part of the span of its opening.
  Effect.flatMap(Effect.runtime<Scope.Scope>(), (runtime) =>
    Effect.withSpan(start(transport, options, runtime), "AcpSession.make")
  )

const start = Effect.fnUntraced(function* <E>(
  transport: Transport,
  options: Options<E>,
  runtime: Runtime.Runtime<Scope.Scope>
): Effect.fn.Return<AcpSession<E>, AcpError, Scope.Scope> {
  const scope = yield* Effect.scope
  const fiberId = yield* Effect.fiberId
  const connected = yield* Deferred.make<Connection.Connection>()
  const closed = yield* Deferred.make<never, AcpError>()
  // Without a registry of its own the session's type says that it has the standard one.
  const extensions = (options.extensions ?? Extension.standard) as Extension.Registry<E>
  const early = Early.make()
  let sessionId = options.sessionId
  let fold = SessionFold.make({ ...(options.state ?? SessionState.empty), permissions: [], running: false })
  let replay: SessionFold.SessionFold | undefined
  let ready = yield* Deferred.make<Wire.InitializeResponse, AcpError>()
  let isReady = false
  let attached = false
  let opened = false
  let agent: Wire.InitializeResponse | undefined
  let epoch = 0
  let news = 0
  let attaching: Fiber.RuntimeFiber<void> | undefined
  let lastError: TransportError | undefined

  const broadcast = Broadcast.make<SessionEvent<E>>(
    (changed) => ({ _tag: "StateChanged", state: fold.state(), changed }),
    (count) => ({ _tag: "Missed", count })
  )
  const set = (fields: Parameters<SessionFold.SessionFold["set"]>[0]) => {
    fold.set(fields)
    for (const name of Object.keys(fields)) broadcast.change(name)
  }

  const become = (state: SessionState.SessionState) => {
    const before = fold.state()
    fold = SessionFold.make(state)
    for (const name of SessionState.difference(before, state)) broadcast.change(name)
  }

  const unready = () => {
    if (isReady) ready = Deferred.unsafeMake(fiberId)
    isReady = false
  }

  const end = (error: AcpError) => {
    unready()
    asks.connectionGone()
    Deferred.unsafeDone(ready, Effect.fail(error))
    Deferred.unsafeDone(closed, Effect.fail(error))
    broadcast.event({ _tag: "Closed", error })
    broadcast.end()
  }

  const becomeReady = (answer: Wire.InitializeResponse) => {
    isReady = true
    news++
    Deferred.unsafeDone(ready, Effect.succeed(answer))
    if (opened) broadcast.event({ _tag: "Ready" })
  }

  const asks = Asks.make({
    deadline: options.permissionDeadline ?? "300 seconds",
    changed: (permissions) => set({ permissions }),
    asked: (permission) => broadcast.event({ _tag: "PermissionRequested", permission }),
    withdrawn: (permission, reason) => broadcast.event({ _tag: "PermissionWithdrawn", permission, reason }),
    answered: (permission) => broadcast.event({ _tag: "PermissionAnswered", permission })
  })

  const turns = Turns.make({
    // A prompt waits until the session is ready, and by then it has a name.
    sessionId: () => sessionId ?? "",
    over: asks.turnOver,
    connection: Deferred.await(connected),
    ready: Effect.suspend(() => Deferred.await(ready)).pipe(
      Effect.timeoutFail({
        duration: options.readyTimeout ?? "30 seconds",
        onTimeout: () =>
          new ConnectionLost({ description: "The channel is down; nothing was sent", sent: false, cause: lastError })
      })
    ),
    cancelDeadline: options.cancelDeadline ?? "5 seconds",
    fold: () => fold,
    changed: broadcast.change,
    set,
    fork: Runtime.runFork(runtime)
  })

  const cwd = options.cwd ?? "/"

  const begun = (name: string) => {
    sessionId = name
    early.release().forEach(notified)
  }

  const take = (
    connection: Connection.Connection,
    capabilities: Wire.AgentCapabilities | undefined,
    name: string,
    { resume, told }: { readonly resume: boolean; readonly told: (history: SessionState.SessionState) => void }
  ) => {
    let mine: SessionFold.SessionFold | undefined
    const missing = () => !opened && options.mustExist === true
    let empty = false
    return Attach.take(connection, capabilities, {
      sessionId: name,
      cwd,
      resume,
      begin: () => {
        replay = mine = SessionFold.make(SessionState.empty)
      },
      end: (replayed) => {
        if (replayed && replay !== undefined) {
          const history = replay.state()
          empty = history.entries.length === 0
          become(SessionState.reconcile(fold.state(), history))
          told(history)
        }
        replay = undefined
      }
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          // Without an answer: what comes now is told live.
          if (replay === mine) replay = undefined
        })
      ),
      Effect.filterOrFail(
        () => !(empty && missing()),
        () => new SessionNotFound({ sessionId: name })
      ),
      Effect.mapError((error) =>
        error._tag === "RpcError" && error.code === JsonRpc.ErrorCode.resourceNotFound && missing()
          ? new SessionNotFound({ sessionId: name })
          : error
      )
    )
  }

  /** A history that is told while nothing runs lacks nothing: a prompt that is not in it has not arrived. */
  const settle: Effect.Effect<void, AcpError | NotDelivered> = Effect.gen(function* () {
    while (turns.inDoubt()) {
      const { agentCapabilities } = yield* Effect.suspend(() => Deferred.await(ready))
      // Who cannot tell its history leaves the doubt.
      if (agentCapabilities?.loadSession !== true) return
      let lost: NotDelivered | undefined
      const told = yield* take(yield* Deferred.await(connected), agentCapabilities, sessionId ?? "", {
        resume: false,
        told: (history) => {
          lost = turns.replayed(history, true)
        }
      }).pipe(
        Effect.as(true),
        Effect.catchTag("ConnectionLost", () => Effect.as(Effect.sleep("500 millis"), false)),
        Effect.catchTag("RpcError", (error) =>
          Effect.as(Effect.logWarning("Whether a message arrived cannot be found out", error.message), true)
        )
      )
      if (lost !== undefined) return yield* lost
      if (told) return
    }
  })

  const attach = Effect.fn("AcpSession.attach")(function* (mine: number) {
    const connection = yield* Deferred.await(connected)
    let answer: Wire.InitializeResponse | undefined
    const attempt = Effect.gen(function* () {
      answer ??= yield* Attach.initialize(connection, {
        clientInfo: options.clientInfo,
        questions: options.questions === true,
        extensionPrefix: extensions.prefix
      })
      agent = answer
      const { modes, configOptions } = yield* sessionId === undefined
        ? Attach.begin(connection, cwd, begun)
        : take(connection, answer.agentCapabilities, sessionId, {
            resume: options.resume === true && (mine > 1 || options.state !== undefined),
            told: (history) => void turns.replayed(history, false)
          })
      if (modes) set({ modes: modes.availableModes, mode: modes.currentModeId })
      if (configOptions) set({ configOptions })
      return answer
    })
    // A connection that is replaced meanwhile has an attachment of its own.
    const current = () => mine === epoch
    let tries = 0
    // A session that was open outlives any outage: the transport knows when the channel is over.
    const again = (error: AcpError) =>
      error._tag === "ConnectionLost" ? mine > 1 || ++tries <= 5 : mine > 1 && error._tag === "RpcError" && ++tries <= 5
    yield* attempt.pipe(
      Effect.retry({ schedule: attachAgain, while: (error) => current() && again(error) }),
      Effect.match({
        onSuccess: (value) => {
          if (!current()) return
          attached = true
          becomeReady(value)
          const settled = Effect.sync(() => {
            if (current()) asks.allAsked()
          })
          Runtime.runFork(runtime)(Effect.delay(settled, asksAgainWithin), { scope })
        },
        onFailure: (error) => {
          if (current()) end(error)
        }
      })
    )
  })

  const ask = (request: JsonRpc.Request) => {
    const form = Permission.formOf(request.method, extensions.prefix)
    if (form === undefined || (form !== "permission" && options.questions !== true)) return undefined
    const permission = Permission.fromRequest(form, crypto.randomUUID(), request.params)
    if (permission === undefined) {
      return Effect.fail(new JsonRpc.RpcError({ code: JsonRpc.ErrorCode.invalidParams, message: "Invalid params" }))
    }
    if (turns.cancelling()) return Effect.succeed(Permission.toResult(permission, Permission.cancelled))
    const update = permission.sessionId === sessionId ? SessionFold.permissionUpdate(permission) : undefined
    const key = update === undefined ? undefined : fold.apply(update)
    if (key !== undefined) broadcast.change(key)
    return asks.ask(permission, request)
  }

  const notified = (notification: JsonRpc.Notification) => {
    const { method, params } = notification
    news++
    const extension = extensions.read(method, params)
    if (extension !== undefined) return broadcast.event(extension)
    const decoded = method === "session/update" ? Update.decode(params) : undefined
    if (decoded !== undefined && sessionId === undefined && early.hold(notification)) return
    if (decoded === undefined || decoded.sessionId !== sessionId || decoded.update.sessionUpdate === "unknown") {
      return broadcast.event({ _tag: "Unknown", method, params })
    }
    const key = (replay ?? fold).apply(decoded.update)
    if (key !== undefined && replay === undefined) broadcast.change(key)
  }

  const connection = yield* Connection.start(transport, runtime, {
    onRequest: ask,
    onDelivered: asks.delivered,
    onNotification: notified,
    onSkipped: broadcast.event,
    onClosed: end,
    onInterrupted: (error) => {
      lastError = error
      unready()
      if (opened) broadcast.event({ _tag: "Interrupted", error })
    },
    onConnected: (fresh) => {
      if (!fresh && agent !== undefined && attached) return becomeReady(agent)
      if (!fresh) return
      attached = false
      replay = undefined
      asks.connectionGone()
      attaching?.unsafeInterruptAsFork(fiberId)
      attaching = Runtime.runFork(runtime)(attach(++epoch), { scope })
    }
  })
  // Before the connection ends.
  yield* Effect.addFinalizer(() => turns.settled)
  yield* Deferred.succeed(connected, connection)

  yield* Deferred.await(ready).pipe(
    Effect.timeoutFail({
      duration: options.openTimeout ?? "90 seconds",
      onTimeout: () =>
        new ConnectionLost({
          description: `The session cannot be reached${lastError === undefined ? "" : `: ${lastError.message}`}`,
          sent: false,
          cause: lastError
        })
    })
  )

  opened = true

  return {
    sessionId: sessionId ?? "",
    state: Effect.sync(() => fold.state()),
    changes: broadcast.stream,
    follow: broadcast.follow,
    closed: Deferred.await(closed),
    prompt: turns.prompt,
    turn: (content) =>
      Stream.unwrap(
        Effect.map(Deferred.make<TurnEnd, AcpError | Detached | UnsupportedContent>(), (ended) =>
          Stream.concat(
            broadcast.during(Effect.asVoid(Effect.intoDeferred(turns.prompt(content), ended))),
            Stream.fromEffect(Effect.map(Deferred.await(ended), (end) => ({ _tag: "Ended", end }) as const))
          )
        )
      ),
    cancel: turns.cancel(asks.cancelAll),
    awaitIdle: Idle.make({ ready: Effect.suspend(() => Deferred.await(ready)), news: () => news, settle }),
    answerPermission: asks.answer,
    agent: Effect.suspend(() => Deferred.await(ready))
  }
})

/** Within which an agent repeats, on a new connection, what it still wants to know. */
const asksAgainWithin = "10 seconds"

const attachAgain = Schedule.exponential("500 millis").pipe(Schedule.union(Schedule.spaced("8 seconds")))
