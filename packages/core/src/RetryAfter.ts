/**
 * The seconds of a `Retry-After` header, in both of its forms (RFC 9110, 10.2.3).
 * A date is compared with the response's own `Date` header; without one, with `now` in epoch milliseconds.
 */
export const parseSeconds = (
  retryAfter: string | undefined,
  date: string | undefined,
  now: number
): number | undefined => {
  if (retryAfter === undefined) return undefined
  const text = retryAfter.trim()
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text), longestSeconds)
  const until = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(until)) return undefined
  const respondedAt = Date.parse(date ?? "")
  const seconds = Math.ceil((until - (Number.isNaN(respondedAt) ? now : respondedAt)) / 1000)
  return Math.min(Math.max(0, seconds), longestSeconds)
}

/** A longer wait counts as this one, of about thirty years. */
const longestSeconds = 1e9
