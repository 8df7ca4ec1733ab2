import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as ThreadOwner from "./ThreadOwner.ts"
import { Turns } from "./Turns.ts"

/** Stops the turn that runs in a thread; its row says so first, so that it is stopped after a restart, too. */
export const stop = Effect.fn("Stop.stop")(function* (threadId: string) {
  const asked = yield* (yield* Turns).askStop(threadId, yield* Clock.currentTimeMillis)
  if (asked._tag !== "Idle") yield* ThreadOwner.stop(threadId, asked.turnId)
  return asked._tag
})
