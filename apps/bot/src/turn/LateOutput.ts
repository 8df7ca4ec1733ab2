import type * as AcpSession from "@heddle/acp/AcpSession"
import type * as SessionState from "@heddle/acp/SessionState"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Inbox } from "../store/Inbox.ts"
import { Posts } from "../store/Posts.ts"
import * as Projection from "./session/Projection.ts"
import * as StepOutputs from "./session/StepOutputs.ts"
import * as SessionHistory from "./session/SessionHistory.ts"
import type { ShownText } from "../store/Turns.ts"

/** The session that late output is read from, and how much of it is shown. */
export interface LateOutputSource {
  readonly session: Pick<AcpSession.AcpSession, "changes" | "state">
  readonly start: SessionHistory.Start
  readonly shown: ShownText
  /** The turn showed late output itself. */
  readonly isLateOutput: boolean
  /** The service offers files that the turn does not show. */
  readonly hasNewOffer: () => boolean
}

/** How many outputs of steps there are from a start on. */
export const countOutputs = (state: SessionState.SessionState, { skip }: SessionHistory.Start): number =>
  StepOutputs.countIn(Projection.entriesOfTurn(state, { skip }))

/** How long the channel stays open for late output. */
export const listenDuration: Duration.DurationInput = "2 minutes"

/**
 * Waits until the agent says or does more than was shown, or asks something, or its service offers files; false when
 * nothing of that happens in time.
 */
export const awaitLateOutput = ({
  hasNewOffer,
  isLateOutput,
  session,
  shown,
  start
}: LateOutputSource): Effect.Effect<boolean> => {
  const hasUnseenOutput = (state: SessionState.SessionState) =>
    hasNewOffer() ||
    SessionHistory.lateOutputText(state, start, shown) !== undefined ||
    countOutputs(state, start) > (shown.outputs ?? Infinity)
  // Posting the end takes time: what came meanwhile is read once.
  const arrivedMeanwhile = Effect.map(
    Effect.delay(session.state, "50 millis"),
    (state) => hasUnseenOutput(state) || (!isLateOutput && state.permissions.length > 0)
  )
  return session.changes.pipe(
    Stream.map(
      (event) =>
        event._tag === "PermissionRequested" ||
        (event._tag === "StateChanged" && hasUnseenOutput(event.state)) ||
        (event._tag === "Unknown" && hasNewOffer())
    ),
    Stream.merge(Stream.fromEffect(arrivedMeanwhile)),
    Stream.filter((isMore) => isMore),
    Stream.runHead,
    Effect.timeoutOption(listenDuration),
    Effect.map((found) => Option.isSome(Option.flatten(found)))
  )
}

/**
 * Stores an entry whose turn shows the late output below everything in the thread. None where a message waits: its turn
 * shows the late output.
 */
export const enqueue = Effect.fn("LateOutput.enqueue")(function* (threadId: string) {
  const inbox = yield* Inbox
  if ((yield* inbox.countWaiting(threadId)) > 0) return Option.none<string>()
  const newest = Option.fromNullable(yield* (yield* Posts).newest(threadId))
  if (Option.isNone(newest)) return Option.none<string>()
  const eventId = idAfter(newest.value)
  yield* inbox.add({
    eventId,
    threadId,
    kind: "late_output",
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

/** The last id of the millisecond of a message, or of the next one, which Discord gives to no message. */
const idAfter = (id: string): string => {
  const last = BigInt(id) | 0x3f_ff_ffn
  return String(last === BigInt(id) ? last + (1n << 22n) : last)
}
