import * as Crypto from "node:crypto"

/**
 * The hash that a limiter stores in place of a key that a caller can choose: a hash has a fixed length, and unlike a
 * substring it does not keep the whole request in memory.
 */
export const of = (key: string): string => Crypto.hash("sha256", key, "base64url")
