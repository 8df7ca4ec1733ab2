import * as Effect from "effect/Effect"
import * as Random from "./Random.ts"

/**
 * A fresh one-time code to be read and typed: 40 bits in 8 characters, none of which looks like another, as
 * `ABCD-EFGH`.
 */
export const make: Effect.Effect<string> = Effect.sync(() => {
  const letters = [...crypto.getRandomValues(new Uint8Array(length))].map((byte) => alphabet.charAt(byte % 32)).join("")
  return `${letters.slice(0, length / 2)}-${letters.slice(length / 2)}`
})

/** Whether the entered text is the code; capitals, spaces and hyphens make no difference. */
export const equals = (typed: string, code: string): boolean => Random.equal(letters(typed), letters(code))

const letters = (text: string): string =>
  text
    .slice(0, 100)
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, "")

const length = 8

/** 32 characters, so that a random byte picks each equally often; without 0, O, 1 and I, which look alike. */
const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
