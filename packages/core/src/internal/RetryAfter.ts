/**
 * The seconds that a `Retry-After` header asks to wait, for both of its forms (RFC 9110, 10.2.3).
 * A date is read against the answer's own `Date`, so that a wrong clock on this machine does not matter.
 */
export const seconds = (retryAfter: string | undefined, date: string | undefined): number | undefined => {
  if (retryAfter === undefined) return undefined
  const text = retryAfter.trim()
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text)
  const until = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(until)) return undefined
  const answered = date === undefined ? Number.NaN : Date.parse(date)
  return Math.max(0, Math.ceil((until - (Number.isNaN(answered) ? Date.now() : answered)) / 1000))
}
