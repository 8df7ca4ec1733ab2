import * as Crypto from "node:crypto"

/** Letters that make no words and are not taken for one another (RFC 8628 6.1). */
const letters = "BCDFGHJKLMNPQRSTVWXZ"

/** A new user code like `WDJB-MJHT`: 34 random bits, enough for ten minutes with few tries. */
export const generate = (): string => {
  const word = () => Array.from({ length: 4 }, () => letters.charAt(Crypto.randomInt(letters.length))).join("")
  return `${word()}-${word()}`
}

/** What a person typed, in the one form: small letters, spaces and other separators do not matter. */
export const normalise = (typed: string): string => {
  const word = typed
    .slice(0, 64)
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, "")
  return `${word.slice(0, 4)}-${word.slice(4)}`
}
