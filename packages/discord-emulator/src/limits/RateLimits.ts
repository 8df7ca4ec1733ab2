import type { Settings } from "../Settings.ts"

/** What a request learns about its bucket. */
export interface Verdict {
  readonly headers: Readonly<Record<string, string>>
  /** Set when the request is refused: seconds to wait and whose limit it was. */
  readonly refused?: { readonly retryAfter: number; readonly global: boolean }
}

/** The kinds of buckets; one exists per kind and major parameter (channel, guild or webhook token). */
export type BucketName =
  | "messages"
  | "delete"
  | "typing"
  | "reactions"
  | "threads"
  | "channel"
  | "rename"
  | "webhook"
  | "other"

interface Rule {
  readonly limit: number
  readonly windowMs: number
}

const rules: Readonly<Record<BucketName, Rule>> = {
  // Sends and edits of a channel share one bucket.
  messages: { limit: 5, windowMs: 5000 },
  delete: { limit: 5, windowMs: 1000 },
  typing: { limit: 5, windowMs: 5000 },
  reactions: { limit: 1, windowMs: 250 },
  threads: { limit: 50, windowMs: 300_000 },
  channel: { limit: 5, windowMs: 5000 },
  rename: { limit: 2, windowMs: 600_000 },
  webhook: { limit: 5, windowMs: 2000 },
  other: { limit: 50, windowMs: 1000 }
}

/** 50 a second; the window is a little short because clients count from sending, not from arriving. */
const globalRule: Rule = { limit: 50, windowMs: 950 }

/** Counts requests in fixed windows that start with the first request. */
export interface RateLimits {
  readonly take: (bucket: BucketName, major: string, global: boolean) => Verdict
}

export const makeRateLimits = (profile: Settings["limits"]): RateLimits => {
  if (profile === "fast") return { take: (bucket) => ({ headers: unlimited(bucket) }) }
  const windows = new Map<string, { used: number; readonly resetAt: number }>()

  const count = (key: string, rule: Rule): { readonly used: number; readonly resetAt: number } => {
    const now = Date.now()
    const found = windows.get(key)
    const open = found !== undefined && found.resetAt > now ? found : { used: 0, resetAt: now + rule.windowMs }
    open.used++
    windows.set(key, open)
    if (windows.size > 5000) for (const [old, window] of windows) if (window.resetAt <= now) windows.delete(old)
    return open
  }

  return {
    take: (bucket, major, global) => {
      if (global) {
        const { resetAt, used } = count("global", globalRule)
        if (used > globalRule.limit) return refusal(resetAt, true, {})
      }
      const rule = rules[bucket]
      const { resetAt, used } = count(`${bucket}:${major}`, rule)
      // Renames are limited without any header telling before it happens.
      const headers: Record<string, string> =
        bucket === "rename"
          ? {}
          : {
              "x-ratelimit-limit": String(rule.limit),
              "x-ratelimit-remaining": String(Math.max(0, rule.limit - used)),
              "x-ratelimit-reset": (resetAt / 1000).toFixed(3),
              "x-ratelimit-reset-after": (Math.max(0, resetAt - Date.now()) / 1000).toFixed(3),
              "x-ratelimit-bucket": bucketHash(bucket)
            }
      return used > rule.limit ? refusal(resetAt, false, headers) : { headers }
    }
  }
}

/** What a client that obeys the headers need not wait for. */
const unlimited = (bucket: BucketName): Readonly<Record<string, string>> => ({
  "x-ratelimit-limit": "1000000",
  "x-ratelimit-remaining": "999999",
  "x-ratelimit-reset": (Date.now() / 1000 + 1).toFixed(3),
  "x-ratelimit-reset-after": "1.000",
  "x-ratelimit-bucket": bucketHash(bucket)
})

const refusal = (resetAt: number, global: boolean, headers: Readonly<Record<string, string>>): Verdict => {
  const retryAfter = Math.max(1, resetAt - Date.now()) / 1000
  return {
    headers: {
      ...headers,
      "retry-after": String(Math.ceil(retryAfter)),
      "x-ratelimit-scope": global ? "global" : "user",
      ...(global ? { "x-ratelimit-global": "true" } : {})
    },
    refused: { retryAfter, global }
  }
}

/** Looks like Discord's opaque hashes; clients group requests by it. */
const bucketHash = (bucket: BucketName): string => Buffer.from(bucket.padEnd(16, "0")).toString("hex")
