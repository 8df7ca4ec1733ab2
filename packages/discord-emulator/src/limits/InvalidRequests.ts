import type { Limits } from "./RateRules.ts"
import { FixedWindows } from "./FixedWindows.ts"

/** Counts responses 401, 403 and 429, and bans an address above the limit. */
export interface InvalidRequests {
  /** How many seconds an address is still banned, if it is. */
  readonly bannedSeconds: (address: string) => number | undefined
  /** Counts a response. A 429 of a shared limit does not count. */
  readonly record: (address: string, status: number, isSharedLimit: boolean) => void
}

export const makeInvalidRequests = (
  { invalidRequests: rule }: Limits,
  now: () => number = Date.now
): InvalidRequests => {
  if (rule === undefined) return { bannedSeconds: () => undefined, record: () => undefined }
  const windows = new FixedWindows(now)
  return {
    bannedSeconds: (address) => {
      const window = windows.peek(address)
      return window !== undefined && window.used >= rule.limit ? Math.ceil((window.resetAt - now()) / 1000) : undefined
    },
    record: (address, status, isShared) => {
      if (status === 401 || status === 403 || (status === 429 && !isShared)) windows.count(address, rule)
    }
  }
}

/** The headers of Cloudflare's ban response, which has no JSON. */
export const banHeaders = (seconds: number): Readonly<Record<string, string>> => ({
  "content-type": "text/plain; charset=UTF-8",
  "retry-after": String(seconds),
  server: "cloudflare"
})

export const banText = "error code: 1015"
