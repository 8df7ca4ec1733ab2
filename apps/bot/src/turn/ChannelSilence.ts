import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { BotSettings } from "../model/BotSettings.ts"
import type { Event } from "./machine/Event.ts"
import { activity } from "./machine/Machine.ts"
import type { TaskStatus } from "./machine/State.ts"
import type { OpenTurn } from "./OpenTurn.ts"
import type { TurnSession } from "./session/TurnSession.ts"

/**
 * Watches the channel of a running prompt: one without heartbeats may be silent for hours, also when its server is gone.
 * After each silence it reads the task's status. Completes when the run is over and the channel has not said so. An open
 * request keeps its connection. While the service is unreachable, the thread says so and nothing ends.
 */
export const awaitOutdated = Effect.fnUntraced(function* ({ messages, state }: OpenTurn, session: TurnSession) {
  const { channelSilenceMs } = yield* BotSettings
  const isSilentFor = makeIsSilentFor(session)
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
    yield* tell(Either.isLeft(task) && isAway(task.left))
    // The last words may still come.
    return Either.isRight(task) && isAtRest(task.right.status) && (yield* isSilentFor(5000))
  })
  return yield* isOutdated.pipe(
    Effect.repeat({ until: (isOutdated) => isOutdated }),
    Effect.ensuring(tell(false)),
    Effect.as<Event>({ _tag: "ChannelOutdated" })
  )
})

/** Tells how long a channel has been silent, each time that it is asked; an open request counts as a sign of life. */
export const makeSilence = Effect.fnUntraced(function* ({ acp }: TurnSession) {
  let lastState = yield* acp.state
  let changedAt = yield* Clock.currentTimeMillis
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const state = yield* acp.state
    if (state !== lastState || state.permissions.length > 0) changedAt = now
    lastState = state
    return now - changedAt
  })
})

const makeIsSilentFor =
  ({ acp }: TurnSession) =>
  (milliseconds: number) =>
    Effect.gen(function* () {
      const before = yield* acp.state
      yield* Effect.sleep(milliseconds)
      const after = yield* acp.state
      return after === before && after.permissions.length === 0
    })

const isAtRest = (status: TaskStatus): boolean => activity[status] !== "AtWork"

const isAway = ({ _tag }: { readonly _tag: string }): boolean =>
  _tag === "Unreachable" || _tag === "ServiceFailure" || _tag === "OutcomeUnknown"
