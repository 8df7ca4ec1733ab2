import type { AcpSession } from "@heddle/acp/AcpSession"
import * as Permission from "@heddle/acp/Permission"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as MonotonicClock from "../../concurrency/MonotonicClock.ts"
import type { Task } from "../../model/Access.ts"
import type { PermissionRow } from "../../store/PermissionRow.ts"
import { Permissions } from "../../store/Permissions.ts"
import * as AnswerPolicy from "./AnswerPolicy.ts"

/**
 * Makes the function that sends an answer to the agent in the background; `onRefused` runs when it is not taken.
 * `isHandedOver`: the session took this answer, and did not answer by itself.
 */
export const makeDelivery = (
  session: AcpSession,
  deliveries: FiberSet.FiberSet<void>,
  onRefused: (row: PermissionRow) => Effect.Effect<void>
): { readonly deliver: Deliver; readonly isHandedOver: (requestId: string) => boolean } => {
  const handedOver = new Set<string>()
  const send = (requestId: string, row: PermissionRow, answer: Permission.Answer) => {
    // An answer that is on its way is handed over once more by the next refresh.
    const isFirst = !handedOver.has(requestId)
    handedOver.add(requestId)
    const forget = Effect.sync(() => void (isFirst && handedOver.delete(requestId)))
    return session.answerPermission(requestId, answer).pipe(
      Effect.catchTags({
        // The agent has just withdrawn it, or the turn was stopped.
        AlreadyAnswered: () => forget,
        InvalidChoice: ({ description }) =>
          Effect.logWarning("An answer does not fit the request any more", description).pipe(
            Effect.zipRight(forget),
            // A refusal always fits.
            Effect.zipRight(Effect.ignore(session.answerPermission(requestId, Permission.declined))),
            Effect.zipRight(onRefused(row))
          ),
        // After a new connection the agent may ask again: see `makeLossCheck`.
        AnswerNotDelivered: ({ reason }) => (reason === "refused" ? onRefused(row) : Effect.void)
      })
    )
  }
  return {
    deliver: ({ requestId }, row, answer) =>
      FiberSet.run(
        deliveries,
        Effect.suspend(() => send(requestId, row, answer))
      ),
    isHandedOver: (requestId) => handedOver.has(requestId)
  }
}

type Deliver = (
  request: Permission.PermissionRequest,
  row: PermissionRow,
  answer: Permission.Answer
) => Effect.Effect<unknown>

/** Makes the function that delivers a row's answer to the agent if the policy allows it, and returns the current row. */
export const makeDeliverIfAllowed = Effect.fnUntraced(function* (
  deliver: Deliver,
  task: Task,
  isConnected: () => boolean,
  refreshLater: (prepare: Effect.Effect<unknown>, ms: number) => Effect.Effect<unknown>
) {
  const permissions = yield* Permissions
  const policy = yield* Effect.context<AnswerPolicy.Requirements>()
  /** The rows about which the policy decides again later. */
  const undecidedIds = new Set<string>()
  const decideLater = Effect.fnUntraced(function* ({ deadlineAt, permissionId }: PermissionRow) {
    if (undecidedIds.has(permissionId)) return
    undecidedIds.add(permissionId)
    const untilDeadlineMs = Math.max(0, deadlineAt - (yield* MonotonicClock.now))
    const forget = Effect.sync(() => undecidedIds.delete(permissionId))
    yield* refreshLater(forget, Math.min(untilDeadlineMs, undecidedPauseMs))
  })
  return Effect.fnUntraced(function* (request: Permission.PermissionRequest, row: PermissionRow) {
    if (row.state === "answered" && !isConnected()) return row
    const decision =
      row.state === "answered" ? yield* Effect.provide(AnswerPolicy.decide(row, task), policy) : "Allowed"
    if (decision === "Undecided") {
      yield* decideLater(row)
      return row
    }
    const current =
      decision === "Reopened" ? Option.getOrElse(yield* permissions.find(row.permissionId), () => row) : row
    const answer = answerOf(current)
    // First in the row: after a crash nothing else tells that it may have gone out.
    if (current.state === "answered" && !current.handedOver) yield* permissions.markHandedOver(current.permissionId)
    if (answer !== undefined) yield* deliver(request, current, answer)
    return current
  })
})

/** The pause before the policy decides again after Discord returned no membership, in milliseconds. */
const undecidedPauseMs = 5000

const answerOf = ({ answer, state }: PermissionRow): Permission.Answer | undefined => {
  if (state === "expired") return Permission.expired
  if (state === "unshown") return Permission.declined
  // Its tool call has ended; an answer frees a service that still holds the request.
  if (state === "withdrawn") return Permission.cancelled
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
