import type * as AcpSession from "@heddle/acp/AcpSession"
import type * as SessionState from "@heddle/acp/SessionState"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type Entry, Inbox } from "../store/Inbox.ts"
import { Posts } from "../store/Posts.ts"
import * as Projection from "./Projection.ts"
import type { Shown } from "../store/Turns.ts"

/** Whether an entry is no message: its turn shows what the agent says after the end of its answer. */
export const isLateOutput = ({ authorId }: Pick<Entry, "authorId">): boolean => authorId === ""

/** What was heard in a turn, and how much of it is shown. */
export interface Heard {
  readonly session: Pick<AcpSession.AcpSession, "changes" | "state">
  /** The pieces of the session that were there before the turn. */
  readonly skip: number
  readonly shown: Shown
  /** The turn showed late words itself. */
  readonly isLateOutput: boolean
}

/** For so long it is listened to an agent whose answer has ended. */
export const listens: Duration.DurationInput = "2 minutes"

/** Waits until the agent has said more than was shown, or asks something; false when it does not. */
export const listen = ({ isLateOutput, session, shown, skip }: Heard): Effect.Effect<boolean> => {
  const saysMore = (state: SessionState.SessionState) => Projection.late(state, skip, shown) !== undefined
  // The end of the answer took its time to be shown: what came meanwhile is looked for, too, but once only.
  const meanwhile = Effect.map(
    Effect.delay(session.state, "50 millis"),
    (state) => saysMore(state) || (!isLateOutput && state.permissions.length > 0)
  )
  return session.changes.pipe(
    Stream.map(
      (event) => event._tag === "PermissionRequested" || (event._tag === "StateChanged" && saysMore(event.state))
    ),
    Stream.merge(Stream.fromEffect(meanwhile)),
    Stream.filter((isMore) => isMore),
    Stream.runHead,
    Effect.timeoutOption(listens),
    Effect.map((found) => Option.isSome(Option.flatten(found)))
  )
}

/**
 * Stores that what the agent has said since its last answer is to be shown, as a turn below everything that is there;
 * none where a message waits, whose turn shows it.
 */
export const owe = Effect.fn("LateOutput.owe")(function* (threadId: string) {
  const inbox = yield* Inbox
  if ((yield* inbox.waiting(threadId)) > 0) return Option.none<string>()
  const newest = Option.fromNullable(yield* (yield* Posts).newest(threadId))
  if (Option.isNone(newest)) return Option.none<string>()
  const eventId = idAfter(newest.value)
  yield* inbox.add({
    eventId,
    threadId,
    authorId: "",
    authorName: "",
    content: "",
    attachments: [],
    first: false,
    late: false,
    receivedAt: yield* Clock.currentTimeMillis
  })
  return Option.some(eventId)
})

/** The last id of the millisecond of a message, or of the next one: Discord gives it to nothing. */
const idAfter = (id: string): string => {
  const last = BigInt(id) | 0x3f_ff_ffn
  return String(last === BigInt(id) ? last + (1n << 22n) : last)
}
