import { createHash } from "node:crypto"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { ReplyTo } from "../discord/DiscordEvent.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import { DirectMessageRows } from "../store/account/DirectMessages.ts"

/**
 * Private messages that answer no interaction. When a person accepts no direct messages, they follow the answer to the
 * person's next command.
 */
export class DirectMessages extends Context.Tag("@heddle/bot/DirectMessages")<
  DirectMessages,
  {
    /** Sends a message once per key. When it has to follow a command's answer, it has no buttons. */
    readonly send: (key: string, userId: string, body: Pick<MessageBody, "rows" | "content">) => Effect.Effect<void>
    /** Sends the waiting messages of this person below the answer they just got. */
    readonly sendWaiting: (reply: Pick<ReplyTo, "token" | "userId">) => Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<DirectMessages, never, DirectMessageRows | DiscordApi> = Layer.effect(
  DirectMessages,
  Effect.gen(function* () {
    const api = yield* DiscordApi
    const rows = yield* DirectMessageRows
    return DirectMessages.of({
      send: Effect.fn("DirectMessages.send")(function* (key, userId, body) {
        yield* rows.add(userId, { key, content: body.content })
        yield* api.direct(userId, body, nonceOf(key)).pipe(
          Effect.zipRight(rows.remove(key)),
          // The message waits for the person's next command.
          Effect.catchAll((error) => Effect.logDebug("A person takes no direct message", error.message))
        )
      }),
      sendWaiting: Effect.fn("DirectMessages.sendWaiting")(function* ({ token, userId }) {
        yield* Effect.forEach(
          yield* rows.oldest(userId),
          ({ content, key }) =>
            api.followUp({ token }, { content }).pipe(
              Effect.zipRight(rows.remove(key)),
              Effect.catchAll((error) => Effect.logDebug("A direct message waits on", error.message))
            ),
          { discard: true }
        )
      })
    })
  })
)

/** A key's nonce, of which Discord allows 25 characters. */
const nonceOf = (key: string): string => createHash("sha256").update(key).digest("base64url").slice(0, 24)
