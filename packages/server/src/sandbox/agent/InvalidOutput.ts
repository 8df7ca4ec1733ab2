import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as AgentFailure from "./AgentFailure.ts"

/** Counts the invalid lines of an agent's output. */
export interface InvalidOutput {
  /** A message arrived. */
  readonly onValid: () => void
  /** An invalid line arrived; returns whether to log it. */
  readonly onInvalid: (sample: string) => boolean
  /** The beginning of the first invalid line. */
  readonly sample: () => string | undefined
  /** Fails when the agent has written several invalid lines for a while, and no message. */
  readonly fail: Effect.Effect<never, AgentFailure.AgentFailure>
}

/** `duration` is how long an agent may write only invalid lines. */
export const make = (agent: string, duration: Duration.Duration): Effect.Effect<InvalidOutput> =>
  Effect.map(Deferred.make<void>(), (enoughLines) => {
    const state: {
      first?: { readonly sample: string; readonly since: number }
      lines: number
      hasValidMessage: boolean
    } = {
      lines: 0,
      hasValidMessage: false
    }
    return {
      onValid: () => {
        state.hasValidMessage = true
      },
      onInvalid: (sample) => {
        state.first ??= { sample: sample.slice(0, 120), since: performance.now() }
        state.lines += 1
        if (state.lines === minInvalidLines) Deferred.unsafeDone(enoughLines, Effect.void)
        return state.lines <= maxLoggedLines
      },
      sample: () => state.first?.sample,
      fail: Deferred.await(enoughLines).pipe(
        Effect.andThen(() =>
          Effect.sleep(Math.max(0, (state.first?.since ?? 0) + Duration.toMillis(duration) - performance.now()))
        ),
        Effect.andThen(() =>
          state.hasValidMessage || state.first === undefined
            ? Effect.never
            : Effect.fail(AgentFailure.fromInvalidOutput(agent, state.first.sample))
        )
      )
    }
  })

/** Maximum number of invalid lines before the first valid message. */
const minInvalidLines = 3

/** More lines would only fill the log. */
const maxLoggedLines = 10
