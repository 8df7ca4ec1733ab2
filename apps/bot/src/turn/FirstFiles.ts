import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { idOfFiles } from "../discord/Snowflake.ts"
import { tell } from "../messages/Explain.ts"
import { Inbox, type InboxEntry } from "../store/Inbox.ts"
import { type TurnRow, Turns } from "../store/Turns.ts"
import type { TurnOutcome } from "./machine/State.ts"
import { type OpenTurn, rowOf } from "./OpenTurn.ts"

/** Whether the files of a first prompt did not go with it: the creation of a task takes words only. */
export const haveNotLeft = ({ attachments, first }: InboxEntry, { prompted }: TurnRow): boolean =>
  first && attachments.length > 0 && !prompted

/** The same for a turn that runs. */
export const areUnsent = (turn: OpenTurn): Effect.Effect<boolean, never, Turns> =>
  Effect.map(rowOf(turn), (row) => haveNotLeft(turn.entry, row))

/** Makes the files of a first prompt that went out without them the next entry of its thread, when its turn ends. */
export const follow = Effect.fn("FirstFiles.follow")(function* (turn: OpenTurn, outcome: TurnOutcome) {
  const fate = fateOf(outcome)
  if (fate === "None" || !(yield* areUnsent(turn))) return
  yield* add(turn, turn.entry, fate === "Offered")
})

/** Offers the files of a first prompt whose words are in the session after all. */
export const offer = Effect.fn("FirstFiles.offer")(function* (turn: OpenTurn, first: InboxEntry) {
  yield* add(turn, first, true)
})

/** What comes of the files after the turn of the words. After a run that did not end by itself, the person decides. */
const fateOf = (outcome: TurnOutcome): "Sent" | "Offered" | "None" => {
  switch (outcome._tag) {
    case "Answered":
      return "Sent"
    case "Recorded":
      // A failure was recorded together with what comes of the files.
      return outcome.end._tag === "Done" ? "Offered" : "None"
    // The offer to send the message once more has its files, and an ended task takes none.
    case "DeliveryUnknown":
    case "TaskEnded":
      return "None"
    default:
      return "Offered"
  }
}

const add = Effect.fnUntraced(function* ({ messages }: OpenTurn, first: InboxEntry, isOffered: boolean) {
  const eventId = idOfFiles(first.eventId)
  const now = yield* Clock.currentTimeMillis
  const isNew = yield* (yield* Inbox).add({
    eventId,
    threadId: first.threadId,
    kind: "files",
    authorId: first.authorId,
    authorName: first.authorName,
    content: "",
    attachments: first.attachments,
    first: false,
    late: false,
    receivedAt: now
  })
  if (!isNew || !isOffered) return
  const turns = yield* Turns
  yield* turns.begin(eventId, first.threadId, now)
  yield* turns.setEnd(eventId, { _tag: "Failed", text: tell(messages, messages.failures.filesNotSent), resend: true })
})
