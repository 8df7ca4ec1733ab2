/** Whether one id is newer than another: the longer, or at equal length the larger one. */
export const isNewer = (id: string, than: string): boolean =>
  id.length === than.length ? id > than : id.length > than.length

/** The creation time of an id, in epoch milliseconds. */
export const timeOf = (id: string): number => Number((BigInt(id) >> 22n) + epoch)

/** The smallest id of a time in epoch milliseconds. */
export const idAt = (time: number): string => String((BigInt(Math.floor(time)) - epoch) << 22n)

/** The creation day of an id in UTC, such as `2026-01-31`. */
export const dayOf = (id: string): string => new Date(timeOf(id)).toISOString().slice(0, 10)

/**
 * The id of an entry with the files of a prompt. It stands right after the prompt: Discord does not count so far in one
 * millisecond, and late output has the id after it.
 */
export const idOfFiles = (promptId: string): string => String((BigInt(promptId) | 0x3f_ff_ffn) - 1n)

/** The first millisecond of 2015. */
const epoch = 1_420_070_400_000n
