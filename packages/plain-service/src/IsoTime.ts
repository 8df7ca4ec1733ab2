import type { Readings } from "./Readings.ts"

const eightHours = 8 * 60 * 60 * 1000

/** Writes an ISO 8601 time: in UTC with milliseconds, or in whole seconds with an offset (2.6, 2.8). */
export const isoTime = (at: number, times: Readings["times"]): string =>
  times === "utc" ? new Date(at).toISOString() : `${new Date(at + eightHours).toISOString().slice(0, 19)}+08:00`
