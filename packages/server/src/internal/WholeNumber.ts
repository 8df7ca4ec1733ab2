/**
 * Parses a query parameter by contract decision 83: digits only, given once. A number above a billion counts as a
 * billion.
 */
export const parse = (parameter: string | ReadonlyArray<string> | undefined): number | undefined => {
  const text = typeof parameter === "string" ? parameter : parameter?.length === 1 ? parameter[0] : undefined
  return text !== undefined && /^\d+$/.test(text) ? Math.min(Number(text), 1_000_000_000) : undefined
}
