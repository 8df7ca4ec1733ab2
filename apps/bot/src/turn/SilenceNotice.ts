import type * as SessionState from "@heddle/acp/SessionState"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Messages } from "../messages/Messages.ts"
import type { Snapshot, TurnState } from "./TurnState.ts"

/**
 * Tells in the thread that a working agent has said nothing for a while, until it says something. An agent whose model
 * fails tries it again without a word, sometimes for minutes. A running tool call or a question to a person is no silence.
 */
export const watch = (
  state: TurnState,
  silenceMs: number,
  messages: () => Messages
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const changed = yield* Effect.makeLatch(false)
    let heardAt = yield* Clock.currentTimeMillis
    const clock = yield* Effect.clock
    const stopListening = state.onChange((part) => {
      if (part.session === undefined && part.permissions === undefined && part.end === undefined) return
      heardAt = clock.unsafeCurrentTimeMillis()
      changed.unsafeOpen()
    })
    yield* Effect.addFinalizer(() => Effect.sync(stopListening))
    const awaitSilence = Effect.suspend(() =>
      Effect.sleep(Math.max(0, heardAt + silenceMs - clock.unsafeCurrentTimeMillis()))
    ).pipe(Effect.repeat({ until: () => heardAt + silenceMs <= clock.unsafeCurrentTimeMillis() }))
    yield* Effect.gen(function* () {
      yield* awaitSilence
      yield* changed.close
      if (isAgentSilent(state.get())) {
        state.set({ silence: { _tag: "Silent", text: messages().agentSilent(Math.round(silenceMs / 1000)) } })
      }
      yield* changed.await
      if (state.get().silence !== undefined) state.set({ silence: undefined })
    }).pipe(Effect.forever, Effect.forkScoped)
  })

const isAgentSilent = ({ end, extent, notice, permissions, session }: Snapshot): boolean =>
  session !== undefined &&
  end === undefined &&
  notice === undefined &&
  !permissions.some(({ state }) => state === "open") &&
  !session.entries.slice(extent.skip).some(isRunningCall)

const isRunningCall = (entry: SessionState.Entry): boolean =>
  entry._tag === "ToolCall" && (entry.status === "pending" || entry.status === "in_progress")
