import { createHash } from "node:crypto"
import type { AcpSession } from "@heddle/acp/AcpSession"
import * as Permission from "@heddle/acp/Permission"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Messages } from "../messages/Messages.ts"
import { reference } from "../Reference.ts"
import { fit, oneLine } from "../view/Fit.ts"
import { type PermissionRow, Permissions } from "./Permissions.ts"
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
export interface Desk {
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

/** Makes an effect that syncs the requests of a turn and shows their rows; it runs by itself at each deadline, too. */
export const open = (
  session: AcpSession,
  turn: DeskTurn,
  show: (desk: Desk) => void
): Effect.Effect<void, never, Permissions | Scope.Scope> => {
  const awaited = new Set<string>()
  let refused = 0
  const refresh: Effect.Effect<void, never, Permissions | Scope.Scope> = Effect.gen(function* () {
    const desk = yield* sync(session, turn)
    refused += desk.refused
    show({ ...desk, refused })
    const now = yield* Clock.currentTimeMillis
    for (const { deadlineAt, permissionId, state } of desk.permissions) {
      const deadline = `${permissionId} ${deadlineAt}`
      if (state !== "open" || awaited.has(deadline)) continue
      awaited.add(deadline)
      yield* Effect.forkScoped(Effect.delay(refresh, Math.max(0, deadlineAt - now)))
    }
  })
  return refresh
}

/**
 * Brings the rows of a turn and the requests of its session together: new requests get a row, rows past their deadline
 * are refused, settled rows are handed to the agent. Requests are recognised by their content, since their ids change
 * with every connection. Of many that are open at once, the first are put before the person and the next ones wait.
 */
const sync = Effect.fn("PermissionDesk.sync")(function* (
  session: AcpSession,
  turn: DeskTurn
): Effect.fn.Return<Desk, never, Permissions> {
  const permissions = yield* Permissions
  const state = yield* session.state
  const now = yield* Clock.currentTimeMillis
  yield* permissions.expire(turn.turnId, now)
  let shown = 0
  let held = 0
  let refused = 0
  for (const request of knownFirst(state.permissions, yield* permissions.ofTurn(turn.turnId))) {
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
    const asked = request.toolCall
    const known = state.entries.find((entry) => entry._tag === "ToolCall" && entry.toolCallId === asked?.toolCallId)
    const toolCall = known?._tag === "ToolCall" ? known : undefined
    const row = yield* permissions.ask(
      {
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
            ? fit(request.message ?? "", 3500)
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
      },
      now
    )
    const answer = answerOf(row)
    if (answer === undefined) {
      if (row.state === "open") shown++
      continue
    }
    yield* session.answerPermission(request.requestId, answer).pipe(
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
  }
  return { permissions: yield* permissions.ofTurn(turn.turnId), held, refused }
})

/** The agent has the answer to a request. */
export const sent = Effect.fn("PermissionDesk.sent")(function* (turnId: string, request: Permission.PermissionRequest) {
  yield* (yield* Permissions).markSent(turnId, fingerprint(request))
})

/** Closes the row of a request that the agent withdrew. */
export const withdraw = Effect.fn("PermissionDesk.withdraw")(function* (
  turnId: string,
  request: Permission.PermissionRequest
) {
  yield* (yield* Permissions).withdraw(turnId, fingerprint(request))
})

/** A person may have answered what has a card; after a reconnect the requests can come in another order. */
const knownFirst = (
  requests: ReadonlyArray<Permission.PermissionRequest>,
  rows: ReadonlyArray<PermissionRow>
): ReadonlyArray<Permission.PermissionRequest> => {
  if (requests.length <= mostShown) return requests
  const known = new Set(rows.filter(({ sent }) => !sent).map((row) => row.fingerprint))
  const [others, first] = Array.partition(requests, (request) => known.has(fingerprint(request)))
  return [...first, ...others]
}

const answerOf = ({ answer, state }: PermissionRow): Permission.Answer | undefined => {
  if (state === "expired") return Permission.expired
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
