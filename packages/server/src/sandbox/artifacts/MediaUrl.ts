import type { TaskId } from "@heddle/core/domain/Task"
import { createHmac, timingSafeEqual, type Hmac, type KeyObject } from "node:crypto"

/** The signed query that gives access to one file of one task until `expiresAt` (epoch milliseconds). */
export const sign = (key: KeyObject, taskId: TaskId, path: string, expiresAt: number): string =>
  `expires=${expiresAt}&signature=${mac(key, taskId, path, expiresAt).digest("base64url")}`

/** Tells whether a query was signed for this file and has not expired. */
export const verify = (key: KeyObject, taskId: TaskId, path: string, query: URLSearchParams, now: number): boolean => {
  const expiresAt = Number(query.get("expires"))
  if (!Number.isSafeInteger(expiresAt) || expiresAt <= now) return false
  const actual = Buffer.from(query.get("signature") ?? "", "base64url")
  const expected = mac(key, taskId, path, expiresAt).digest()
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

const mac = (key: KeyObject, taskId: TaskId, path: string, expiresAt: number): Hmac =>
  createHmac("sha256", key).update(JSON.stringify([taskId, path, expiresAt]))
