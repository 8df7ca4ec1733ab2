import * as Crypto from "node:crypto"

/** Letters without vowels and without look-alikes (RFC 8628 6.1). */
const letters = "BCDFGHJKLMNPQRSTVWXZ"

/** Makes a user code like `WDJB-MJHT`, with 34 random bits: enough for ten minutes and few tries. */
export const generate = (): string => {
  const word = () => Array.from({ length: 4 }, () => letters.charAt(Crypto.randomInt(letters.length))).join("")
  return `${word()}-${word()}`
}

/** Normalises a typed code: case, spaces and other separators do not matter. */
export const normalise = (typed: string): string => {
  const word = typed
    .slice(0, 64)
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, "")
  return `${word.slice(0, 4)}-${word.slice(4)}`
}
