import * as Crypto from "node:crypto"

/**
 * What a limiter remembers in place of a key. Keys are what strangers send: a hash is as long for all of them, and it
 * is a text of its own, where a part of a request would keep the whole request in memory.
 */
export const of = (key: string): string => Crypto.hash("sha256", key, "base64url")
