import * as Question from "@heddle/acp/Question"
import type * as SessionState from "@heddle/acp/SessionState"
import * as Post from "../../model/Post.ts"
import {
  type AgentRequest,
  type AnswerDelivery,
  type ToolCallStep,
  isUnfinished,
  type Item,
  maxSteps,
  type Outcome
} from "../../model/Conversation.ts"
import type { PermissionRow } from "../../store/PermissionRow.ts"
import * as AgentAttachments from "./AgentAttachments.ts"
import * as AnswerDraft from "./AnswerDraft.ts"
import * as AnswerProgress from "./AnswerProgress.ts"
import * as ItemIds from "./ItemIds.ts"
import { type Extent, lateOutputText } from "./history/SessionHistory.ts"
import { isPrompt } from "./history/SessionPrompts.ts"
import * as SessionPlace from "./history/SessionPlace.ts"

/**
 * How a turn ended, when nothing but the session tells: a service that ended a turn, or whose agent confirmed a stop, adds
 * a last notice.
 */
export const stopReason = (
  state: SessionState.SessionState,
  extent: Extent
): "cancelled" | "end_turn" | "interrupted" => {
  const last = entriesOfTurn(state, extent).at(-1)
  if (last?._tag !== "Message" || !isServiceNotice(last)) return "end_turn"
  return isStopNotice(last) ? "cancelled" : "interrupted"
}

/** Whether the last word of a turn is a notice of the service, which says why the turn ended. */
export const endsWithNotice = (state: SessionState.SessionState, extent: Extent): boolean => {
  const last = entriesOfTurn(state, extent).at(-1)
  return last?._tag === "Message" && isServiceNotice(last)
}

const isServiceNotice = ({ meta, role }: SessionState.Message): boolean =>
  role === "agent" && meta?.["heddle/notice"] === true

/** The end of the turn says the same. */
const isStopNotice = ({ meta }: SessionState.Message): boolean => meta?.["heddle/about"] === "cancelled"

/** What the agent said and did in a turn, as the session has it. */
export const entriesOfTurn = (state: SessionState.SessionState, { skip, until }: Extent) =>
  state.entries.filter((entry) => !isPrompt(entry)).slice(skip, until)

/** Where a request stands that is asked now: after what the agent has said and done so far. */
export const placeInSession = (
  state: SessionState.SessionState,
  toolCallId: string | undefined
): SessionPlace.Place => {
  const entries = state.entries.filter((entry) => !isPrompt(entry))
  // What is known of a tool call by its request alone is not in a replay.
  const own = entries.findLastIndex((entry) => entry._tag === "ToolCall" && entry.toolCallId === toolCallId)
  return SessionPlace.placeAfter(own === -1 ? entries : entries.slice(0, own))
}

/** Whether the agent said or did something after a request was asked: then it no longer waits for the answer. */
export const hasGoneOn = (state: SessionState.SessionState, row: PermissionRow): boolean => {
  const isOwn = (entry: SessionState.Entry) => entry._tag === "ToolCall" && entry.toolCallId === row.toolCallId
  const hasEnded = (entry: SessionState.Entry) => entry._tag === "ToolCall" && !isUnfinished(entry.status)
  if (state.entries.some((entry) => isOwn(entry) && hasEnded(entry))) return true
  const others = state.entries.filter((entry) => !isPrompt(entry) && !isOwn(entry))
  const { afterChars, afterEntries } = SessionPlace.relocate(others, row)
  const last = others.at(-1)
  if (others.length !== afterEntries) return others.length > afterEntries
  return last?._tag === "Message" && last.text.length > afterChars
}

/**
 * What the agent said and did in a turn, with each request after its tool call, or where it was asked. Messages that are
 * known to say anything are noted in `nonBlankIds`, since to look at a long text that has grown is to copy it.
 */
export const items = (
  state: SessionState.SessionState,
  { alreadyShown, idPrefix = "", lateOutput, posted, skip, skippedChars = 0, until }: Extent,
  permissions: ReadonlyArray<PermissionRow>,
  nonBlankIds = new Set<string>()
): ReadonlyArray<Item> => {
  if (alreadyShown !== undefined) {
    const text = lateOutputText(state, { skip, skippedChars }, alreadyShown)
    return [
      ...(text === undefined ? [] : [{ _tag: "AgentMessage", id: Post.lateTextId, text } as const]),
      ...permissions.map(toRequest)
    ]
  }
  const entries = state.entries.filter((entry) => !isPrompt(entry)).slice(0, until)
  const requestedCallIds = requestedCalls(entries, skip, permissions)
  const shownCallIds = new Set(requestedCallIds)
  /** Calls below which their requests stand already, where a second prompt of the turn has one with the same id. */
  const callsWithRequests = new Set<string>()
  const permissionsByCall = groupBy(permissions, ({ toolCallId }) => toolCallId)
  /** Whether the card of a request stands above all that the session has of the turn. */
  const isAbove = ({ permissionId }: PermissionRow) =>
    idPrefix !== "" && posted?.has(Post.requestCardKey(permissionId)) === true
  const unattached = permissions
    .filter(({ toolCallId }) => !requestedCallIds.has(toolCallId))
    .map((row) => (isAbove(row) ? { ...row, afterEntries: 0 } : SessionPlace.relocate(entries, row)))
  const permissionsAfterEntry = groupBy(unattached, ({ afterEntries }) => afterEntries)
  /** Whether the line of a request's tool call has a post, or may get one: above, it may be a line among others. */
  const hasOwnLine = (row: PermissionRow) => !isAbove(row) || posted?.has(`tools:tool:${row.toolCallId}`) === true
  /** The calls of open requests: one may not have its row yet. */
  const openCallIds = new Set(state.permissions.map(({ toolCall }) => toolCall?.toolCallId))
  const ids = ItemIds.make(idPrefix, posted)
  const result: Array<Item> = []
  const stepCollector = makeStepCollector()
  const push = (item: Item) => void result.push(...stepCollector.end(), item)
  const pushRequests = (rows: ReadonlyArray<PermissionRow> = []) => {
    for (const row of rows) {
      const { title, toolCallId } = row
      if (toolCallId !== "" && !shownCallIds.has(toolCallId)) {
        // A replay does not tell of a tool call that is known by its request alone.
        shownCallIds.add(toolCallId)
        if (hasOwnLine(row)) push({ _tag: "ToolCallStep", id: `tool:${toolCallId}`, title, status: "pending" })
      }
      push(toRequest(row))
    }
  }
  if (lateOutput !== undefined) push({ _tag: "AgentMessage", id: Post.lateTextId, text: lateOutput })
  pushRequests(unattached.filter(({ afterEntries }) => afterEntries <= skip))
  for (let index = skip; index < entries.length; index++) {
    const entry = entries[index]
    const requestsHere = permissionsAfterEntry.get(index + 1)
    switch (entry?._tag) {
      case "Message":
        if (isServiceNotice(entry)) {
          if (!isStopNotice(entry)) push({ _tag: "Remark", id: idPrefix + entry.key, text: entry.text.trim() })
          pushRequests(requestsHere)
        } else if (entry.role !== "thought") {
          const from = index === skip ? skippedChars : 0
          const { cuts, idAt } = ids.ofMessage(entry, from)
          const attachments = AgentAttachments.ofMessage(idAt(from), entry.content).filter(
            ({ at }) => from === 0 || at > from
          )
          const message = { idAt, cuts, text: entry.text, from, attachments }
          pushMessage(message, requestsHere ?? [], push, pushRequests, nonBlankIds)
        } else pushRequests(requestsHere)
        break
      case "Notice": {
        const text = entry.description === undefined ? entry.title : `${entry.title}: ${entry.description}`
        push({ _tag: "Remark", id: idPrefix + entry.key, text })
        pushRequests(requestsHere)
        break
      }
      case "ToolCall": {
        const own = callsWithRequests.has(entry.toolCallId) ? undefined : permissionsByCall.get(entry.toolCallId)
        callsWithRequests.add(entry.toolCallId)
        // A call with a request is known by its id: its line stays, also where a replay did not tell of the call.
        const id = ids.ofCall(entry)
        const isKnown = openCallIds.has(entry.toolCallId) || posted?.has(`tools:${id}`) !== true
        if (own === undefined) stepCollector.add(withKey(entry, isKnown ? id : idPrefix + id))
        else if (own.every(hasOwnLine)) push(toStep(withKey(entry, id), own[0]?.title))
        for (const attachment of AgentAttachments.ofToolCall(idPrefix + id, entry)) push(attachment)
        pushRequests(own)
        pushRequests(requestsHere)
      }
    }
  }
  pushRequests(unattached.filter(({ afterEntries }) => afterEntries > Math.max(skip, entries.length)))
  return [...result, ...stepCollector.end()]
}

const withKey = (call: SessionState.ToolCall, key: string): SessionState.ToolCall =>
  call.key === key ? call : { ...call, key }

const toStep = (call: SessionState.ToolCall, requestTitle?: string): ToolCallStep => ({
  _tag: "ToolCallStep",
  id: call.key,
  title: call.title === "" ? (requestTitle ?? call.name ?? call.kind) : call.title,
  status: call.status
})

/** Tool calls that follow each other: of many the first, by which they are known, and the newest. */
const makeStepCollector = () => {
  let calls: Array<SessionState.ToolCall> = []
  let skipped = 0
  return {
    add: (call: SessionState.ToolCall): void => {
      if (calls.push(call) <= 4 * maxSteps) return
      skipped += calls.length - 1 - maxSteps
      calls = [...calls.slice(0, 1), ...calls.slice(-maxSteps)]
    },
    end: (): ReadonlyArray<ToolCallStep> => {
      if (calls.length === 0) return []
      const shown = calls.map((call, index) =>
        index === 1 && skipped > 0 ? { ...toStep(call), skipped } : toStep(call)
      )
      calls = []
      skipped = 0
      return shown
    }
  }
}

const groupBy = <A, K>(all: ReadonlyArray<A>, keyOf: (each: A) => K): ReadonlyMap<K, ReadonlyArray<A>> => {
  const groups = new Map<K, Array<A>>()
  for (const each of all) {
    const key = keyOf(each)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [each])
    else group.push(each)
  }
  return groups
}

/** The tool calls of the turn that requests are about. */
const requestedCalls = (
  entries: ReadonlyArray<SessionState.Entry>,
  skip: number,
  permissions: ReadonlyArray<PermissionRow>
): ReadonlySet<string> => {
  const requestedIds = new Set(permissions.map(({ toolCallId }) => toolCallId))
  const calls = new Set<string>()
  if (requestedIds.size === 0) return calls
  for (let index = skip; index < entries.length; index++) {
    const entry = entries[index]
    if (entry?._tag === "ToolCall" && requestedIds.has(entry.toolCallId)) calls.add(entry.toolCallId)
  }
  return calls
}

/** A message after `from`, with its files in their places; what was said after a question was asked stands below it. */
const pushMessage = (
  message: {
    readonly idAt: (from: number) => string
    /** Where posts of the text begin that are in the thread already. */
    readonly cuts: ReadonlyArray<number>
    readonly text: string
    readonly from: number
    readonly attachments: ReturnType<typeof AgentAttachments.ofMessage>
  },
  rows: ReadonlyArray<PermissionRow>,
  push: (item: Item) => void,
  ask: (rows: ReadonlyArray<PermissionRow>) => void,
  nonBlankIds: Set<string>
): void => {
  const pushText = (from: number, to?: number) => {
    const text = from === 0 && to === undefined ? message.text : message.text.slice(from, to)
    const id = message.idAt(from)
    if (text === "" || (!nonBlankIds.has(id) && !/\S/.test(text))) return
    if (to === undefined) nonBlankIds.add(id)
    push({ _tag: "AgentMessage", id, text })
  }
  let { from } = message
  const insertions = [
    ...message.attachments.map(({ at, attachment }) => ({ at, insert: () => push(attachment) })),
    ...message.cuts.map((at) => ({ at, insert: () => undefined })),
    ...rows.map((row) => ({ at: row.afterChars, insert: () => ask([row]) }))
  ]
  for (const { at, insert } of insertions.toSorted((a, b) => a.at - b.at)) {
    const to = Math.max(from, Math.min(at, message.text.length))
    pushText(from, to)
    insert()
    from = to
  }
  pushText(from)
}

/** The closed requests of a turn: they are shown before its session is loaded. */
export const closedRequests = (permissions: ReadonlyArray<PermissionRow>): ReadonlyArray<Item> =>
  permissions.filter(({ state }) => state !== "open").map(toRequest)

const toRequest = (row: PermissionRow): AgentRequest => ({
  _tag: "AgentRequest",
  id: row.permissionId,
  form: row.form,
  title: row.title,
  detail: row.detail,
  ...(row.wholeDetail === undefined ? {} : { wholeDetail: row.wholeDetail }),
  options: row.options,
  questions: row.questions,
  draft: row.draft,
  questionIndex: row.questionIndex,
  optionPage: row.optionPage,
  deadline: row.deadlineAt,
  outcome: outcomeOf(row)
})

const outcomeOf = (row: PermissionRow): Outcome => {
  const { answer, answeredAt, answeredBy, handedOver, options, questions, removedAuthors, sent, state } = row
  if (state === "open") {
    if (handedOver) return { _tag: "Open", mayHaveArrived: true }
    return { _tag: "Open", ...(removedAuthors === undefined ? {} : { removedAuthors }) }
  }
  if (state === "expired") return { _tag: "Expired", isRefused: sent }
  if (state === "unshown") return { _tag: "Unshown" }
  if (state === "undelivered" && answer === undefined) return { _tag: "ConnectionLost" }
  if (state === "withdrawn" || answer === undefined) return { _tag: "Withdrawn" }
  const delivery = deliveryOf(row)
  const answered = {
    _tag: "Answered",
    answeredBy: answeredBy ?? "",
    answeredAt: answeredAt ?? 0,
    ...(delivery === undefined ? {} : { delivery })
  } as const
  switch (answer._tag) {
    case "Selected": {
      const option = options.find(({ optionId }) => optionId === answer.optionId)
      const what = [{ question: undefined, answer: option?.name ?? answer.optionId }]
      return { ...answered, answers: what, allowed: AnswerDraft.allows(row, answer) }
    }
    case "Declined":
      return { ...answered, answers: [], allowed: false }
    case "Answered": {
      const what = questions.flatMap((question) => {
        const value = Question.answerOf(answer.answers, question.id)
        return value === undefined ? [] : [{ question, answer: value }]
      })
      return { ...answered, answers: what, allowed: true }
    }
  }
}

const deliveryOf = (row: PermissionRow): AnswerDelivery | undefined => {
  if (!row.sent) return row.state === "undelivered" ? "NotConfirmed" : "Sending"
  return AnswerProgress.isUnconfirmed(row) ? "Sent" : undefined
}
