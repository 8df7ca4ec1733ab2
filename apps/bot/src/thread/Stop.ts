import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Audit } from "../access/Audit.ts"
import type { By } from "../access/Rules.ts"
import * as ThreadOwner from "./ThreadOwner.ts"
import type { Thread } from "./Threads.ts"
import { Turns } from "./Turns.ts"

/**
 * Asks in its row to stop the turn that runs in a thread, so that it is stopped after a restart, too, and notes who did
 * if there was one. Gives what there was to stop and what tells the owner of the thread. A turn that had not begun, and
 * was not visible, when the message `writtenAs` was written is not meant.
 */
export const ask = Effect.fn("Stop.ask")(function* ({ guildId, name, threadId }: Thread, by: By, writtenAs?: string) {
  const turns = yield* Turns
  const audit = yield* Audit
  const deed = { _tag: "Stopped", task: name } as const
  const asked = yield* (yield* SqlClient.SqlClient)
    .withTransaction(
      Effect.tap(turns.askStop(threadId, by.at, writtenAs), ({ _tag }) =>
        _tag === "Stopping" || _tag === "Next"
          ? audit.note({ eventId: by.eventId, guildId, at: by.at, actorId: by.userId, threadId, deed })
          : Effect.void
      )
    )
    .pipe(Effect.orDie)
  const signal = asked._tag !== "Idle" ? ThreadOwner.stop(threadId, asked.turnId) : Effect.void
  return { what: asked._tag, signal }
})
