import { createHash } from "node:crypto"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DiscordApi } from "./DiscordApi.ts"
import type { ReplyTo } from "./DiscordEvent.ts"
import type { MessageBody } from "./MessageBody.ts"

/**
 * Private words to people that belong to no answer of theirs: a direct message, or where they take none, one word more
 * after the answer to their next command.
 */
export class DirectMessages extends Context.Tag("@heddle/bot/DirectMessages")<
  DirectMessages,
  {
    /** Says something to a person; the same id is said once. Where they take no direct message it comes without buttons. */
    readonly tell: (
      noticeId: string,
      userId: string,
      body: Pick<MessageBody, "buttons" | "content">
    ) => Effect.Effect<void>
    /** Says what waits for this person, below the answer that they just got. */
    readonly waiting: (reply: Pick<ReplyTo, "token" | "userId">) => Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<DirectMessages, never, DiscordApi | SqlClient.SqlClient> = Layer.effect(
  DirectMessages,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const api = yield* DiscordApi
    const done = (noticeId: string) => Effect.orDie(sql`DELETE FROM notices WHERE notice_id = ${noticeId}`)
    return DirectMessages.of({
      tell: Effect.fn("DirectMessages.tell")(function* (noticeId, userId, body) {
        yield* Effect.orDie(
          sql`INSERT INTO notices ${sql.insert({
            notice_id: noticeId,
            user_id: userId,
            content: body.content,
            created_at: yield* Clock.currentTimeMillis
          })} ON CONFLICT (notice_id) DO NOTHING`
        )
        yield* api.direct(userId, body, nonceOf(noticeId)).pipe(
          Effect.zipRight(done(noticeId)),
          // It waits for the person's next command.
          Effect.catchAll((error) => Effect.logDebug("A person takes no direct message", error.message))
        )
      }),
      waiting: Effect.fn("DirectMessages.waiting")(function* ({ token, userId }) {
        const rows = yield* Effect.orDie(sql<{ readonly notice_id: string; readonly content: string }>`
          SELECT notice_id, content FROM notices WHERE user_id = ${userId} ORDER BY created_at LIMIT 3`)
        yield* Effect.forEach(
          rows,
          ({ content, notice_id }) =>
            api.followUp({ token }, { content }).pipe(
              Effect.zipRight(done(notice_id)),
              Effect.catchAll((error) => Effect.logDebug("Words for a person wait on", error.message))
            ),
          { discard: true }
        )
      })
    })
  })
)

/** As long as Discord takes. */
const nonceOf = (noticeId: string): string => createHash("sha256").update(noticeId).digest("base64url").slice(0, 24)
