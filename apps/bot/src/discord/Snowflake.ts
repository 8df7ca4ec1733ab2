/** Whether one id of Discord was made after another: a longer one is newer, of the same length the larger one is. */
export const isNewer = (id: string, than: string): boolean =>
  id.length === than.length ? id > than : id.length > than.length

/** When an id of Discord was made, in epoch milliseconds. */
export const timeOf = (id: string): number => Number((BigInt(id) >> 22n) + epoch)

/** The day, in UTC, on which an id of Discord was made, as in `2026-01-31`. */
export const dayOf = (id: string): string => new Date(timeOf(id)).toISOString().slice(0, 10)

/** The first millisecond of 2015. */
const epoch = 1_420_070_400_000n
