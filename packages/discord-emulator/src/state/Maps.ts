/** Adds or replaces a record and returns the replaced one. */
export const put = <A extends { readonly id: string }>(table: Map<string, A>, value: A): A | undefined => {
  const before = table.get(value.id)
  table.set(value.id, value)
  return before
}

/** Removes a record and returns it. */
export const removeFrom = <A>(table: Map<string, A>, id: string): A | undefined => {
  const before = table.get(id)
  table.delete(id)
  return before
}

/** Drops stale entries from the front; maps keep insertion order, so the oldest entries come first. */
export const dropOldest = <A>(table: Map<string, A>, isStale: (value: A) => boolean): void => {
  for (const [key, value] of table) {
    if (!isStale(value)) return
    table.delete(key)
  }
}
