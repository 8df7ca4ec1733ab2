import { createHash } from "node:crypto"
import type { AcpSession } from "@heddle/acp/AcpSession"
import * as Permission from "@heddle/acp/Permission"
import * as SessionState from "@heddle/acp/SessionState"
import * as Array from "effect/Array"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as MonotonicClock from "../../concurrency/MonotonicClock.ts"
import type { Messages } from "../../messages/Messages.ts"
import { reference } from "../../text/Reference.ts"
import { retryWhileStoreFails } from "../../store/database/RetryPolicy.ts"
import { oneLine } from "../../text/Truncate.ts"
import type { PermissionRow } from "../../store/PermissionRow.ts"
import { type NewPermission, Permissions } from "../../store/Permissions.ts"
import type { Task } from "../../model/Access.ts"
import * as AnswerDelivery from "./AnswerDelivery.ts"
import * as AnswerProgress from "./AnswerProgress.ts"
import * as AnswerPolicy from "./AnswerPolicy.ts"
import { placeInSession } from "./Projection.ts"
import * as ToolCallDetail from "./ToolCallDetail.ts"

/** The turn whose permission requests are stored and answered. */
export interface ApprovalsOptions {
  readonly turnId: string
  readonly threadId: string
  readonly task: Task
  /** How long a person has for an answer where the agent does not say it, in milliseconds. */
  readonly answerWithinMs: number
  readonly messages: Messages
}

/** The permission requests of a turn. */
export interface TurnPermissions {
  readonly permissions: ReadonlyArray<PermissionRow>
  /** How many are open and not shown yet. */
  readonly waitingRequests: number
  /** How many were refused without being shown, since too many were open. */
  readonly refusedRequests: number
}

/** The limit of open requests with a visible card. */
export const maxShown = 10

/** The limit of requests that wait for a visible card; further ones are refused. */
export const maxWaiting = 100

/** Keeps the permission requests of a session and their rows equal, until the scope ends. */
export interface Approvals {
  /**
   * Stores new requests, refuses those past their deadline, hands answers to the agent and shows the rows. It also runs by
   * itself at each deadline. Right before an answer goes to the agent, the policy decides about its authors.
   */
  readonly refresh: Effect.Effect<void>
  /** Shows what changed tool calls tell about the requests. */
  readonly toolCallsChanged: (state: SessionState.SessionState) => Effect.Effect<void>
  /** Notes in the rows what the tool calls tell about the answers now. */
  readonly confirm: Effect.Effect<void>
  /** Notes that the service has taken the answer to a request. */
  readonly markSent: (request: Permission.PermissionRequest) => Effect.Effect<void>
  /** Closes the row of a request that the agent withdrew. */
  readonly withdraw: (request: Permission.PermissionRequest) => Effect.Effect<void>
  /** Unlinks a request from its row when its connection ended: the agent may ask it again on the next one. */
  readonly unlink: (request: Permission.PermissionRequest) => Effect.Effect<void>
  /**
   * Notes that the session has a new connection. Requests that the agent does not repeat within some seconds can no longer
   * be answered. If the service has not taken their answer, they show that it was not delivered.
   */
  readonly markReconnected: Effect.Effect<void>
  /** Waits until the service has taken or refused the answers on their way. */
  readonly awaitDelivery: (timeout: Duration.DurationInput) => Effect.Effect<void>
  /** Keeps answers in their rows while the channel is broken, so that the policy decides when the agent can get them. */
  readonly setConnected: (isConnected: boolean) => void
}

/**
 * Stores the permission requests of a session as rows and sends their answers to the agent. On one connection each
 * request is a row of its own. On a new connection a request is recognised by its content, since ids change, and gets
 * only an answer that never went out. Of many open requests the first are shown and the next ones wait.
 */
export const open = Effect.fnUntraced(function* (
  session: AcpSession,
  turn: ApprovalsOptions,
  show: (requests: TurnPermissions) => void
): Effect.fn.Return<Approvals, never, AnswerPolicy.Requirements | Scope.Scope> {
  const permissions = yield* Permissions
  const scope = yield* Effect.scope
  const oneRefresh = yield* Effect.makeSemaphore(1)
  /** The row id of each request of this connection, by request id. */
  const rowIds = new Map<string, string>()
  const deliveries = yield* FiberSet.make<void>()
  const { notRefused, refuse } = makeRefusals(session, deliveries)
  const progress = yield* AnswerProgress.make(turn.turnId)
  let totalRefused = 0
  let isConnected = true
  const refreshLater = <E>(prepare: Effect.Effect<unknown, E>, delay: Duration.DurationInput) => {
    const run = Effect.flatMap(prepare, () => refresh)
    return Effect.forkIn(Effect.delay(retryWhileStoreFails("A request of an agent", run), delay), scope)
  }
  const scheduleDeadlines = makeDeadlines(refreshLater)

  const rowOf = Effect.fnUntraced(function* (
    request: Permission.PermissionRequest,
    state: SessionState.SessionState,
    now: number
  ) {
    const knownRowId = rowIds.get(request.requestId)
    const stored = knownRowId === undefined ? Option.none() : yield* permissions.find(knownRowId)
    if (Option.isSome(stored)) return stored.value
    const added = rowFor(request, state, turn, yield* deadlineOf(request, turn))
    const row = yield* permissions.findOrAdd(added, [...rowIds.values()], now)
    rowIds.set(request.requestId, row.permissionId)
    progress.begin(row, state)
    return row
  })

  const { deliver, isHandedOver } = AnswerDelivery.makeDelivery(session, deliveries, ({ permissionId }) =>
    retryWhileStoreFails(
      "An answer",
      Effect.zipRight(
        permissions.markUndelivered(permissionId),
        Effect.suspend(() => refresh)
      )
    )
  )

  const deliverIfAllowed = yield* AnswerDelivery.makeDeliverIfAllowed(
    deliver,
    turn.task,
    () => isConnected,
    refreshLater
  )

  const syncRows = Effect.gen(function* () {
    const state = yield* session.state
    const now = yield* MonotonicClock.now
    yield* permissions.expire(turn.turnId, now)
    yield* progress.apply(state)
    let shown = 0
    let waitingCount = 0
    let refusedCount = 0
    for (const request of inOrder(notRefused(state.permissions), yield* permissions.ofTurn(turn.turnId), rowIds)) {
      if (shown === maxShown) {
        if (waitingCount < maxWaiting) {
          waitingCount++
          continue
        }
        // Each answer is a call to the service; the pause lets other threads call it, too.
        if (++refusedCount % 20 === 0) yield* Effect.sleep("10 millis")
        yield* refuse(request)
        continue
      }
      const row = yield* deliverIfAllowed(request, yield* rowOf(request, state, now))
      if (row.state === "open") shown++
    }
    totalRefused += refusedCount
    return {
      permissions: yield* permissions.ofTurn(turn.turnId),
      waitingRequests: waitingCount,
      refusedRequests: totalRefused
    }
  })

  const refresh: Effect.Effect<void> = oneRefresh.withPermits(1)(
    Effect.gen(function* () {
      const requests = yield* Effect.tap(syncRows, (synced) => Effect.map(forPeople(synced), show))
      yield* scheduleDeadlines(requests.permissions)
    })
  )

  return {
    refresh,
    toolCallsChanged: (state) => (progress.hasChanged(state) ? refresh : Effect.void),
    confirm: Effect.flatMap(session.state, progress.apply),
    setConnected: (next) => void (isConnected = next),
    markSent: Effect.fnUntraced(function* ({ requestId }) {
      const rowId = rowIds.get(requestId)
      // After a stop the session answers by itself; the stored answer did not go out then.
      if (rowId !== undefined) yield* permissions[isHandedOver(requestId) ? "markSent" : "markCancelled"](rowId)
      rowIds.delete(requestId)
      const row = rowId === undefined ? Option.none() : yield* permissions.find(rowId)
      // An agent that goes on at once needs no card that says so in between.
      yield* Option.exists(row, AnswerProgress.isUnconfirmed) ? refreshLater(Effect.void, confirmWindow) : refresh
    }),
    withdraw: Effect.fnUntraced(function* (request) {
      const turnRows = yield* permissions.ofTurn(turn.turnId)
      const linkedIds = new Set(rowIds.values())
      // It was repeated on a new connection and withdrawn before it was matched to its row.
      const unseen = (row: PermissionRow) =>
        row.fingerprint === fingerprint(request) && !linkedIds.has(row.permissionId)
      const rowId = rowIds.get(request.requestId) ?? turnRows.find(unseen)?.permissionId
      if (rowId !== undefined) yield* permissions.withdraw(rowId)
      // Another one may take its place.
      yield* refresh
    }),
    unlink: ({ requestId }) => Effect.sync(() => void rowIds.delete(requestId)),
    markReconnected: yield* makeLossCheck(turn.turnId, rowIds, (markLost) => refreshLater(markLost, repeatWindow)),
    awaitDelivery: (limit) => Effect.asVoid(Effect.timeoutOption(FiberSet.awaitEmpty(deliveries), limit))
  }
})

/** Refuses requests in the background. */
const makeRefusals = (session: AcpSession, deliveries: FiberSet.FiberSet<void>) => {
  const underway = new Set<string>()
  return {
    notRefused: (requests: ReadonlyArray<Permission.PermissionRequest>) =>
      requests.filter(({ requestId }) => !underway.has(requestId)),
    refuse: ({ requestId }: Permission.PermissionRequest) => {
      underway.add(requestId)
      // It fails only if the request was just withdrawn.
      const refusal = Effect.ignore(session.answerPermission(requestId, Permission.declined))
      return FiberSet.run(
        deliveries,
        Effect.ensuring(
          refusal,
          Effect.sync(() => underway.delete(requestId))
        )
      )
    }
  }
}

/** Until when a request waits for its answer, in milliseconds of the monotonic clock. */
const deadlineOf = ({ expiresAt }: Permission.PermissionRequest, { answerWithinMs }: ApprovalsOptions) =>
  expiresAt === undefined
    ? Effect.map(MonotonicClock.now, (now) => now + answerWithinMs)
    : Effect.map(MonotonicClock.fromTimeOfDay(expiresAt), (at) => at - deliveryMs)

/** The requests with their deadlines as times of day. */
const forPeople = (requests: TurnPermissions) =>
  Effect.map(MonotonicClock.toTimeOfDay, (timeOfDay) => ({
    ...requests,
    permissions: requests.permissions.map((row) => ({ ...row, deadlineAt: timeOfDay(row.deadlineAt) }))
  }))

/** Makes the function that schedules a refresh for each deadline of an open request. */
const makeDeadlines = (refreshLater: (prepare: Effect.Effect<unknown>, delayMs: number) => Effect.Effect<unknown>) => {
  const scheduled = new Set<string>()
  return Effect.fnUntraced(function* (rows: ReadonlyArray<PermissionRow>) {
    const now = yield* MonotonicClock.now
    for (const { deadlineAt, permissionId, state } of rows) {
      const deadline = `${permissionId} ${deadlineAt}`
      if (state !== "open" || scheduled.has(deadline)) continue
      scheduled.add(deadline)
      // A timer may fire a millisecond early; the refresh then schedules the rest.
      const forget = Effect.sync(() => scheduled.delete(deadline))
      yield* refreshLater(forget, Math.min(Math.max(0, deadlineAt - now), maxTimerMs))
    }
  })
}

/** The longest time between two looks at a deadline, in milliseconds: timers have a limit of their own. */
const maxTimerMs = 86_400_000

/** Makes `markReconnected`: what is unsettled now and not repeated later is lost. Only the last connection counts. */
const makeLossCheck = Effect.fnUntraced(function* (
  turnId: string,
  rowIds: ReadonlyMap<string, string>,
  afterRepeatWindow: (markLost: Effect.Effect<void>) => Effect.Effect<unknown>
) {
  const permissions = yield* Permissions
  let reconnects = 0
  return Effect.gen(function* () {
    const reconnect = ++reconnects
    const unsettled = (yield* permissions.ofTurn(turnId)).filter((row) => row.state === "open" || isUnsent(row))
    if (unsettled.length === 0) return
    const markLost = Effect.gen(function* () {
      if (reconnect !== reconnects) return
      for (const { permissionId } of unsettled)
        if (![...rowIds.values()].includes(permissionId)) yield* permissions.markUndelivered(permissionId)
    })
    yield* afterRepeatWindow(markLost)
  })
})

const isUnsent = ({ sent, state }: PermissionRow): boolean => state === "answered" && !sent

/** How long an answer may take to its service, in milliseconds: people have that much less time than the agent waits. */
const deliveryMs = 1000

/** How long an agent has to go on with an answer before its card says that it has not. */
const confirmWindow = "2 seconds"

/** How long a service has to repeat open requests on a new connection. */
const repeatWindow = "10 seconds"

/** Sorts requests: first those that have a row, since their card may be answered already. After a reconnect the order may change. */
const inOrder = (
  requests: ReadonlyArray<Permission.PermissionRequest>,
  all: ReadonlyArray<PermissionRow>,
  rowIds: ReadonlyMap<string, string>
): ReadonlyArray<Permission.PermissionRequest> => {
  if (requests.length <= maxShown) return requests
  const linkedIds = new Set(rowIds.values())
  const unlinkedFingerprints = new Set(
    all.filter(({ permissionId, sent }) => !sent && !linkedIds.has(permissionId)).map((row) => row.fingerprint)
  )
  const [others, first] = Array.partition(requests, ({ requestId }) => rowIds.has(requestId))
  const [newRequests, repeatedRequests] = Array.partition(
    others,
    (request) => unlinkedFingerprints.size > 0 && unlinkedFingerprints.has(fingerprint(request))
  )
  return [...first, ...repeatedRequests, ...newRequests]
}

const isEmpty = (list: ReadonlyArray<unknown> | null | undefined): boolean => (list?.length ?? 0) === 0

/** A request as it is stored first. */
const rowFor = (
  request: Permission.PermissionRequest,
  state: SessionState.SessionState,
  turn: ApprovalsOptions,
  deadlineAt: number
): NewPermission => {
  const asked = request.toolCall
  const toolCall = SessionState.toolCalls(state).findLast(({ toolCallId }) => toolCallId === asked?.toolCallId)
  // The request's own text first: the tool call may have changed, or belong to several requests.
  const title = request.message ?? asked?.title ?? toolCall?.title ?? ""
  return {
    permissionId: reference() + reference(),
    turnId: turn.turnId,
    threadId: turn.threadId,
    fingerprint: fingerprint(request),
    isKnown: request.repeatId !== undefined,
    toolCallId: asked?.toolCallId ?? "",
    form: request.form,
    title: oneLine(title, ToolCallDetail.maxTitleChars),
    ...(request.questions.length > 0 || asked === undefined
      ? ToolCallDetail.ofMessage(request.message ?? "")
      : ToolCallDetail.of(
          {
            // Some agents show the change with the tool call only, and the request has an empty list.
            content: isEmpty(asked.content) ? toolCall?.content : asked.content,
            locations: isEmpty(asked.locations) ? toolCall?.locations : asked.locations,
            rawInput: asked.rawInput ?? toolCall?.rawInput
          },
          title,
          turn.messages.turnPosts
        )),
    options: request.options.map(({ kind, name, optionId }) => ({ optionId, name, kind })),
    questions: request.questions,
    draft: Object.fromEntries(
      request.questions.flatMap(({ id, suggested }) => (suggested === undefined ? [] : [[id, suggested]]))
    ),
    deadlineAt,
    ...placeInSession(state, asked?.toolCallId)
  }
}

/** Identifies a request by its content, so that an answer is never used for another request. */
const fingerprint = (request: Permission.PermissionRequest): string =>
  createHash("sha256")
    .update(JSON.stringify({ ...request, requestId: "", expiresAt: undefined }))
    .digest("base64url")
    .slice(0, 22)
