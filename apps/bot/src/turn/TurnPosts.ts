import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { DiscordClient } from "../discord/DiscordClient.ts"
import * as Post from "../model/Post.ts"
import * as Trigger from "../concurrency/Trigger.ts"
import * as Outbox from "../outbox/Outbox.ts"
import { Typing } from "../outbox/Typing.ts"
import { retryWhileStoreFails } from "../store/database/RetryPolicy.ts"
import { transaction } from "../store/database/Transaction.ts"
import { Inbox, isLateOutput } from "../store/Inbox.ts"
import { messagesFor } from "../store/Languages.ts"
import type { PermissionRow } from "../store/PermissionRow.ts"
import { Permissions } from "../store/Permissions.ts"
import { Turns } from "../store/Turns.ts"
import * as QueueView from "../view/Queue.ts"
import * as View from "../view/Turn.ts"
import { BotSettings } from "../model/BotSettings.ts"
import * as SilenceNotice from "./SilenceNotice.ts"
import * as FirstFiles from "./FirstFiles.ts"
import * as CardLinks from "./session/CardLinks.ts"
import type { TurnOutcome } from "./machine/State.ts"
import { type OpenTurn, type Signals, shut } from "./OpenTurn.ts"
import * as StatusTag from "./StatusTag.ts"
import * as TurnEnd from "./TurnEnd.ts"

/** The posts and the status tag of a turn in its thread. */
export interface TurnPosts {
  readonly outbox: Outbox.Outbox
  readonly tag: StatusTag.StatusTag
  /** Shows the messages that wait as their rows are now, in the language of the server. */
  readonly refreshQueue: () => void
}

/** Starts to show a turn in its thread; the scope ends it. */
export const open = Effect.fnUntraced(function* (turn: OpenTurn, signals: Signals) {
  const { entry, messages, state, thread } = turn
  const { threadId } = thread
  const { readsMessages } = yield* DiscordClient
  const turns = yield* Turns
  const language = yield* languageFor(turn)
  /** The key of the first post of the answer; it is a Discord reply to the prompt. */
  let answerKey: string | undefined
  const outbox = yield* Outbox.open({
    threadId,
    turnId: entry.eventId,
    isBackfill: entry.late,
    messages,
    shut: signals.threadShut,
    onShut: (reason) => shut(signals, reason),
    desiredPosts: (isPosted) => {
      const { messages, view } = language.now()
      const answer = view(state.conversation(), isPosted)
      answerKey = answer.find(({ key }) => !Post.isArtifactCard(key))?.key
      const showsMentionHint = entry.first && !readsMessages
      return {
        posts: [...postsBeforeAnswer(turn, messages, showsMentionHint), ...answer],
        isOutdated: state.isOutdated
      }
    },
    replyTo: (key) =>
      key !== answerKey || entry.first || entry.kind !== "message"
        ? Effect.succeed(undefined)
        : Effect.map(turns.isSeparated(entry.eventId), (apart) => (apart ? entry.eventId : undefined)),
    load: (file) => {
      if (file.base64 !== undefined) return Effect.succeed(Buffer.from(file.base64, "base64"))
      return file.text === undefined ? state.load(file) : Effect.succeed(Buffer.from(file.text))
    },
    onRefused: yield* rejectUndeliverable(turn)
  })
  const tag = yield* StatusTag.open(threadId, messages)
  const showsStatus = !isLateOutput(entry)
  if (showsStatus) tag.set("working")
  state.onChange((part) => {
    // Requests and their outcomes do not wait behind growing text.
    outbox.changed({ isUrgent: part.permissions !== undefined || part.notice !== undefined })
    if (showsStatus) tag.set(StatusTag.statusOf(state.get()))
  })
  if (showsStatus) {
    const { agentSilenceMs } = yield* BotSettings
    yield* SilenceNotice.watch(turn, agentSilenceMs, () => language.now().messages)
    yield* (yield* Typing).whileSilent(threadId, { changedAt: outbox.changedAt, isAtWork: () => isAtWork(turn) })
  }
  const refreshQueue = yield* Trigger.make(showQueue(turn, language.refresh))
  refreshQueue()
  return { outbox, tag, refreshQueue } satisfies TurnPosts
})

/** Stores the end of a turn, and waits until the thread shows it. */
export const showEnd = Effect.fnUntraced(function* (
  turn: OpenTurn,
  { outbox, tag }: TurnPosts,
  outcome: TurnOutcome,
  decidedAt: number
) {
  const { entry, state, thread, row } = turn
  const permissions = yield* Permissions
  const end = yield* TurnEnd.fromOutcome(turn, outcome, decidedAt)
  // Store the end before it is shown: after a restart it comes back as the outcome `Recorded`, and the turn shows the same
  // end again.
  const isStored = row.end !== undefined
  const storeEnd = isStored ? Effect.void : (yield* Turns).setEnd(entry.eventId, end)
  yield* transaction(Effect.zipRight(storeEnd, FirstFiles.follow(turn, outcome)))
  yield* permissions.endTurn(entry.eventId)
  state.set({
    notice: undefined,
    // The end lists the cards that the turn changed; only now are all changes and the messages of the cards known.
    cardLinks: yield* CardLinks.changedCardLinks(thread, row, state.get().cards),
    end,
    permissions: yield* permissions.ofTurn(entry.eventId)
  })
  yield* Effect.zipRight(outbox.flush, tag.flush)
})

/** The language of the server and the view in it; the server may change it during the turn. */
const languageFor = Effect.fnUntraced(function* ({ messages, thread, uploadLimit }: OpenTurn) {
  let current = { messages, view: View.view(thread.name, messages, uploadLimit) }
  return {
    now: () => current,
    refresh: Effect.map(messagesFor(thread.guildId), (messages) => {
      if (messages !== current.messages) current = { messages, view: View.view(thread.name, messages, uploadLimit) }
    })
  }
})

/** The posts before the answer: notices, and the queue while the turn runs. */
const postsBeforeAnswer = (
  { entry, row, state }: OpenTurn,
  messages: OpenTurn["messages"],
  showsMentionHint: boolean
) => {
  const { end, notice, permissions, waiting } = state.get()
  const until = notice?._tag === "Reconnect" ? "account" : permissions.some(isOpen) ? "question" : "answer"
  return [
    ...(entry.late ? [QueueView.backfillNotice(messages)] : []),
    // Files that the person has to send are announced by their card.
    ...(entry.kind === "files" && (row.end === undefined || row.prompted)
      ? [Post.text("attached", messages.filesFollow)]
      : []),
    ...(showsMentionHint ? [Post.text("mentions", messages.help.mentionsOnly)] : []),
    ...(end === undefined ? QueueView.queuePosts(waiting ?? noMessages, until, messages) : [])
  ]
}

const noMessages: QueueView.QueueSummary = { count: 0, hasSeveralAuthors: false, visible: [] }

const isOpen = ({ state }: PermissionRow): boolean => state === "open"

const isAtWork = ({ state }: OpenTurn): boolean => {
  const { end, notice, permissions } = state.get()
  return end === undefined && notice === undefined && !permissions.some(isOpen)
}

/** Rejects a request whose card Discord refuses, so that the agent continues. */
const rejectUndeliverable = ({ events }: OpenTurn) =>
  Effect.map(Permissions, (permissions) => (key: string) => {
    const permissionId = Post.requestIdOf(key)
    return permissionId === undefined
      ? Effect.void
      : Effect.flatMap(permissions.markUnshown(permissionId), (wasOpen) =>
          wasOpen ? Effect.asVoid(Queue.offer(events, { _tag: "AnswersChanged" })) : Effect.void
        )
  })

/** Makes the shown queue equal to its rows, in the language of the server. */
const showQueue = <R>({ state, thread }: OpenTurn, refreshLanguage: Effect.Effect<void, never, R>) =>
  Effect.gen(function* () {
    yield* retryWhileStoreFails("A language", refreshLanguage)
    const queued = (yield* Inbox).queued(thread.threadId, QueueView.maxVisible)
    const waiting = yield* retryWhileStoreFails("A queue", queued)
    const visible = waiting.visible.map((each) => ({ ...each, files: each.attachments.map(({ name }) => name) }))
    state.set({ waiting: { ...waiting, visible } })
  })
