import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Crypto from "node:crypto"

// 32 MiB and about 60 ms a try: expensive for a guesser, acceptable for a person.
const scryptCost = { N: 2 ** 15, r: 8, p: 1 }

/** Hashes a password, as `scrypt$N$r$p$salt$hash`. */
export const hash = (password: Redacted.Redacted): Effect.Effect<string> => {
  const salt = Crypto.randomBytes(16)
  return Effect.map(derive(password, salt, scryptCost), (key) =>
    ["scrypt", scryptCost.N, scryptCost.r, scryptCost.p, salt.toString("base64url"), key.toString("base64url")].join(
      "$"
    )
  )
}

/** Whether the password matches the stored hash. Without a hash it does the same work and returns false. */
export const verify = (password: Redacted.Redacted, stored: string | undefined): Effect.Effect<boolean> => {
  const [, N, r, p, salt, key] = (stored ?? placeholderHash).split("$")
  const expected = Buffer.from(key ?? "", "base64url")
  return Effect.map(
    derive(password, Buffer.from(salt ?? "", "base64url"), { N: Number(N), r: Number(r), p: Number(p) }),
    (actual) => actual.length === expected.length && Crypto.timingSafeEqual(actual, expected) && stored !== undefined
  )
}

const placeholderHash = ["scrypt", scryptCost.N, scryptCost.r, scryptCost.p, "A".repeat(22), "A".repeat(43)].join("$")

const derive = (password: Redacted.Redacted, salt: Buffer, parameters: typeof scryptCost): Effect.Effect<Buffer> =>
  Effect.async((resume) => {
    Crypto.scrypt(
      Redacted.value(password).normalize("NFKC"),
      salt,
      32,
      { ...parameters, maxmem: 64 * 1024 * 1024 },
      (error, key) => resume(error === null ? Effect.succeed(key) : Effect.die(error))
    )
  })
