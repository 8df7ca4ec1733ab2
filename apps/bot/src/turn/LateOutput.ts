import type * as AcpSession from "@heddle/acp/AcpSession"
import type * as SessionState from "@heddle/acp/SessionState"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { BotSettings } from "../model/BotSettings.ts"
import { Inbox } from "../store/Inbox.ts"
import { Posts } from "../store/Posts.ts"
import * as Projection from "./session/Projection.ts"
import * as StepOutputs from "./session/StepOutputs.ts"
import * as SessionHistory from "./session/history/SessionHistory.ts"
import { type ShownText, Turns } from "../store/Turns.ts"
import { type OpenTurn, rowOf } from "./OpenTurn.ts"

/** The session that late output is read from, and how much of it is shown. */
export interface LateOutputSource extends Beginning {
  readonly session: Pick<AcpSession.AcpSession, "changes" | "state">
  readonly isAtWork: Effect.Effect<boolean>
  /** The turn showed late output itself. */
  readonly isLateOutput: boolean
  /** The service offers files that the turn does not show. */
  readonly hasNewOffer: () => boolean
}

/** Where late output begins. */
interface Beginning {
  /** Where the turn begins to which it belongs. */
  readonly start: SessionHistory.Start
  readonly shown: ShownText
}

/**
 * Where the late output after a turn begins; undefined where nothing of the session is known. Where the prompt of this turn
 * did not go out, the late output belongs to the turn before, and `isOwn` is false.
 */
export const beginning = Effect.fn("LateOutput.beginning")(function* (turn: OpenTurn) {
  const { entry, state } = turn
  const { extent, session } = state.get()
  if (session === undefined) return undefined
  const row = yield* rowOf(turn)
  if (row.baseline !== undefined) {
    const shown = { ...SessionHistory.shownText(session, extent, entry), outputs: countOutputs(session, extent) }
    return { start: SessionHistory.lateStartOf(session, row.baseline), shown, isOwn: true }
  }
  const { baseline, shown } = (yield* (yield* Turns).neighbors(entry.eventId)).before ?? {}
  if (baseline === undefined || shown === undefined) return undefined
  return { start: SessionHistory.lateStartOf(session, baseline), shown, isOwn: false }
})

/** How many outputs of steps there are from a start on. */
export const countOutputs = (state: SessionState.SessionState, { skip }: SessionHistory.Start): number =>
  StepOutputs.countIn(Projection.entriesOfTurn(state, { skip }))

/**
 * Waits until the agent says or does more than was shown, or asks something, or its service offers files. Nothing where
 * none of that happens in time and the task is at rest.
 */
export const awaitLateOutput = Effect.fnUntraced(function* (source: LateOutputSource) {
  const { isAtWork, session } = source
  const { lateOutputMs } = yield* BotSettings
  const hasUnseen = hasUnseenOutput(source)
  // Posting the end takes time: what came meanwhile is read once.
  const arrivedMeanwhile = Effect.map(
    Effect.delay(session.state, "50 millis"),
    (state) => hasUnseen(state) || (!source.isLateOutput && state.permissions.length > 0)
  )
  const found = session.changes.pipe(
    Stream.map(
      (event) =>
        event._tag === "PermissionRequested" ||
        (event._tag === "StateChanged" && hasUnseen(event.state)) ||
        (event._tag === "Unknown" && source.hasNewOffer())
    ),
    Stream.merge(Stream.fromEffect(arrivedMeanwhile)),
    Stream.filter((isMore) => isMore),
    Stream.runHead,
    Effect.map((found) => (Option.isSome(found) ? ("LateOutput" as const) : ("Nothing" as const)))
  )
  const isAtRest = Effect.repeat(Effect.delay(isAtWork, lateOutputMs), { until: (isAtWork) => !isAtWork })
  return yield* Effect.raceFirst(found, Effect.as(isAtRest, "Nothing" as const))
})

const hasUnseenOutput =
  ({ hasNewOffer, shown, start }: LateOutputSource) =>
  (state: SessionState.SessionState): boolean =>
    hasNewOffer() ||
    SessionHistory.lateOutputText(state, start, shown) !== undefined ||
    countOutputs(state, start) > (shown.outputs ?? Infinity)

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
