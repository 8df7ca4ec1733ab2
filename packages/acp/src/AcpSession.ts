import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { type AcpError, AlreadyAnswered, ConnectionLost, type Detached, type TransportError } from "./AcpError.ts"
import type { TurnInProgress, UnsupportedContent } from "./AcpError.ts"
import * as Connection from "./Connection.ts"
import * as Attach from "./internal/Attach.ts"
import * as Broadcast from "./internal/Broadcast.ts"
import * as Turns from "./internal/Turns.ts"
import * as JsonRpc from "./JsonRpc.ts"
import * as Permission from "./Permission.ts"
import type * as Wire from "./schema/generated/AcpSchema.ts"
import * as Update from "./schema/Update.ts"
import * as SessionFold from "./SessionFold.ts"
import * as SessionState from "./SessionState.ts"
import * as SseTransport from "./SseTransport.ts"
import type { Skipped, Transport } from "./Transport.ts"

/** What happens in a session. */
export type SessionEvent =
  /** The newest state; `changed` names what differs since the last one: keys of entries, fields of the state. */
  | {
      readonly _tag: "StateChanged"
      readonly state: SessionState.SessionState
      readonly changed: ReadonlySet<string>
    }
  | { readonly _tag: "PermissionRequested"; readonly permission: Permission.PermissionRequest }
  /** A request that needs no answer any more: withdrawn by the agent, or gone with its connection. */
  | { readonly _tag: "PermissionWithdrawn"; readonly permission: Permission.PermissionRequest }
  /** An artifact push (spec 6), its params as received. */
  | { readonly _tag: "ArtifactNotification"; readonly method: string; readonly params: unknown }
  /** A notification, or an update, of a kind that this version does not know. */
  | { readonly _tag: "Unknown"; readonly method: string; readonly params: unknown }
  | Skipped
  /** The channel broke and is being re-established. */
  | { readonly _tag: "Interrupted"; readonly error: TransportError }
  /** The session is usable (again). */
  | { readonly _tag: "Ready" }
  /** The session is over; the stream ends. */
  | { readonly _tag: "Closed"; readonly error: AcpError }

/** How one turn ended; `stopReason` is "cancelled" whenever `cancel` was asked for in it. */
export interface TurnEnd {
  readonly stopReason: Wire.StopReason
  readonly usage?: Wire.Usage
}

/** One session of one agent, kept up over broken connections. */
export interface AcpSession {
  readonly state: Effect.Effect<SessionState.SessionState>
  /** Starts with the present state. A reader that is slow gets the newest state, not every one. */
  readonly changes: Stream.Stream<SessionEvent>
  /** Waits until the session is over and fails with the reason. */
  readonly closed: Effect.Effect<never, AcpError>
  /**
   * Sends a prompt and waits for the end of its turn; interrupting it leaves the turn running.
   *
   * With `ConnectionLost` and `sent: false` nothing was sent. `Detached` means that the turn may still be running:
   * the prompt is not sent again, and the task's status tells the end.
   */
  readonly prompt: (
    content: ReadonlyArray<Wire.ContentBlock>
  ) => Effect.Effect<TurnEnd, AcpError | Detached | TurnInProgress | UnsupportedContent>
  /** Cancels the running turn and waits for its end, at most `cancelDeadline`; pending permissions are answered. */
  readonly cancel: Effect.Effect<void, AcpError>
  /** Hands an answer to the channel; the first one counts. */
  readonly answerPermission: (requestId: string, answer: Permission.Answer) => Effect.Effect<void, AlreadyAnswered>
  /** What the agent said about itself, after the latest `initialize`. */
  readonly agent: Effect.Effect<Wire.InitializeResponse, AcpError>
}

/** Which session is opened, and how. */
export interface Options {
  /** The task id (spec 2.7). */
  readonly sessionId: string
  /** The working directory named to the agent; "/" without it. */
  readonly cwd?: string
  /** What is known of the session already. */
  readonly state?: SessionState.SessionState
  readonly clientInfo?: Wire.Implementation
  /** How long opening may take; 90 seconds without it, which is longer than a service tries to start its agent. */
  readonly openTimeout?: Duration.DurationInput
  /** How long a prompt waits for a channel that is down; 30 seconds without it. */
  readonly readyTimeout?: Duration.DurationInput
  /** When a turn counts as cancelled although the agent does not say so; 5 seconds without it. */
  readonly cancelDeadline?: Duration.DurationInput
}

/** Opens a task's session over its channel (spec 4.13): connects, initializes, loads. */
export const open = (options: Options & SseTransport.Options): Effect.Effect<AcpSession, AcpError, Scope.Scope> =>
  make(SseTransport.make(options), options)

/** Opens a session over any transport. */
export const make = Effect.fn("AcpSession.make")(function* (
  transport: Transport,
  options: Options
): Effect.fn.Return<AcpSession, AcpError, Scope.Scope> {
  const { sessionId } = options
  const scope = yield* Effect.scope
  const runtime = yield* Effect.runtime()
  const fiberId = yield* Effect.fiberId
  const connected = yield* Deferred.make<Connection.Connection>()
  const closed = yield* Deferred.make<never, AcpError>()
  const permissions = new Map<string, Pending>()
  let fold = SessionFold.make({ ...(options.state ?? SessionState.empty), permissions: [], running: false })
  let replay: SessionFold.SessionFold | undefined
  let ready = yield* Deferred.make<Wire.InitializeResponse, AcpError>()
  let isReady = false
  let agent: Wire.InitializeResponse | undefined
  let epoch = 0
  let attaching: Fiber.RuntimeFiber<void> | undefined
  let lastError: TransportError | undefined

  const broadcast = Broadcast.make<SessionEvent>((changed) => ({ _tag: "StateChanged", state: fold.state(), changed }))
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
    Deferred.unsafeDone(ready, Effect.fail(error))
    Deferred.unsafeDone(closed, Effect.fail(error))
    broadcast.event({ _tag: "Closed", error })
    broadcast.end()
  }

  const becomeReady = (answer: Wire.InitializeResponse) => {
    isReady = true
    Deferred.unsafeDone(ready, Effect.succeed(answer))
    broadcast.event({ _tag: "Ready" })
  }

  const turns = Turns.make({
    sessionId,
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
    set
  })

  const attach = Effect.fn("AcpSession.attach")(function* (mine: number) {
    const connection = yield* Deferred.await(connected)
    let answer: Wire.InitializeResponse | undefined
    const attempt = Effect.gen(function* () {
      answer ??= yield* Attach.initialize(connection, options.clientInfo)
      agent = answer
      const loaded = yield* Attach.take(connection, answer.agentCapabilities, {
        sessionId,
        cwd: options.cwd ?? "/",
        begin: () => {
          replay = SessionFold.make(SessionState.empty)
        },
        end: (replayed) => {
          if (replayed && replay !== undefined) become(SessionState.reconcile(fold.state(), replay.state()))
          replay = undefined
        }
      })
      if (loaded.modes) set({ modes: loaded.modes.availableModes, mode: loaded.modes.currentModeId })
      if (loaded.configOptions) set({ configOptions: loaded.configOptions })
      return answer
    })
    // A connection that is replaced meanwhile has an attachment of its own.
    const current = () => mine === epoch
    yield* attempt.pipe(
      Effect.retry({
        schedule: attachAgain,
        while: (error) => current() && (error._tag === "ConnectionLost" || (mine > 1 && error._tag === "RpcError"))
      }),
      Effect.match({
        onSuccess: (value) => {
          if (current()) becomeReady(value)
        },
        onFailure: (error) => {
          if (current()) end(error)
        }
      })
    )
  })

  const ask = (request: JsonRpc.Request) => {
    const permission = Permission.fromParams(crypto.randomUUID(), request.params)
    if (permission === undefined || permission.sessionId !== sessionId) {
      return Effect.fail(new JsonRpc.RpcError({ code: JsonRpc.ErrorCode.invalidParams, message: "Invalid params" }))
    }
    if (turns.cancelling()) return Effect.succeed(Permission.toResult(Permission.cancelled))
    const answer = Deferred.unsafeMake<Permission.Answer>(fiberId)
    permissions.set(permission.requestId, { permission, answer })
    const key = fold.apply(SessionFold.permissionUpdate(permission))
    if (key !== undefined) broadcast.change(key)
    set({ permissions: pendingPermissions() })
    broadcast.event({ _tag: "PermissionRequested", permission })
    return Deferred.await(answer).pipe(
      Effect.map(Permission.toResult),
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          if (settle(permission.requestId) !== undefined) broadcast.event({ _tag: "PermissionWithdrawn", permission })
        })
      )
    )
  }

  const pendingPermissions = () => [...permissions.values()].map(({ permission }) => permission)

  const settle = (requestId: string): Pending | undefined => {
    const pending = permissions.get(requestId)
    if (permissions.delete(requestId)) set({ permissions: pendingPermissions() })
    return pending
  }

  const notified = ({ method, params }: JsonRpc.Notification) => {
    if (artifactMethod.test(method)) return broadcast.event({ _tag: "ArtifactNotification", method, params })
    const notification = method === "session/update" ? Update.decode(params) : undefined
    if (notification === undefined || notification.sessionId !== sessionId) {
      return broadcast.event({ _tag: "Unknown", method, params })
    }
    const { update } = notification
    if (update.sessionUpdate === "unknown") return broadcast.event({ _tag: "Unknown", method, params })
    const key = (replay ?? fold).apply(update)
    if (key !== undefined && replay === undefined) broadcast.change(key)
  }

  const connection = yield* Connection.make(transport, {
    onRequest: (request) => (request.method === "session/request_permission" ? ask(request) : undefined),
    onNotification: notified,
    onSkipped: broadcast.event,
    onInterrupted: (error) => {
      lastError = error
      unready()
      broadcast.event({ _tag: "Interrupted", error })
    },
    onConnected: (fresh) => {
      if (!fresh && agent !== undefined && replay === undefined) return becomeReady(agent)
      if (!fresh) return
      replay = undefined
      attaching?.unsafeInterruptAsFork(fiberId)
      attaching = Runtime.runFork(runtime)(attach(++epoch), { scope })
    }
  })
  yield* Deferred.succeed(connected, connection)
  yield* connection.closed.pipe(
    Effect.catchAll((error) => Effect.sync(() => end(error))),
    Effect.forkScoped
  )

  const answerPermission = Effect.fn("AcpSession.answerPermission")(function* (
    requestId: string,
    answer: Permission.Answer
  ) {
    const pending = settle(requestId)
    if (pending === undefined) return yield* new AlreadyAnswered({ requestId })
    yield* Deferred.succeed(pending.answer, answer)
  })

  const cancelPermissions = Effect.suspend(() =>
    Effect.forEach([...permissions.keys()], (requestId) => answerPermission(requestId, Permission.cancelled), {
      discard: true
    })
  ).pipe(
    // Somebody was quicker with an answer, which is what a cancellation wants, too.
    Effect.catchTag("AlreadyAnswered", () => Effect.void)
  )

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

  return {
    state: Effect.sync(() => fold.state()),
    changes: broadcast.stream,
    closed: Deferred.await(closed),
    prompt: turns.prompt,
    cancel: turns.cancel(cancelPermissions),
    answerPermission,
    agent: Effect.suspend(() => Deferred.await(ready))
  }
})

interface Pending {
  readonly permission: Permission.PermissionRequest
  readonly answer: Deferred.Deferred<Permission.Answer>
}

const artifactMethod = /^_[^/]+\/artifact$/

const attachAgain = Schedule.exponential("500 millis").pipe(Schedule.intersect(Schedule.recurs(5)))
