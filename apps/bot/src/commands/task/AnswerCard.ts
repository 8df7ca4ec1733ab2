import * as Question from "@heddle/acp/Question"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { transaction, type Store } from "../../store/database/Transaction.ts"
import { AuditLog } from "../../store/AuditLog.ts"
import * as Guard from "../../access/Guard.ts"
import type { Action } from "../../model/Access.ts"
import { Accounts } from "../../access/Accounts.ts"
import type { ComponentOrModalSubmit, ReplyTo } from "../../discord/DiscordEvent.ts"
import type { Messages } from "../../messages/Messages.ts"
import * as AnswerDraft from "../../turn/session/AnswerDraft.ts"
import type { PersonsAnswer } from "../../store/PermissionRow.ts"
import type { PermissionRow } from "../../store/PermissionRow.ts"
import { Permissions } from "../../store/Permissions.ts"
import * as ThreadOwner from "../../turn/ThreadOwner.ts"
import { Threads } from "../../store/Threads.ts"
import * as QuestionCard from "../../view/QuestionCard.ts"
import { type Component, say } from "../Command.ts"

/** A card with a request of the agent; see {@link AnswerDraft.CardAction} for its ids. */
export const AnswerCard: Component<
  Accounts | AuditLog | Guard.Requirements | Permissions | Store | Threads | ThreadOwner.Requirements
> = {
  id: /^[pq]1:/,
  answers: "quietly",
  // Select choices have to arrive before the send button; permission buttons are independent.
  about: ({ customId }) => (customId.startsWith("q1:") ? `question ${customId.split(":")[1]}` : undefined),
  action: (event) => approving(event),
  handle: Effect.fn("AnswerCard.handle")(function* ({ customId, reply, values }, messages) {
    const found = AnswerDraft.parse(customId, values)
    if (found === undefined) return Option.some(say(messages.buttonUnknown))
    const words = yield* answer(reply, messages, found.permissionId, found.action)
    return words === undefined ? Option.none() : Option.some(say(words))
  })
}

/** Opens the form for an answer in own words. */
export const WriteAnswer: Component<Accounts | Permissions | Threads> = {
  id: /^q1:[^:]+:w:/,
  answers: "withForm",
  action: (event) => approving(event),
  handle: Effect.fn("AnswerCard.writeAnswer")(function* ({ customId, values }, messages) {
    const found = AnswerDraft.parse(customId, values)
    if (found?.action._tag !== "Write") return say(messages.buttonUnknown)
    const row = yield* openRow(messages, found.permissionId)
    if (typeof row === "string") return say(row)
    const { questionIndex: step } = found.action
    const question = row.questions[step]
    if (question === undefined) return say(messages.answerSettled)
    const before = AnswerDraft.writtenAnswer(question, Question.answerOf(row.draft, question.id))
    return QuestionCard.answerForm(found.permissionId, step, question, before, messages)
  })
}

const approving = Effect.fnUntraced(function* ({
  customId,
  values
}: ComponentOrModalSubmit): Effect.fn.Return<Action, never, Permissions | Threads> {
  const found = AnswerDraft.parse(customId, values)
  const row = found === undefined ? Option.none() : yield* (yield* Permissions).find(found.permissionId)
  const thread = Option.isNone(row) ? Option.none() : yield* (yield* Threads).find(row.value.threadId)
  return Option.match(thread, {
    onNone: () => ({ _tag: "NothingHere" }),
    onSome: (task) => ({ _tag: "Approve", task })
  })
})

/** One click wins; returns the text for the others. The turn updates the card from the row. */
const answer = Effect.fnUntraced(function* (
  reply: ReplyTo,
  messages: Messages,
  permissionId: string,
  act: AnswerDraft.CardAction
) {
  const permissions = yield* Permissions
  const open = yield* openRow(messages, permissionId)
  if (typeof open === "string") return open
  const now = yield* Clock.currentTimeMillis
  const before = yield* permissions.draft(permissionId, (row) => {
    const outcome = AnswerDraft.apply(row, act)
    if (outcome._tag !== "Draft") return undefined
    return { ...outcome.draft, draftedBy: AnswerDraft.draftedBy(row, act, outcome.draft, reply.userId) }
  })
  if (Option.isNone(before)) return messages.answerSettled
  const what = AnswerDraft.apply(before.value, act)
  if (what._tag === "Misfit") return messages.answerSettled
  const others = what._tag === "Answer" && what.answer._tag === "Answered" ? othersIn(before.value, reply.userId) : []
  const decisions = yield* mayStill(open.threadId, others)
  // Keep the input until Discord returns the person's roles.
  if (decisions.some(([, decision]) => decision === "indeterminate")) return messages.answersKept
  const gone = decisions.flatMap(([userId, decision]) => (decision === "allowed" ? [] : [userId]))
  if (gone.length > 0) {
    yield* permissions.draft(permissionId, (row) => AnswerDraft.withoutAnswersOf(row, gone))
    yield* ThreadOwner.answered(open.threadId)
    return messages.answersDropped(gone)
  }
  if (what._tag === "Answer" && !(yield* settle(reply, open, what.answer, others, now))) {
    const late = yield* openRow(messages, permissionId)
    return typeof late === "string" ? late : messages.answerSettled
  }
  yield* ThreadOwner.answered(open.threadId)
  if (what._tag !== "Draft" || what.problem === undefined) return undefined
  const { answerProblem, nothingAnswered } = messages.requestCards
  return messages.answerInvalid(what.problem._tag === "NothingAnswered" ? nothingAnswered : answerProblem(what.problem))
})

/** The other people who contributed answers to a draft. */
const othersIn = ({ draftedBy }: PermissionRow, userId: string): ReadonlyArray<string> =>
  [...new Set(Object.values(draftedBy).flat())].filter((each) => each !== userId)

/** Whether each of these people may still answer the agent of a thread. */
const mayStill = Effect.fnUntraced(function* (threadId: string, userIds: ReadonlyArray<string>) {
  const thread = yield* (yield* Threads).find(threadId)
  if (Option.isNone(thread)) return []
  const action: Action = { _tag: "Approve", task: thread.value }
  return yield* Effect.forEach(userIds, (userId) =>
    Effect.map(Guard.askPolicyAgain(userId, thread.value.guildId, action), (decision) => [userId, decision] as const)
  )
})

/** Stores the final answer and its author; false when another outcome came first or the account has ended. */
const settle = Effect.fnUntraced(function* (
  reply: ReplyTo,
  row: PermissionRow,
  answer: PersonsAnswer,
  others: ReadonlyArray<string>,
  now: number
) {
  const permissions = yield* Permissions
  const audit = yield* AuditLog
  const answered = Effect.flatMap(unconnected(row), (ownerId) =>
    ownerId === undefined ? permissions.answer(row.permissionId, answer, reply.userId, now) : Effect.succeed(false)
  )
  return yield* transaction(
    Effect.tap(answered, (won) =>
      won
        ? audit.record({
            eventId: reply.id,
            guildId: reply.guildId ?? "",
            at: now,
            actorId: reply.userId,
            threadId: row.threadId,
            action: {
              _tag: "Answered",
              title: row.title,
              allowed: AnswerDraft.allows(row, answer),
              ...(others.length === 0 ? {} : { with: others })
            }
          })
        : Effect.void
    )
  )
})

/** The row of a card that can be answered, or why it cannot. */
const openRow = Effect.fnUntraced(function* (messages: Messages, permissionId: string) {
  const row = yield* (yield* Permissions).find(permissionId)
  if (Option.isNone(row)) return messages.answerSettled
  const now = yield* Clock.currentTimeMillis
  const { deadlineAt, state } = row.value
  const undecided = (state === "open" || state === "withdrawn") && deadlineAt > now
  const thread = yield* (yield* Threads).find(row.value.threadId)
  if (undecided && Option.exists(thread, ({ closed }) => closed)) return messages.answerNotWaited
  const ownerId = undecided ? yield* unconnected(row.value) : undefined
  if (ownerId !== undefined) return messages.answerUnconnected(ownerId)
  return state !== "open" || deadlineAt <= now ? settled(row.value, now, messages) : row.value
})

/** The task's owner when their account is not connected, so the card cannot be answered. */
const unconnected = Effect.fnUntraced(function* ({ threadId }: PermissionRow) {
  const thread = yield* (yield* Threads).find(threadId)
  if (Option.isNone(thread)) return undefined
  const { ownerId } = thread.value
  return (yield* (yield* Accounts).isConnected(ownerId)) ? undefined : ownerId
})

const settled = (row: PermissionRow, now: number, messages: Messages): string => {
  if (row.state === "answered" && row.answeredBy !== undefined) return messages.answeredBefore(row.answeredBy)
  if (row.state === "expired" || row.deadlineAt <= now) return messages.answerTooLate
  return row.state === "withdrawn" ? messages.answerNotWaited : messages.answerSettled
}
