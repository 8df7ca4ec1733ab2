import { createHash } from "node:crypto"
import type { BucketName, Limits, Rule } from "./Limits.ts"
import { FixedWindows } from "./FixedWindows.ts"

/** What a request learns about its bucket. */
export interface RateLimitResult {
  readonly headers: Readonly<Record<string, string>>
  /** The body of the 429, when the request is refused. */
  readonly refused?: object
}

/** A request as the limits see it. */
interface RateLimitRequest {
  /** The buckets it counts in, the one whose headers it gets first. */
  readonly buckets: ReadonlyArray<BucketName>
  /** Method and path pattern, which separates the buckets of the kind `other`. */
  readonly route: string
  /** The channel, guild or webhook that it is about. */
  readonly major: string
  /** Whether it counts towards the limit of the whole application. */
  readonly global: boolean
}

/** Counts requests of the application. */
export interface RateLimits {
  readonly take: (request: RateLimitRequest) => RateLimitResult
}

export const makeRateLimits = (limits: Limits, now: () => number = Date.now): RateLimits => {
  const windows = new FixedWindows(now)
  const secondsTo = (moment: number): number => Math.max(1, moment - now()) / 1000

  const take = (bucket: BucketName, route: string, major: string): RateLimitResult => {
    const kind = bucket === "other" ? route : bucket
    const rule = limits.buckets[bucket]
    if (hiddenLimits.has(bucket))
      return rule === undefined ? { headers: {} } : takeHidden(bucket, `${kind} ${major}`, rule)
    if (rule === undefined)
      return { headers: { ...unlimitedHeaders, ...resetHeaders(now() + 1000), ...bucketHeader(kind) } }
    const { resetAt, used } = windows.count(`${kind} ${major}`, rule)
    const headers = {
      "x-ratelimit-limit": String(rule.limit),
      "x-ratelimit-remaining": String(Math.max(0, rule.limit - used)),
      ...resetHeaders(resetAt),
      ...bucketHeader(kind)
    }
    if (used <= rule.limit) return { headers }
    return tooManyRequests("user", secondsTo(resetAt), headers)
  }

  const resetHeaders = (resetAt: number): Record<string, string> => ({
    "x-ratelimit-reset": (resetAt / 1000).toFixed(3),
    "x-ratelimit-reset-after": (Math.max(0, resetAt - now()) / 1000).toFixed(3)
  })

  /** Limits without headers; a hit reports the scope `shared`. */
  const takeHidden = (bucket: BucketName, key: string, rule: Rule): RateLimitResult => {
    const { resetAt, used } = windows.count(key, rule)
    if (used <= rule.limit) return { headers: {} }
    return tooManyRequests("shared", secondsTo(resetAt), {}, hiddenLimits.get(bucket))
  }

  return {
    take: ({ buckets, global, major, route }) => {
      if (global && limits.global !== undefined) {
        const { resetAt, used } = windows.count("global", limits.global)
        if (used > limits.global.limit) return tooManyRequests("global", secondsTo(resetAt))
      }
      let verdict: RateLimitResult = { headers: {} }
      for (const bucket of buckets) {
        const next = take(bucket, route, major)
        verdict = { ...next, headers: { ...verdict.headers, ...next.headers } }
        if (next.refused !== undefined) break
      }
      return verdict
    }
  }
}

/** Whose limit was hit: that of the bot on this route, of the bot as a whole, or of the thing it acts on. */
export type Scope = "user" | "global" | "shared"

/** Headers and body of a 429; `retryAfter` in seconds, left out of the headers when `false`. */
export const tooManyRequests = (
  scope: Scope,
  retryAfter: number,
  headers: Readonly<Record<string, string>> = {},
  special?: { readonly code: number; readonly message: string }
): RateLimitResult & { readonly refused: object } => ({
  headers: {
    ...headers,
    "retry-after": String(Math.ceil(retryAfter)),
    "x-ratelimit-scope": scope,
    ...(scope === "global" ? { "x-ratelimit-global": "true" } : {}),
    // Some clients tell a 429 of Discord from one of Cloudflare by it.
    via: "1.1 google"
  },
  refused: {
    message: scope === "shared" ? "The resource is being rate limited." : "You are being rate limited.",
    retry_after: Math.round(retryAfter * 1000) / 1000,
    global: scope === "global",
    ...special
  }
})

/** The limits without headers, and the additional fields of their 429. */
const hiddenLimits = new Map<BucketName, { readonly code: number; readonly message: string } | undefined>([
  ["rename", undefined],
  [
    "oldEdit",
    { code: 30_046, message: "Maximum number of edits to messages older than 1 hour reached. Try again later." }
  ]
])

/** What a client that obeys the headers need not wait for. */
const unlimitedHeaders = { "x-ratelimit-limit": "1000000", "x-ratelimit-remaining": "999999" } as const

const hashes = new Map<string, string>()

/** Looks like Discord's opaque hashes; clients group requests by it. */
const bucketHeader = (kind: string): { readonly "x-ratelimit-bucket": string } => {
  const known = hashes.get(kind) ?? createHash("md5").update(kind).digest("hex")
  hashes.set(kind, known)
  return { "x-ratelimit-bucket": known }
}
