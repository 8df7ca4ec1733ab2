import type { EncryptionKey } from "@heddle/oauth/EncryptionKey"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** Discord's lifetime of a reply token with a margin, in milliseconds. */
export const life = 14.5 * 60_000

/** The stored form of a token: encrypted for its row, and empty without a token. */
export const seal = (key: Key, token: Redacted.Redacted | undefined, place: string): Effect.Effect<string> =>
  token === undefined || Redacted.value(token) === "" ? Effect.succeed("") : key.seal(token, place)

/** Reads a stored token; undefined when it is empty or its key is lost. Answers then use another way. */
export const open = (key: Key, sealed: string, place: string): Effect.Effect<Redacted.Redacted | undefined> =>
  sealed === ""
    ? Effect.succeed(undefined)
    : Effect.catchAll(key.open(sealed, place), (error) =>
        Effect.as(Effect.logDebug("A stored reply token cannot be read", error.message), undefined)
      )

type Key = Context.Tag.Service<EncryptionKey>
