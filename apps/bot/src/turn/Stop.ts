import * as Effect from "effect/Effect"
import { AuditLog } from "../store/AuditLog.ts"
import type { Request } from "../store/Requests.ts"
import type { By } from "../store/Rules.ts"
import { transaction } from "../store/database/Transaction.ts"
import { markStopped, requestStop } from "../store/StopRequest.ts"
import * as ThreadOwner from "./ThreadOwner.ts"
import type { Thread } from "../store/Threads.ts"
import { plainName } from "../text/PlainName.ts"

/**
 * Stores the request to stop a turn, which also holds after a restart, and adds an audit entry. Returns what there was to
 * stop, and the effect that signals the owner of the thread.
 */
export const ask = Effect.fn("Stop.ask")(function* ({ guildId, name, threadId }: Thread, by: By) {
  const audit = yield* AuditLog
  const action = { _tag: "Stopped", task: name } as const
  const target = yield* transaction(
    Effect.tap(requestStop(threadId, by), ({ _tag }) =>
      _tag === "Stopping" || _tag === "Next" || _tag === "Late"
        ? audit.record({ eventId: by.eventId, guildId, at: by.at, actorId: by.userId, threadId, action })
        : Effect.void
    )
  )
  const signal = "turnId" in target ? ThreadOwner.stop(threadId, target.turnId) : Effect.void
  return { what: target._tag, signal }
})

/** Stores the request to stop a task that is still being started in a thread; its first turn then ends as stopped. */
export const askStart = Effect.fn("Stop.askStart")(function* (
  { guildId, name, prompt, requestId }: Request,
  threadId: string,
  { at, eventId, userId }: By
) {
  const audit = yield* AuditLog
  const action = { _tag: "Stopped", task: plainName(name ?? prompt, 90) } as const
  yield* transaction(
    Effect.zipRight(
      markStopped(threadId, requestId, at),
      audit.record({ eventId, guildId, at, actorId: userId, threadId, action })
    )
  )
})
