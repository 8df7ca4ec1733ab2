import * as Question from "@heddle/acp/Question"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as MonotonicClock from "../../concurrency/MonotonicClock.ts"
import { transaction, type Store } from "../../store/database/Transaction.ts"
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
export const AnswerCard: Component<Accounts | Permissions | Store | Threads | ThreadOwner.Requirements> = {
  id: /^[pq]1:/,
  answers: "quietly",
  // Select choices have to arrive before the send button; permission buttons are independent.
  orderingKey: ({ customId }) => (customId.startsWith("q1:") ? `question ${customId.split(":")[1]}` : undefined),
  action: (event) => approveAction(event),
  handle: Effect.fn("AnswerCard.handle")(function* ({ customId, reply, values }, messages) {
    const parsed = AnswerDraft.parse(customId, values)
    if (parsed === undefined) return Option.some(say(messages.buttonUnknown))
    const text = yield* answer(reply, messages, parsed.permissionId, parsed.action)
    return text === undefined ? Option.none() : Option.some(say(text))
  })
}

/** Opens the form for an answer in own words. */
export const WriteAnswer: Component<Accounts | Permissions | Threads> = {
  id: /^q1:[^:]+:w:/,
  answers: "withForm",
  action: (event) => approveAction(event),
  handle: Effect.fn("AnswerCard.writeAnswer")(function* ({ customId, values }, messages) {
    const parsed = AnswerDraft.parse(customId, values)
    if (parsed?.action._tag !== "Write") return say(messages.buttonUnknown)
    const row = yield* openRow(messages, parsed.permissionId)
    if (typeof row === "string") return say(row)
    const { questionIndex } = parsed.action
    const question = row.questions[questionIndex]
    if (question === undefined) return say(messages.answerSettled)
    const stored = AnswerDraft.writtenAnswer(question, Question.answerOf(row.draft, question.id))
    return QuestionCard.answerForm(parsed.permissionId, questionIndex, question, stored, messages)
  })
}

const approveAction = Effect.fnUntraced(function* ({
  customId,
  values
}: ComponentOrModalSubmit): Effect.fn.Return<Action, never, Permissions | Threads> {
  const parsed = AnswerDraft.parse(customId, values)
  const row = parsed === undefined ? Option.none() : yield* (yield* Permissions).find(parsed.permissionId)
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
  action: AnswerDraft.CardAction
) {
  const permissions = yield* Permissions
  const row = yield* openRow(messages, permissionId)
  if (typeof row === "string") return row
  const stored = yield* permissions.draft(permissionId, (row) => {
    const outcome = AnswerDraft.apply(row, action)
    if (outcome._tag !== "Draft") return undefined
    return { ...outcome.draft, draftedBy: AnswerDraft.draftedBy(row, action, outcome.draft, reply.userId) }
  })
  if (Option.isNone(stored)) return messages.answerSettled
  const result = AnswerDraft.apply(stored.value, action)
  if (result._tag === "InvalidAction") return messages.answerSettled
  if (result._tag === "Answer" && !(yield* settle(reply, row, result.answer))) {
    const problem = yield* openRow(messages, permissionId)
    return typeof problem === "string" ? problem : messages.answerSettled
  }
  yield* ThreadOwner.answered(row.threadId)
  if (result._tag === "Answer") return yield* whyTakenBack(stored.value, reply.userId, messages)
  if (result.problem === undefined) return undefined
  const { answerProblem, nothingAnswered } = messages.requestCards
  return messages.answerInvalid(
    result.problem._tag === "NothingAnswered" ? nothingAnswered : answerProblem(result.problem)
  )
})

/** Why the handover took an answer back: the policy refused an author, or could not decide. Undefined if it did not. */
const whyTakenBack = Effect.fnUntraced(function* (
  { draftedBy, permissionId }: PermissionRow,
  senderId: string,
  messages: Messages
) {
  const row = yield* (yield* Permissions).find(permissionId)
  if (Option.isNone(row) || row.value.state !== "open") return undefined
  const remainingIds = [senderId, ...Object.values(row.value.draftedBy).flat()]
  const droppedIds = new Set(
    Object.values(draftedBy)
      .flat()
      .filter((userId) => !remainingIds.includes(userId))
  )
  return droppedIds.size === 0 ? messages.answersKept : messages.answersDropped([...droppedIds])
})

/** Stores the final answer and its author; false when another outcome came first or the account has ended. */
const settle = Effect.fnUntraced(function* (reply: ReplyTo, row: PermissionRow, answer: PersonsAnswer) {
  const permissions = yield* Permissions
  const by = { by: reply.userId, at: yield* Clock.currentTimeMillis }
  const now = yield* MonotonicClock.now
  return yield* transaction(
    Effect.flatMap(unconnectedOwner(row), (ownerId) =>
      ownerId === undefined ? permissions.answer(row.permissionId, answer, by, now) : Effect.succeed(false)
    )
  )
})

/** The row of a card that can be answered, or why it cannot. */
const openRow = Effect.fnUntraced(function* (messages: Messages, permissionId: string) {
  const row = yield* (yield* Permissions).find(permissionId)
  if (Option.isNone(row)) return messages.answerSettled
  const now = yield* MonotonicClock.now
  const { deadlineAt, state } = row.value
  const isUndecided = (state === "open" || state === "withdrawn") && deadlineAt > now
  const thread = yield* (yield* Threads).find(row.value.threadId)
  if (isUndecided && Option.exists(thread, ({ closed }) => closed)) return messages.answerNotWaited
  const ownerId = isUndecided ? yield* unconnectedOwner(row.value) : undefined
  if (ownerId !== undefined) return messages.answerUnconnected(ownerId)
  return state !== "open" || deadlineAt <= now ? closedReason(row.value, now, messages) : row.value
})

/** The task's owner when their account is not connected, so the card cannot be answered. */
const unconnectedOwner = Effect.fnUntraced(function* ({ threadId }: PermissionRow) {
  const thread = yield* (yield* Threads).find(threadId)
  if (Option.isNone(thread)) return undefined
  const { ownerId } = thread.value
  return (yield* (yield* Accounts).isConnected(ownerId)) ? undefined : ownerId
})

const closedReason = (row: PermissionRow, now: number, messages: Messages): string => {
  if (row.state === "answered" && row.answeredBy !== undefined) return messages.answeredBefore(row.answeredBy)
  if (row.state === "undelivered") return messages.answerConnectionLost
  if (row.state === "expired" || row.deadlineAt <= now) return messages.answerTooLate
  return row.state === "withdrawn" ? messages.answerNotWaited : messages.answerSettled
}
