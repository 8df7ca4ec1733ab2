import * as Effect from "effect/Effect"
import * as Guard from "../../access/Guard.ts"
import * as MonotonicClock from "../../concurrency/MonotonicClock.ts"
import type { Task } from "../../model/Access.ts"
import { AuditLog } from "../../store/AuditLog.ts"
import type { PermissionRow } from "../../store/PermissionRow.ts"
import { Permissions } from "../../store/Permissions.ts"
import * as AnswerDraft from "./AnswerDraft.ts"

/** What the handover of an answer needs. */
export type Requirements = AuditLog | Guard.Requirements | Permissions

/**
 * Decides whether the agent may get a stored answer, which may have waited for the service: each author must still be
 * allowed to answer. `Reopened`: the answer was taken back. `Undecided`: Discord returned no membership of the author,
 * and the answer stays for another try.
 */
export const decide = Effect.fn("AnswerPolicy.decide")(function* (
  row: PermissionRow,
  task: Task
): Effect.fn.Return<"Allowed" | "Reopened" | "Undecided", never, Requirements> {
  const permissions = yield* Permissions
  const authors = authorsOf(row)
  const decisions = yield* Effect.forEach(authors, (userId) =>
    Effect.map(
      // A new click came with the roles of its person.
      Guard.askPolicyAgain(
        userId,
        task.guildId,
        { _tag: "Approve", task },
        userId === row.answeredBy ? maxMemberAgeMs : 0
      ),
      (decision) => ({ userId, decision })
    )
  )
  const excludedIds = decisions
    .filter(({ decision }) => decision !== "allowed" && decision !== "indeterminate")
    .map(({ userId }) => userId)
  const now = yield* MonotonicClock.now
  if (excludedIds.length > 0) {
    yield* permissions.reopen(row.permissionId, AnswerDraft.withoutAnswersOf(row, excludedIds), excludedIds, now)
    return "Reopened"
  }
  if (decisions.every(({ decision }) => decision === "allowed")) {
    yield* record(row, task, authors)
    return "Allowed"
  }
  // A draft of several people stays complete, and a person sends it again.
  if (authors.length === 1 && now < row.deadlineAt) return "Undecided"
  yield* permissions.reopen(row.permissionId, row, [], now)
  return "Reopened"
})

/** The authors of an answer: the person who gave it, and the authors of the draft that it sends. */
const authorsOf = ({ answer, answeredBy, draftedBy }: PermissionRow): ReadonlyArray<string> => [
  ...new Set([
    ...(answeredBy === undefined ? [] : [answeredBy]),
    ...(answer?._tag === "Answered" ? Object.values(draftedBy).flat() : [])
  ])
]

const record = Effect.fnUntraced(function* (row: PermissionRow, task: Task, authors: ReadonlyArray<string>) {
  const { answer, answeredAt, answeredBy, permissionId, threadId, title } = row
  if (answer === undefined || answeredAt === undefined || answeredBy === undefined) return
  const otherAuthors = authors.filter((userId) => userId !== answeredBy)
  const allowed = AnswerDraft.allows(row, answer)
  yield* (yield* AuditLog).record({
    eventId: `${permissionId}:${answeredAt}`,
    guildId: task.guildId,
    at: answeredAt,
    actorId: answeredBy,
    threadId,
    action: {
      _tag: "Answered",
      title,
      ...(allowed === undefined ? {} : { allowed }),
      ...(otherAuthors.length === 0 ? {} : { with: otherAuthors })
    }
  })
})

/** How old an answer of Discord about the person who clicked may be, in milliseconds. */
const maxMemberAgeMs = 5000
