import { createHash } from "node:crypto"
import type { AcpSession } from "@heddle/acp/AcpSession"
import * as Permission from "@heddle/acp/Permission"
import * as SessionState from "@heddle/acp/SessionState"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Messages } from "../messages/Messages.ts"
import { reference } from "../text/Reference.ts"
import { untilStored } from "../store/database/UntilStored.ts"
import { oneLine, truncate } from "../text/Truncate.ts"
import type { PermissionRow } from "../store/PermissionRow.ts"
import { type NewPermission, Permissions } from "../store/Permissions.ts"
import { detail, place } from "./Projection.ts"

/** The turn whose requests are looked after. */
export interface DeskTurn {
  readonly turnId: string
  readonly threadId: string
  /** How long a person has for an answer, in milliseconds. */
  readonly patience: number
  readonly messages: Messages
}

/** The requests of a turn. */
export interface OnDesk {
  readonly permissions: ReadonlyArray<PermissionRow>
  /** How many are open and not shown, since others are to be answered first. */
  readonly held: number
  /** How many were refused unseen, since too many were open. */
  readonly refused: number
}

/** The most requests that are put before a person at once. */
export const mostShown = 10

/** The most requests that wait behind those; more are refused. */
export const mostHeld = 100

/** Where the requests of a session and their rows are brought together; all of it goes on until the scope ends. */
export interface Approvals {
  /**
   * New requests get a row, rows past their deadline are refused, settled rows are handed to the agent. Shows the rows;
   * runs by itself at each deadline, too.
   */
  readonly refresh: Effect.Effect<void>
  /** The agent has the answer to a request. */
  readonly sent: (request: Permission.PermissionRequest) => Effect.Effect<void>
  /** Closes the row of a request that the agent withdrew. */
  readonly withdraw: (request: Permission.PermissionRequest) => Effect.Effect<void>
  /** The connection of a request is gone: on the next one it may be asked again. */
  readonly outOfSight: (request: Permission.PermissionRequest) => Effect.Effect<void>
  /**
   * The session has a connection (again): answers that it does not ask for within some seconds have arrived, and nobody
   * has to give them again.
   */
  readonly connected: Effect.Effect<void>
}

/**
 * Opens the desk of a turn at its session. A request is one row for as long as its connection lives: asked the same
 * again there, it is another one. What is asked on another connection is recognised by its content, since ids change.
 * Of many that are open at once, the first are put before the person and the next ones wait.
 */
export const open = Effect.fnUntraced(function* (
  session: AcpSession,
  turn: DeskTurn,
  show: (requests: OnDesk) => void
): Effect.fn.Return<Approvals, never, Permissions | Scope.Scope> {
  const permissions = yield* Permissions
  const scope = yield* Effect.scope
  const one = yield* Effect.makeSemaphore(1)
  /** The row of each request of this connection. */
  const rows = new Map<string, string>()
  const awaited = new Set<string>()
  let refusedBefore = 0
  const later = <E>(effect: Effect.Effect<void, E>, delay: Duration.DurationInput) =>
    Effect.forkIn(Effect.delay(untilStored("A request of an agent", effect), delay), scope)

  const rowOf = Effect.fnUntraced(function* (
    request: Permission.PermissionRequest,
    state: SessionState.SessionState,
    now: number
  ) {
    const known = rows.get(request.requestId)
    const found = known === undefined ? Option.none() : yield* permissions.find(known)
    if (Option.isSome(found)) return found.value
    const row = yield* permissions.ask(rowFor(request, state, turn, now), [...rows.values()], now)
    rows.set(request.requestId, row.permissionId)
    return row
  })

  const sync = Effect.gen(function* () {
    const state = yield* session.state
    const now = yield* Clock.currentTimeMillis
    yield* permissions.expire(turn.turnId, now)
    let shown = 0
    let held = 0
    let refused = 0
    for (const request of inOrder(state.permissions, yield* permissions.ofTurn(turn.turnId), rows)) {
      if (shown === mostShown) {
        if (held < mostHeld) {
          held++
          continue
        }
        // Each answer is a call to the service: others have their turn between them.
        if (++refused % 20 === 0) yield* Effect.sleep("10 millis")
        // It fails only where the request was withdrawn in this moment.
        yield* Effect.ignore(session.answerPermission(request.requestId, Permission.declined))
        continue
      }
      const row = yield* rowOf(request, state, now)
      const answer = answerOf(row)
      if (answer !== undefined) yield* give(session, request, answer)
      else if (row.state === "open") shown++
    }
    refusedBefore += refused
    return { permissions: yield* permissions.ofTurn(turn.turnId), held, refused: refusedBefore }
  })

  const refresh: Effect.Effect<void> = one.withPermits(1)(
    Effect.gen(function* () {
      const requests = yield* sync
      show(requests)
      const now = yield* Clock.currentTimeMillis
      for (const { deadlineAt, permissionId, state } of requests.permissions) {
        const deadline = `${permissionId} ${deadlineAt}`
        if (state !== "open" || awaited.has(deadline)) continue
        awaited.add(deadline)
        yield* later(refresh, Math.max(0, deadlineAt - now))
      }
    })
  )

  return {
    refresh,
    sent: Effect.fnUntraced(function* ({ requestId }) {
      const row = rows.get(requestId)
      if (row !== undefined) yield* permissions.markSent(row)
      // No other request can be taken for it any more.
      rows.delete(requestId)
    }),
    withdraw: Effect.fnUntraced(function* (request) {
      const known = yield* permissions.ofTurn(turn.turnId)
      const others = new Set(rows.values())
      // Asked again and withdrawn before it was looked at.
      const unseen = (row: PermissionRow) => row.fingerprint === fingerprint(request) && !others.has(row.permissionId)
      const row = rows.get(request.requestId) ?? known.find(unseen)?.permissionId
      if (row !== undefined) yield* permissions.withdraw(row)
      // Another one may take its place.
      yield* refresh
    }),
    outOfSight: ({ requestId }) => Effect.sync(() => void rows.delete(requestId)),
    connected: Effect.gen(function* () {
      const settled = (yield* permissions.ofTurn(turn.turnId)).filter((row) => !row.sent && answerOf(row) !== undefined)
      if (settled.length === 0) return
      const arrived = Effect.suspend(() => {
        const asked = new Set(rows.values())
        return Effect.forEach(
          settled.filter(({ permissionId }) => !asked.has(permissionId)),
          ({ permissionId }) => permissions.markSent(permissionId),
          { discard: true }
        )
      })
      yield* later(arrived, asksAgainWithin)
    })
  }
})

/** Within which a service repeats, on a new connection, what its agent still wants to know. */
const asksAgainWithin = "10 seconds"

/** A person may have answered what has a card; after a reconnect the requests can come in another order. */
const inOrder = (
  requests: ReadonlyArray<Permission.PermissionRequest>,
  all: ReadonlyArray<PermissionRow>,
  rows: ReadonlyMap<string, string>
): ReadonlyArray<Permission.PermissionRequest> => {
  if (requests.length <= mostShown) return requests
  const taken = new Set(rows.values())
  const free = new Set(
    all.filter(({ permissionId, sent }) => !sent && !taken.has(permissionId)).map((row) => row.fingerprint)
  )
  const [others, first] = Array.partition(requests, ({ requestId }) => rows.has(requestId))
  const [fresh, again] = Array.partition(others, (request) => free.size > 0 && free.has(fingerprint(request)))
  return [...first, ...again, ...fresh]
}

/** A request as it is stored first. */
const rowFor = (
  request: Permission.PermissionRequest,
  state: SessionState.SessionState,
  turn: DeskTurn,
  now: number
): NewPermission => {
  const asked = request.toolCall
  const toolCall = SessionState.toolCalls(state).findLast(({ toolCallId }) => toolCallId === asked?.toolCallId)
  return {
    permissionId: reference() + reference(),
    turnId: turn.turnId,
    threadId: turn.threadId,
    fingerprint: fingerprint(request),
    toolCallId: asked?.toolCallId ?? "",
    form: request.form,
    // The request's own words first: the tool call may have moved on, or be shared with another request.
    title: oneLine(request.message ?? asked?.title ?? toolCall?.title ?? "", 200),
    detail:
      request.questions.length > 0 || asked === undefined
        ? truncate(request.message ?? "", 3500)
        : detail(
            {
              content: asked.content ?? toolCall?.content,
              locations: asked.locations ?? toolCall?.locations,
              rawInput: asked.rawInput ?? toolCall?.rawInput
            },
            turn.messages.shown
          ),
    options: request.options.map(({ kind, name, optionId }) => ({ optionId, name, kind })),
    questions: request.questions,
    draft: Object.fromEntries(
      request.questions.flatMap(({ id, suggested }) => (suggested === undefined ? [] : [[id, suggested]]))
    ),
    deadlineAt: now + turn.patience,
    ...place(state, asked?.toolCallId)
  }
}

const give = (session: AcpSession, request: Permission.PermissionRequest, answer: Permission.Answer) =>
  session.answerPermission(request.requestId, answer).pipe(
    // Withdrawn in this moment; its withdrawal is on its way.
    Effect.catchTag("AlreadyAnswered", () => Effect.void),
    Effect.catchTag("InvalidChoice", (error) =>
      Effect.zipRight(
        Effect.logWarning("An answer does not fit the request any more", error.description),
        // A refusal always fits, and the agent does not wait for nothing.
        Effect.ignore(session.answerPermission(request.requestId, Permission.declined))
      )
    )
  )

const answerOf = ({ answer, state }: PermissionRow): Permission.Answer | undefined => {
  if (state === "expired") return Permission.expired
  if (state === "unshown") return Permission.declined
  if (state !== "answered" || answer === undefined) return undefined
  switch (answer._tag) {
    case "Selected":
      return Permission.selected(answer.optionId)
    case "Answered":
      return Permission.answered(answer.answers)
    case "Declined":
      return Permission.declined
  }
}

/** The same words of the agent have the same fingerprint; what was allowed is never taken for something else. */
const fingerprint = (request: Permission.PermissionRequest): string =>
  createHash("sha256")
    .update(JSON.stringify({ ...request, requestId: "" }))
    .digest("base64url")
    .slice(0, 22)
