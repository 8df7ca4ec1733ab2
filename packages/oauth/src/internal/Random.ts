import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"

/** 256 bits of the platform's secure randomness, as 43 characters of base64url. */
export const token: Effect.Effect<string> = Effect.sync(() =>
  Encoding.encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)))
)

/** The SHA-256 of a text's UTF-8 bytes. */
export const sha256 = (text: string): Effect.Effect<Uint8Array> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
    (digest) => new Uint8Array(digest)
  )

/** Whether two texts are equal, in a time that does not depend on where they differ. */
export const equal = (left: string, right: string): boolean => {
  let difference = left.length ^ right.length
  for (let at = 0; at < left.length; at += 1) difference |= left.charCodeAt(at) ^ right.charCodeAt(at % right.length)
  return difference === 0
}
