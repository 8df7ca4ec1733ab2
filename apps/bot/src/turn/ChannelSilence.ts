import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Scope from "effect/Scope"
import * as MonotonicClock from "../concurrency/MonotonicClock.ts"
import { Ticks } from "../concurrency/Ticks.ts"
import * as Trigger from "../concurrency/Trigger.ts"
import { BotSettings } from "../model/BotSettings.ts"
import { activity } from "./machine/Machine.ts"
import type { TaskStatus } from "./machine/State.ts"
import type { OpenTurn } from "./OpenTurn.ts"
import * as TaskCheck from "./session/TaskCheck.ts"
import type { TurnSession } from "./session/TurnSession.ts"
import { isSignOfLife, type TurnState } from "./TurnState.ts"

/** Tells for how long the channel of a turn has been silent, in milliseconds. An open request counts as a sign of life. */
export const make = (state: TurnState): Effect.Effect<() => number> =>
  Effect.map(Effect.clock, (clock) => {
    const now = () => MonotonicClock.read(clock)
    let heardAt = now()
    state.onChange((part) => {
      if (isSignOfLife(part)) heardAt = now()
    })
    const hasOpenRequest = () => (state.get().session?.permissions.length ?? 0) > 0
    return () => (hasOpenRequest() ? 0 : now() - heardAt)
  })

/**
 * Watches the channel while an effect awaits the end of a prompt: a channel without heartbeats may be silent for hours,
 * also when its server is gone. After each silence it reads the task's status. The turn is told when the run is over and
 * the channel has not said so. An open request keeps its connection. While the service is unreachable, the thread says so
 * and nothing ends.
 */
export const whileWatched = <A, E, R>(
  { events, messages, silentMs, state }: OpenTurn,
  session: TurnSession,
  prompt: Effect.Effect<A, E, R>
) =>
  Effect.scopedWith((scope) =>
    Effect.gen(function* () {
      const { channelSilenceMs } = yield* BotSettings
      let isTold = false
      const tell = (isAway: boolean) => {
        if (isAway === isTold) return
        isTold = isAway
        state.set({ notice: isAway ? { _tag: "Waiting", text: messages.waitingForService } : undefined })
      }
      // Last of all: a check may still tell something.
      yield* Scope.addFinalizer(
        scope,
        Effect.sync(() => tell(false))
      )
      const check = Effect.gen(function* () {
        const task = yield* Effect.either(session.readTask)
        tell(Either.isLeft(task) && TaskCheck.isServiceAway(task.left))
        if (Either.isLeft(task) || !mayRest(task.right.status)) return
        // The last words may still come.
        yield* Effect.sleep(lastWordsMs)
        if (silentMs() >= lastWordsMs) events.unsafeOffer({ _tag: "ChannelOutdated" })
      })
      const beginCheck = yield* Scope.extend(Trigger.make(check), scope)
      let checkedAfterMs = 0
      const ticks = yield* Ticks
      const onTick = () => {
        const ms = silentMs()
        if (ms < channelSilenceMs) {
          checkedAfterMs = 0
          tell(false)
        } else if (ms - checkedAfterMs >= channelSilenceMs) {
          checkedAfterMs = ms
          beginCheck()
        }
      }
      yield* Scope.extend(ticks.add(onTick), scope)
      return yield* prompt
    })
  )

/** How long the last words of a run may come after its end, in milliseconds. */
const lastWordsMs = 5000

/** The same for a caller that looks from time to time: what came between two looks counts as coming at the second. */
export const makeSilence = ({ silentMs }: TurnSession) =>
  Effect.map(MonotonicClock.now, (now) => {
    let askedAt = now
    let silentSince = now
    return Effect.map(MonotonicClock.now, (now) => {
      if (silentMs() < now - askedAt) silentSince = now
      askedAt = now
      return now - silentSince
    })
  })

/** Some tasks rest in `pending`; a request on this channel would be a sign of life. */
const mayRest = (status: TaskStatus): boolean => status === "Pending" || activity[status] !== "AtWork"
