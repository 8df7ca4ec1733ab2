import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as AgentFailure from "./AgentFailure.ts"

/** Follows what an agent writes that is no message. */
export interface InvalidOutput {
  /** A message arrived. */
  readonly valid: () => void
  /** A line arrived that is no message; gives whether it is worth a line in the log. */
  readonly invalid: (sample: string) => boolean
  /** The beginning of the first such line. */
  readonly sample: () => string | undefined
  /** Fails when the agent has written several such lines for a while, and not one message. */
  readonly fail: Effect.Effect<never, AgentFailure.AgentFailure>
}

/** `patience` is how long an agent may write nothing but such lines. */
export const make = (agent: string, patience: Duration.Duration): Effect.Effect<InvalidOutput> =>
  Effect.map(Deferred.make<void>(), (several) => {
    const state: { first?: { readonly sample: string; readonly since: number }; lines: number; heard: boolean } = {
      lines: 0,
      heard: false
    }
    return {
      valid: () => {
        state.heard = true
      },
      invalid: (sample) => {
        state.first ??= { sample: sample.slice(0, 120), since: Date.now() }
        state.lines += 1
        if (state.lines === severalLines) Deferred.unsafeDone(several, Effect.void)
        return state.lines <= loggedLines
      },
      sample: () => state.first?.sample,
      fail: Deferred.await(several).pipe(
        Effect.andThen(() =>
          Effect.sleep(Math.max(0, (state.first?.since ?? 0) + Duration.toMillis(patience) - Date.now()))
        ),
        Effect.andThen(() =>
          state.heard || state.first === undefined
            ? Effect.never
            : Effect.fail(AgentFailure.noAgent(agent, state.first.sample))
        )
      )
    }
  })

/** Maximum number of invalid lines before the first valid message. */
const severalLines = 3

/** More of them would only fill the log. */
const loggedLines = 10
