import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { isRecord, stringField } from "../../internal/Json.ts"
import * as AgentFailure from "../agent/AgentFailure.ts"
import type { Turn, TurnOutcome } from "./SandboxEvent.ts"
import type { SessionContext } from "./SessionContext.ts"

/** The last sign of life of the agent, in epoch milliseconds. */
export interface Activity {
  heardAt: number
}

/** Sends a prompt to the agent and waits for the end of its turn, which is offered as `TurnEnded`. */
export const run = (
  { folder, host, offer, options }: SessionContext,
  turn: Turn,
  activity: Activity,
  waitsForPerson: () => boolean
): Effect.Effect<void> => {
  /** Fails when the agent has given no sign of life for too long; waiting for a person is no silence. */
  const silence = Effect.gen(function* () {
    const limit = Duration.toMillis(options.turnSilence)
    const left = () => {
      if (waitsForPerson()) activity.heardAt = Date.now()
      return activity.heardAt + limit - Date.now()
    }
    for (let wait = left(); wait > 0; wait = left()) yield* Effect.sleep(wait)
    yield* Effect.forkDaemon(host.stop)
    return yield* new AgentFailure.AgentFailure({
      reason: "silent",
      message: `The agent gave no sign of life for ${Math.round(limit / 60_000)} minutes, so the turn was ended. What it had done until then stays; nothing was charged. Send your message again to start the agent anew.`
    })
  })

  return host
    .call("session/prompt", { prompt: turn.blocks }, () => {
      turn.sent = true
    })
    .pipe(
      Effect.raceFirst(silence),
      Effect.match({
        onSuccess: (result): TurnOutcome => ({ _tag: "Answered", result: withStopReason(result) }),
        onFailure: (error): TurnOutcome => ({ _tag: "Failed", error })
      }),
      Effect.disconnect,
      Effect.raceFirst(Deferred.await(turn.abandoned)),
      // The files of a turn are published before its end.
      Effect.tap(() => folder.scan),
      Effect.map((outcome) => offer({ _tag: "TurnEnded", turn, outcome }))
    )
}

/** An answer that names no reason is the plain end of a turn. */
const withStopReason = (result: unknown): unknown =>
  stringField(result, "stopReason") === undefined
    ? { ...(isRecord(result) ? result : {}), stopReason: "end_turn" }
    : result
