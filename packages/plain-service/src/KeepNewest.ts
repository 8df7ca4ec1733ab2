const limit = 10_000

/** Bounds a list or a table: what came first goes first. */
export const keepNewest = (entries: Array<unknown> | Map<string, unknown>): void => {
  if (Array.isArray(entries)) {
    if (entries.length > limit) entries.splice(0, entries.length - limit)
    return
  }
  for (const key of entries.keys()) {
    if (entries.size <= limit) return
    entries.delete(key)
  }
}
