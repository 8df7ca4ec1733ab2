import * as Effect from "effect/Effect"
import { AuditLog } from "../store/AuditLog.ts"
import type { By } from "../store/Rules.ts"
import { transaction } from "../store/database/Transaction.ts"
import { requestStop } from "../store/StopTarget.ts"
import * as ThreadOwner from "./ThreadOwner.ts"
import type { Thread } from "../store/Threads.ts"

/**
 * Asks in its row to stop the turn that a person means, so that it is stopped after a restart, too, and notes who did if
 * there was one. Gives what there was to stop, and what tells the owner of the thread. What is meant is what ran for
 * whoever read the thread when it was said, by the ids of Discord, since that may be heard much later; if nothing did, it
 * is the message before that waits.
 */
export const ask = Effect.fn("Stop.ask")(function* ({ guildId, name, threadId }: Thread, by: By) {
  const audit = yield* AuditLog
  const action = { _tag: "Stopped", task: name } as const
  const target = yield* transaction(
    Effect.tap(requestStop({ guildId, threadId }, by), ({ _tag }) =>
      _tag === "Stopping" || _tag === "Next" || _tag === "Late"
        ? audit.note({ eventId: by.eventId, guildId, at: by.at, actorId: by.userId, threadId, action })
        : Effect.void
    )
  )
  const signal = "turnId" in target ? ThreadOwner.stop(threadId, target.turnId) : Effect.void
  return { what: target._tag, signal }
})
