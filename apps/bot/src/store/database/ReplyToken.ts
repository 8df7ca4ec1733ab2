import type { EncryptionKey } from "@heddle/oauth/EncryptionKey"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** For how long a token answers its command at Discord, in milliseconds; with a little room. */
export const life = 14.5 * 60_000

/** A token as it is stored: encrypted for its row, and empty for none. */
export const seal = (key: Key, token: Redacted.Redacted | undefined, place: string): Effect.Effect<string> =>
  token === undefined || Redacted.value(token) === "" ? Effect.succeed("") : key.seal(token, place)

/** The stored token; undefined when there is none any more, or its key is gone: then answers go another way. */
export const open = (key: Key, sealed: string, place: string): Effect.Effect<Redacted.Redacted | undefined> =>
  sealed === ""
    ? Effect.succeed(undefined)
    : Effect.catchAll(key.open(sealed, place), (error) =>
        Effect.as(Effect.logDebug("A stored reply token cannot be read", error.message), undefined)
      )

type Key = Context.Tag.Service<EncryptionKey>
