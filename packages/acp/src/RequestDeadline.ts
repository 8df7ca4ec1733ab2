/**
 * Finds until when a request waits for its answer, in epoch milliseconds, if its params or their `_meta` say it. ACP and the
 * contract name no field, so the usual names are read, with or without the prefix of a vendor. Durations count from
 * `askedAt`. An instant before `earliest`, which is `askedAt` if left out, says that the clocks differ, and does not count.
 */
export const find = (params: unknown, askedAt: number, earliest = askedAt): number | undefined => {
  if (!isRecord(params)) return undefined
  const { _meta: meta } = params
  for (const fields of [params, ...(isRecord(meta) ? [meta, ...Object.values(meta).filter(isRecord)] : [])]) {
    for (const [key, value] of Object.entries(fields)) {
      const at = read[key.slice(key.lastIndexOf("/") + 1)]?.(value, askedAt)
      if (at !== undefined && at > earliest) return at
    }
  }
  return undefined
}

type Read = (value: unknown, askedAt: number) => number | undefined

const instant: Read = (value) => {
  const number = numberOf(value)
  // Seconds stay below this for some thousand years; milliseconds have been above it since 1973.
  if (number !== undefined) return number < 1e11 ? number * 1000 : number
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

const duration =
  (unitMs: number): Read =>
  (value, askedAt) => {
    const number = numberOf(value)
    return number === undefined ? undefined : askedAt + number * unitMs
  }

const read: Readonly<Partial<Record<string, Read>>> = {
  expiresAt: instant,
  expires_at: instant,
  expire_at: instant,
  deadline: instant,
  timeoutMs: duration(1),
  timeout_ms: duration(1),
  timeoutSeconds: duration(1000),
  expires_in: duration(1000)
}

const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : undefined
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
