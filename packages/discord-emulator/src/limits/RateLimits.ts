import { createHash } from "node:crypto"
import type { BucketName, Limits, Rule } from "./RateRules.ts"
import { FixedWindows } from "./FixedWindows.ts"

/** The rate limit headers of a response, and the error of a refused request. */
export interface RateLimitResult {
  readonly headers: Readonly<Record<string, string>>
  /** The body of the 429, when the request is refused. */
  readonly errorBody?: object
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
  const secondsUntil = (timestampMs: number): number => Math.max(1, timestampMs - now()) / 1000

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
    return tooManyRequests("user", secondsUntil(resetAt), headers)
  }

  const resetHeaders = (resetAt: number): Record<string, string> => ({
    "x-ratelimit-reset": (resetAt / 1000).toFixed(3),
    "x-ratelimit-reset-after": (Math.max(0, resetAt - now()) / 1000).toFixed(3)
  })

  /** Limits without headers; a hit reports the scope `shared`. */
  const takeHidden = (bucket: BucketName, key: string, rule: Rule): RateLimitResult => {
    const { resetAt, used } = windows.count(key, rule)
    if (used <= rule.limit) return { headers: {} }
    return tooManyRequests("shared", secondsUntil(resetAt), {}, hiddenLimits.get(bucket))
  }

  return {
    take: ({ buckets, global, major, route }) => {
      if (global && limits.global !== undefined) {
        const { resetAt, used } = windows.count("global", limits.global)
        if (used > limits.global.limit) return tooManyRequests("global", secondsUntil(resetAt))
      }
      let result: RateLimitResult = { headers: {} }
      for (const bucket of buckets) {
        const next = take(bucket, route, major)
        result = { ...next, headers: { ...result.headers, ...next.headers } }
        if (next.errorBody !== undefined) break
      }
      return result
    }
  }
}

/** The `x-ratelimit-scope` of a 429: the bot on this route, the bot as a whole, or the shared resource. */
export type Scope = "user" | "global" | "shared"

/** Headers and body of a 429; the body has the exact seconds, the header whole ones. */
export const tooManyRequests = (
  scope: Scope,
  retryAfterSeconds: number,
  headers: Readonly<Record<string, string>> = {},
  extraFields?: { readonly code: number; readonly message: string }
): RateLimitResult & { readonly errorBody: object } => ({
  headers: {
    ...headers,
    "retry-after": String(Math.ceil(retryAfterSeconds)),
    "x-ratelimit-scope": scope,
    ...(scope === "global" ? { "x-ratelimit-global": "true" } : {}),
    // Some clients use this header to distinguish a 429 of Discord from one of Cloudflare.
    via: "1.1 google"
  },
  errorBody: {
    message: scope === "shared" ? "The resource is being rate limited." : "You are being rate limited.",
    retry_after: Math.round(retryAfterSeconds * 1000) / 1000,
    global: scope === "global",
    ...extraFields
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

/** A client that obeys these headers never waits. */
const unlimitedHeaders = { "x-ratelimit-limit": "1000000", "x-ratelimit-remaining": "999999" } as const

const hashes = new Map<string, string>()

/** An opaque hash, as Discord's; clients group requests by it. */
const bucketHeader = (kind: string): { readonly "x-ratelimit-bucket": string } => {
  const hash = hashes.get(kind) ?? createHash("md5").update(kind).digest("hex")
  hashes.set(kind, hash)
  return { "x-ratelimit-bucket": hash }
}
