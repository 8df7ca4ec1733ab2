/**
 * Reads a query parameter as contract decision 83 says: digits only, given once. A number beyond a billion counts as a
 * billion.
 */
export const parse = (given: string | ReadonlyArray<string> | undefined): number | undefined => {
  const text = typeof given === "string" ? given : given?.length === 1 ? given[0] : undefined
  return text !== undefined && /^\d+$/.test(text) ? Math.min(Number(text), 1_000_000_000) : undefined
}
