import type { TaskId } from "@heddle/core/domain/Task"
import { createHmac, timingSafeEqual } from "node:crypto"

/** The query that lets its holder read one file of one task until `expires` (epoch milliseconds), without a ticket. */
export const sign = (key: Uint8Array, taskId: TaskId, path: string, expires: number): string =>
  `expires=${expires}&signature=${mac(key, taskId, path, expires).toString("base64url")}`

/** Tells whether a query was signed for this file and has not expired. */
export const verify = (key: Uint8Array, taskId: TaskId, path: string, query: URLSearchParams, now: number): boolean => {
  const expires = Number(query.get("expires"))
  if (!Number.isSafeInteger(expires) || expires <= now) return false
  const given = Buffer.from(query.get("signature") ?? "", "base64url")
  const expected = mac(key, taskId, path, expires)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const mac = (key: Uint8Array, taskId: TaskId, path: string, expires: number): Buffer =>
  createHmac("sha256", key)
    .update(JSON.stringify([taskId, path, expires]))
    .digest()
