import * as Crypto from "node:crypto"

/**
 * What a limiter remembers in place of a key. Callers choose the keys. A hash has a fixed length, and does not keep
 * the whole request in memory as a substring of it would.
 */
export const of = (key: string): string => Crypto.hash("sha256", key, "base64url")
