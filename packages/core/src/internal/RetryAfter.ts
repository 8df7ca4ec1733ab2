/**
 * The seconds of a `Retry-After` header, in both of its forms (RFC 9110, 10.2.3).
 * A date is compared with the response's own `Date`, so the clock of this machine does not matter.
 */
export const parseSeconds = (retryAfter: string | undefined, date: string | undefined): number | undefined => {
  if (retryAfter === undefined) return undefined
  const text = retryAfter.trim()
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text)
  const until = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(until)) return undefined
  const respondedAt = date === undefined ? Number.NaN : Date.parse(date)
  return Math.max(0, Math.ceil((until - (Number.isNaN(respondedAt) ? Date.now() : respondedAt)) / 1000))
}
