import * as Effect from "effect/Effect"
import { transaction } from "../store/database/Transaction.ts"
import * as Guard from "../access/Guard.ts"
import type { Action } from "../model/Access.ts"
import { languageOf } from "../store/Languages.ts"
import { notSent } from "../messages/Refused.ts"
import { isLateOutput } from "./LateOutput.ts"
import { type Entry, Inbox } from "../store/Inbox.ts"
import { sendReply } from "../outbox/Replies.ts"
import { Replies } from "../store/Replies.ts"
import type { Thread } from "../store/Threads.ts"

/**
 * Takes a message out of the queue whose author may not say it any more, now that its turn has come, and tells why below
 * it.
 */
export const dropRefused = Effect.fn("Permitted.dropRefused")(function* (
  entry: Entry,
  thread: Thread,
  waited: boolean
) {
  // The prompt of a task was asked about right before its task was set going.
  if (entry.state !== "queued" || entry.first || isLateOutput(entry)) return
  const words = yield* refusal(entry, thread, waited ? 0 : undefined)
  if (words === undefined) return
  const { eventId, threadId } = entry
  const reply = { replyId: `n${eventId}`, channelId: threadId, messageId: eventId, body: { content: words } }
  const dropped = yield* transaction(
    Effect.tap((yield* Inbox).remove(eventId), (removed) =>
      removed ? Effect.flatMap(Replies, ({ owe }) => owe(reply)) : Effect.void
    )
  )
  if (dropped) yield* sendReply(reply)
})

/** Why a message may not be given to the agent; undefined when it may. */
export const refusal = Effect.fn("Permitted.refusal")(function* (
  entry: Entry,
  thread: Thread,
  within: number = moments
) {
  const { channelId, guildId } = thread
  const action: Action = entry.first ? { _tag: "StartTask", channelId, hidden: false } : { _tag: "Reply", task: thread }
  const ask = Guard.askAgain(entry.authorId, guildId, action, within)
  let decision = yield* ask
  // Discord may be away for a moment, and what waits is not lost for that.
  for (let more = 5; more > 0 && decision === "notKnown"; more--) {
    yield* Effect.sleep("2 seconds")
    decision = yield* ask
  }
  return decision === "allowed" ? undefined : notSent(yield* languageOf(guildId), entry.authorId, decision, action)
})

/** So long ago Discord may have told who somebody is, when nothing came in between. In milliseconds. */
const moments = 5000
