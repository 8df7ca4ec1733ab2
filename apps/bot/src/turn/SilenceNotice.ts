import type * as SessionState from "@heddle/acp/SessionState"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as MonotonicClock from "../concurrency/MonotonicClock.ts"
import { Ticks } from "../concurrency/Ticks.ts"
import type { Messages } from "../messages/Messages.ts"
import type { OpenTurn } from "./OpenTurn.ts"
import { hasSaidMore, type Snapshot } from "./TurnState.ts"

/**
 * Tells in the thread that a working agent has said nothing for a while, until it says something. An agent whose model
 * fails tries it again without a word, sometimes for minutes. A running tool call or a question to a person is no silence.
 */
export const watch = (
  { state }: Pick<OpenTurn, "state">,
  limitMs: number,
  messages: () => Messages
): Effect.Effect<void, never, Scope.Scope | Ticks> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const now = () => MonotonicClock.read(clock)
    let heardAt = now()
    let { session } = state.get()
    state.onChange((part) => {
      if (hasSaidMore(session, part)) heardAt = now()
      session = part.session ?? session
    })
    let checkedAt = heardAt
    const ticks = yield* Ticks
    yield* ticks.add(() => {
      if (now() - Math.max(heardAt, checkedAt) < limitMs) return
      checkedAt = now()
      if (isAgentSilent(state.get()))
        state.set({ silence: { _tag: "Silent", text: messages().agentSilent(Math.round(limitMs / 1000)) } })
    })
  })

const isAgentSilent = ({ end, extent, notice, permissions, session, silence }: Snapshot): boolean =>
  silence === undefined &&
  session !== undefined &&
  end === undefined &&
  notice === undefined &&
  session.permissions.length === 0 &&
  !permissions.some(({ state }) => state === "open") &&
  !session.entries.slice(extent.skip).some(isRunningCall)

const isRunningCall = (entry: SessionState.Entry): boolean =>
  entry._tag === "ToolCall" && (entry.status === "pending" || entry.status === "in_progress")
