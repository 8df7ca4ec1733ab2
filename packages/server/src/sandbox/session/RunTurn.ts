import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { isRecord, stringField } from "../../internal/Json.ts"
import * as AgentPrompt from "../attachments/AgentPrompt.ts"
import * as AttachmentFolder from "../attachments/AttachmentFolder.ts"
import * as WorkFiles from "../files/WorkFiles.ts"
import * as Choices from "./Choices.ts"
import * as FileOffers from "./FileOffers.ts"
import * as AgentFailure from "../agent/AgentFailure.ts"
import type { Turn, TurnOutcome } from "./SandboxEvent.ts"
import type { SessionContext } from "./SessionContext.ts"

/** The time of the agent's last output, in milliseconds of the monotonic clock. */
export interface Activity {
  lastActivityAt: number
}

/** Sends a prompt to the agent and waits for the end of its turn, which is offered as `TurnEnded`. */
export const run = (
  context: SessionContext,
  turn: Turn,
  activity: Activity,
  waitsForPerson: () => boolean
): Effect.Effect<void> => {
  const { attachments, folder, host, memory, offer, options, workFiles } = context
  /** Fails when the agent sends nothing for too long; time that it waits for a person does not count. */
  const failOnSilence = Effect.gen(function* () {
    const limit = Duration.toMillis(options.turnSilence)
    const remaining = () => {
      if (waitsForPerson()) activity.lastActivityAt = performance.now()
      return activity.lastActivityAt + limit - performance.now()
    }
    for (let wait = remaining(); wait > 0; wait = remaining()) yield* Effect.sleep(wait)
    yield* Effect.forkDaemon(host.stop)
    return yield* new AgentFailure.AgentFailure({
      reason: "silent",
      message: `The agent gave no sign of life for ${Math.round(limit / 60_000)} minutes, so the turn was ended. What it had done until then stays; nothing was charged. Send your message again to start the agent anew.`
    })
  })

  const preparePrompt = Effect.gen(function* () {
    const { initializeResponse } = yield* host.ready
    const files = yield* attachments.store(AgentPrompt.attachmentsOf(turn.blocks))
    yield* Choices.restore(context)
    yield* workFiles.beginTurn
    yield* workFiles.accept(files.map(({ name }) => `${AttachmentFolder.folderName}/${name}`))
    return AgentPrompt.make(turn.blocks, files, { initializeResponse, isFirst: !memory.knowsFolders })
  })

  return preparePrompt.pipe(
    Effect.flatMap((prompt) =>
      host.call("session/prompt", { prompt, ...(isRecord(turn.meta) ? { _meta: turn.meta } : {}) }, () => {
        turn.wasSent = true
        memory.knowsFolders = true
      })
    ),
    Effect.raceFirst(failOnSilence),
    Effect.match({
      onSuccess: (result): TurnOutcome => ({ _tag: "Answered", result: withStopReason(result) }),
      onFailure: (error): TurnOutcome => ({ _tag: "Failed", error })
    }),
    Effect.disconnect,
    Effect.raceFirst(Deferred.await(turn.abandoned)),
    Effect.flatMap((outcome) =>
      Effect.gen(function* () {
        const files = turn.wasSent ? yield* FileOffers.atTurnEnd(context) : WorkFiles.none
        // The files of a turn are published before its end.
        yield* folder.scan
        offer({ _tag: "TurnEnded", turn, outcome, files })
      })
    )
  )
}

/** A result without a stop reason counts as `end_turn`. */
const withStopReason = (result: unknown): unknown =>
  stringField(result, "stopReason") === undefined
    ? { ...(isRecord(result) ? result : {}), stopReason: "end_turn" }
    : result
