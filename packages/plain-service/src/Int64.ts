import type { Readings } from "./Readings.ts"

/** Writes an int64 as a number, or as a numeric string, as JSON of Protocol Buffers does. */
export const int64 = (value: number | bigint, reading: Readings["int64"]): number | string =>
  reading === "string" ? String(value) : Number(value)
