import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Accounts } from "../access/Accounts.ts"
import { tell } from "../messages/Explain.ts"
import * as LateOutput from "./LateOutput.ts"
import * as Attempt from "./Attempt.ts"
import type { End } from "../model/Conversation.ts"
import * as Failure from "./Failure.ts"
import type { OpenTurn } from "./OpenTurn.ts"
import { Permissions } from "../store/Permissions.ts"
import * as TurnEnd from "./TurnEnd.ts"
import { Turns } from "../store/Turns.ts"

/** Attempts the turn until it ends, over broken connections and ended authorizations. */
export const attend = Effect.fnUntraced(function* (turn: OpenTurn) {
  const { messages, state, thread } = turn
  const accounts = yield* Accounts
  const failing = { since: undefined as number | undefined, count: 0 }
  for (;;) {
    const began = yield* Clock.currentTimeMillis
    const result = yield* Effect.either(Effect.scoped(Attempt.run(turn)))
    if (result._tag === "Right") {
      if (result.right !== undefined) return result.right
      continue
    }
    failing.since ??= began
    const away = (yield* Clock.currentTimeMillis) - failing.since
    // What is not shown now is shown when somebody writes again, but whoever was asked something may still answer.
    if (LateOutput.isLateOutput(turn.entry) && !(yield* isAsking(turn)))
      return { _tag: "Failed", text: "" } satisfies End
    const remedy = Failure.remedy(result.left, messages, thread.ownerId, Math.round(away / 60_000))
    switch (remedy._tag) {
      case "Explain":
        return { _tag: "Failed", text: remedy.text } satisfies End
      case "Reconnect": {
        turn.reaching.rests()
        failing.since = undefined
        if (state.get().stopAsked) {
          const { end } = yield* (yield* Turns).begin(turn.entry.eventId, thread.threadId, turn.turn.startedAt)
          return end ?? (yield* TurnEnd.unreached(turn))
        }
        // Another one is in its place.
        if (result.left._tag === "AccountEnded" && (yield* accounts.isConnected(thread.ownerId))) break
        state.set(yield* reconnecting(turn))
        const stopped = yield* Effect.raceFirst(
          Effect.as(accounts.awaitConnected(thread.ownerId), false),
          Effect.as(Attempt.awaitStop(turn), true)
        )
        state.set({ notice: undefined })
        if (!stopped) break
        const { end, prompted } = yield* (yield* Turns).begin(turn.entry.eventId, thread.threadId, turn.turn.startedAt)
        // Its agent was stopped with the account.
        if (end !== undefined) return end
        const { reconnectGivenUp } = messages.failures
        return { _tag: "Failed", text: tell(messages, reconnectGivenUp(prompted)) } satisfies End
      }
      case "TryAgain": {
        if (state.get().stopAsked) return yield* TurnEnd.unreached(turn)
        if (away > Failure.patience) return { _tag: "Failed", text: remedy.text } satisfies End
        yield* Effect.logWarning(`Thread ${thread.threadId}: ${remedy.reason}; trying again`)
        state.set({ notice: { _tag: "Waiting", text: messages.waitingForService } })
        const stopped = yield* Effect.raceFirst(
          Effect.as(Effect.sleep(Math.min(10_000, 500 * 2 ** failing.count++)), false),
          Effect.as(Attempt.awaitStop(turn), true)
        )
        if (stopped) return yield* TurnEnd.unreached(turn)
      }
    }
  }
})

const isAsking = ({ entry }: OpenTurn) =>
  Effect.map(
    Effect.flatMap(Permissions, (permissions) => permissions.ofTurn(entry.eventId)),
    (rows) => rows.some(({ state }) => state === "open")
  )

/** What a turn shows that waits for its owner to connect; where they have disconnected, nobody answers its agent any more. */
const reconnecting = Effect.fnUntraced(function* ({ entry, messages, thread: { ownerId } }: OpenTurn) {
  const disconnected = yield* (yield* Accounts).hasNone(ownerId)
  const customId = "c1:connect"
  if (!disconnected) return { notice: { _tag: "Reconnect", text: messages.connectAgain(ownerId), customId } as const }
  const permissions = yield* Permissions
  yield* permissions.withdrawAll(entry.eventId)
  const text = messages.connectAfterDisconnecting(ownerId)
  return {
    notice: { _tag: "Reconnect", text, customId, disconnected } as const,
    permissions: yield* permissions.ofTurn(entry.eventId)
  }
})
