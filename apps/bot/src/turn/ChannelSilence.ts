import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as MonotonicClock from "../concurrency/MonotonicClock.ts"
import { BotSettings } from "../model/BotSettings.ts"
import type { Event } from "./machine/Event.ts"
import { activity } from "./machine/Machine.ts"
import type { TaskStatus } from "./machine/State.ts"
import type { OpenTurn } from "./OpenTurn.ts"
import * as TaskCheck from "./session/TaskCheck.ts"
import type { TurnSession } from "./session/TurnSession.ts"
import { isSignOfLife, type TurnState } from "./TurnState.ts"

/** Tells for how long the channel of a turn has been silent, in milliseconds. An open request counts as a sign of life. */
export const make = (state: TurnState): Effect.Effect<Effect.Effect<number>> =>
  Effect.map(Effect.clock, (clock) => {
    const now = () => MonotonicClock.read(clock)
    let heardAt = now()
    state.onChange((part) => {
      if (isSignOfLife(part)) heardAt = now()
    })
    const hasOpenRequest = () => (state.get().session?.permissions.length ?? 0) > 0
    return Effect.sync(() => (hasOpenRequest() ? 0 : now() - heardAt))
  })

/**
 * Watches the channel of a running prompt: one without heartbeats may be silent for hours, also when its server is gone.
 * After each silence it reads the task's status. Completes when the run is over and the channel has not said so. An open
 * request keeps its connection. While the service is unreachable, the thread says so and nothing ends.
 */
export const awaitOutdated = Effect.fnUntraced(function* (
  { messages, silentMs, state }: OpenTurn,
  session: TurnSession
) {
  const { channelSilenceMs } = yield* BotSettings
  const isSilentFor = (limitMs: number) => Effect.map(Effect.delay(silentMs, limitMs), (ms) => ms >= limitMs)
  let isTold = false
  const tell = (isAway: boolean) =>
    Effect.sync(() => {
      if (isAway === isTold) return
      isTold = isAway
      state.set({ notice: isAway ? { _tag: "Waiting", text: messages.waitingForService } : undefined })
    })
  const isOutdated = Effect.gen(function* () {
    if (!(yield* isSilentFor(channelSilenceMs))) return yield* Effect.as(tell(false), false)
    const task = yield* Effect.either(session.readTask)
    yield* tell(Either.isLeft(task) && TaskCheck.isServiceAway(task.left))
    // The last words may still come.
    return Either.isRight(task) && mayRest(task.right.status) && (yield* isSilentFor(5000))
  })
  return yield* isOutdated.pipe(
    Effect.repeat({ until: (isOutdated) => isOutdated }),
    Effect.ensuring(tell(false)),
    Effect.as<Event>({ _tag: "ChannelOutdated" })
  )
})

/** The same for a caller that looks from time to time: what came between two looks counts as coming at the second. */
export const makeSilence = ({ silentMs }: TurnSession) =>
  Effect.map(MonotonicClock.now, (now) => {
    let askedAt = now
    let silentSince = now
    return Effect.zipWith(silentMs, MonotonicClock.now, (ms, now) => {
      if (ms < now - askedAt) silentSince = now
      askedAt = now
      return now - silentSince
    })
  })

/** Some tasks rest in `pending`; a request on this channel would be a sign of life. */
const mayRest = (status: TaskStatus): boolean => status === "Pending" || activity[status] !== "AtWork"
