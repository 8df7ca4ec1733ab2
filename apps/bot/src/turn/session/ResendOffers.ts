import type * as SessionState from "@heddle/acp/SessionState"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { messagesOf } from "../../discord/Bucket.ts"
import { DiscordApi } from "../../discord/DiscordApi.ts"
import { retryWhileUnavailable } from "../../discord/RetryPolicy.ts"
import { Inbox } from "../../store/Inbox.ts"
import { Posts } from "../../store/Posts.ts"
import { transaction } from "../../store/database/Transaction.ts"
import { type TurnRow, Turns } from "../../store/Turns.ts"
import { arrivedCard } from "../../view/Turn.ts"
import * as FirstFiles from "../FirstFiles.ts"
import { mayHavePrompt, type OpenTurn } from "../OpenTurn.ts"
import * as SessionHistory from "./history/SessionHistory.ts"

/** Withdraws the offers of a thread to send messages once more that the session has after all. */
export const withdrawArrived = Effect.fn("ResendOffers.withdrawArrived")(function* (
  turn: OpenTurn,
  session: SessionState.SessionState
) {
  for (const offering of yield* (yield* Turns).offeringResend(turn.thread.threadId)) {
    // The session holds the prompt of this turn whether or not it arrived.
    if (offering.turnId === turn.entry.eventId) continue
    if (yield* isShown(offering, session)) yield* withdraw(turn, offering)
  }
})

/** Whether the session has the message that a click sends once more with this turn. */
export const isNeedless = Effect.fn("ResendOffers.isNeedless")(function* (
  turn: OpenTurn,
  session: SessionState.SessionState
) {
  const { entry, thread } = turn
  const original = yield* (yield* Turns).resentBy(thread.threadId, entry.eventId)
  if (Option.isNone(original) || !(yield* isShown(original.value, session))) return false
  yield* withdraw(turn, original.value)
  return true
})

const isShown = Effect.fnUntraced(function* (row: TurnRow, session: SessionState.SessionState) {
  const entry = Option.getOrUndefined(yield* (yield* Inbox).find(row.turnId))
  if (entry === undefined || row.baseline === undefined || !mayHavePrompt(entry, row)) return false
  return SessionHistory.showsPrompt(session, row.baseline, entry.first ? entry.content : undefined, row.turnId)
})

/** Ends an offer in its row, then on its card. A card that keeps its button sends nothing any more. */
const withdraw = Effect.fnUntraced(function* (turn: OpenTurn, row: TurnRow) {
  const { ownerScope, messages, thread } = turn
  const { turnId } = row
  const entry = yield* (yield* Inbox).find(turnId)
  const offerFiles = Option.match(entry, {
    onNone: () => Effect.void,
    onSome: (entry) => (FirstFiles.haveNotLeft(entry, row) ? FirstFiles.offer(turn, entry) : Effect.void)
  })
  yield* transaction(Effect.zipRight((yield* Turns).markArrived(turnId), offerFiles))
  const { messageId } = (yield* (yield* Posts).ofTurn(turnId)).find(({ key }) => key === "end") ?? {}
  if (messageId === undefined) return
  const body = { content: "", embeds: [arrivedCard(messages)], rows: [] }
  const since = yield* Clock.currentTimeMillis
  yield* (yield* DiscordApi)
    .withSlot({ bucket: messagesOf(thread.threadId), rank: { priority: "routine", since } }, ({ edit }) =>
      edit(thread.threadId, messageId, body)
    )
    .pipe(
      retryWhileUnavailable,
      Effect.catchAll((error) =>
        Effect.logDebug("The card of a message that arrived still has its button", error.message)
      ),
      Effect.forkIn(ownerScope)
    )
})
