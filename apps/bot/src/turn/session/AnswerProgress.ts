import * as SessionState from "@heddle/acp/SessionState"
import * as Effect from "effect/Effect"
import type { PermissionRow } from "../../store/PermissionRow.ts"
import { Permissions } from "../../store/Permissions.ts"
import * as AnswerDraft from "./AnswerDraft.ts"

/** What the tool calls of requests show: that the agent went on with an answer, or waits for none any more. */
export interface AnswerProgress {
  /** Notes the status that the tool call of a request has when the agent asks. */
  readonly begin: (row: PermissionRow, state: SessionState.SessionState) => void
  /** Confirms the answers that the agent went on with, and withdraws open requests whose tool call has ended. */
  readonly apply: (state: SessionState.SessionState) => Effect.Effect<void>
  /** Whether a tool call has changed for which {@link AnswerProgress.apply} waits. */
  readonly hasChanged: (state: SessionState.SessionState) => boolean
}

/** Follows the tool calls of a turn's requests. */
export const make = Effect.fnUntraced(function* (turnId: string): Effect.fn.Return<AnswerProgress, never, Permissions> {
  const permissions = yield* Permissions
  /** The status of each row's tool call when it was asked, or first seen after a restart. */
  const statusesAtRequest = new Map<string, string | undefined>()
  /** The last status of the tool calls that matter. */
  let lastStatuses = new Map<string, string | undefined>()
  return {
    begin: (row, state) => void statusesAtRequest.set(row.permissionId, statusOf(state, row.toolCallId)),
    apply: Effect.fnUntraced(function* (state) {
      lastStatuses = new Map()
      for (const row of yield* permissions.ofTurn(turnId)) {
        const { permissionId, toolCallId } = row
        if (toolCallId === "" || !(row.state === "open" || isUnconfirmed(row))) continue
        const status = statusOf(state, toolCallId)
        lastStatuses.set(toolCallId, status)
        if (!statusesAtRequest.has(permissionId)) statusesAtRequest.set(permissionId, status)
        const before = statusesAtRequest.get(permissionId)
        if (row.state === "open") {
          if (status !== before && endStatuses.has(status)) yield* permissions.withdraw(permissionId)
        } else if (status === "completed" || (status !== before && progressStatuses.has(status))) {
          yield* permissions.markConfirmed(permissionId)
        }
      }
    }),
    hasChanged: (state) => [...lastStatuses].some(([toolCallId, status]) => statusOf(state, toolCallId) !== status)
  }
})

/** Whether an answer allows a tool call, and the agent has not shown yet that it went on with it. */
export const isUnconfirmed = ({ answer, confirmed, form, options, sent, state }: PermissionRow): boolean =>
  state === "answered" &&
  sent &&
  !confirmed &&
  form === "permission" &&
  answer?._tag === "Selected" &&
  AnswerDraft.allows({ options }, answer) === true

/** An agent that refuses a call by itself does not ask: one that failed after the answer was tried. */
const progressStatuses: ReadonlySet<string | undefined> = new Set(["in_progress", "failed"])

const endStatuses: ReadonlySet<string | undefined> = new Set(["completed", "failed", "cancelled"])

const statusOf = (state: SessionState.SessionState, toolCallId: string): string | undefined =>
  SessionState.toolCalls(state).findLast((call) => call.toolCallId === toolCallId)?.status
