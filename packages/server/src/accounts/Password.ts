import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Crypto from "node:crypto"

/** The work of a new hash. By default 32 MiB and about 60 ms a try: expensive for a guesser, acceptable for a person. */
export class Cost extends Context.Reference<Cost>()("@heddle/server/accounts/Password/Cost", {
  defaultValue: () => ({ N: 2 ** 15, r: 8, p: 1 })
}) {}

type Parameters = Context.Tag.Service<Cost>

/** Hashes a password, as `scrypt$N$r$p$salt$hash`. */
export const hash = (password: Redacted.Redacted, cost: Parameters): Effect.Effect<string> => {
  const salt = Crypto.randomBytes(16)
  return Effect.map(derive(password, salt, cost), (key) =>
    written(cost, salt.toString("base64url"), key.toString("base64url"))
  )
}

/** Whether the password matches the stored hash. Without a hash it does the work of a new one and returns false. */
export const verify = (
  password: Redacted.Redacted,
  stored: string | undefined,
  cost: Parameters
): Effect.Effect<boolean> => {
  const [, N, r, p, salt, key] = (stored ?? written(cost, "A".repeat(22), "A".repeat(43))).split("$")
  const expected = Buffer.from(key ?? "", "base64url")
  return Effect.map(
    derive(password, Buffer.from(salt ?? "", "base64url"), { N: Number(N), r: Number(r), p: Number(p) }),
    (actual) => actual.length === expected.length && Crypto.timingSafeEqual(actual, expected) && stored !== undefined
  )
}

const written = ({ N, p, r }: Parameters, salt: string, key: string): string => ["scrypt", N, r, p, salt, key].join("$")

const derive = (password: Redacted.Redacted, salt: Buffer, parameters: Parameters): Effect.Effect<Buffer> =>
  Effect.async((resume) => {
    Crypto.scrypt(
      Redacted.value(password).normalize("NFKC"),
      salt,
      32,
      { ...parameters, maxmem: 64 * 1024 * 1024 },
      (error, key) => resume(error === null ? Effect.succeed(key) : Effect.die(error))
    )
  })
