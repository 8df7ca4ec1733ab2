/** Far more than any body of Discord nests; walks over a body call themselves once a level. */
const deepest = 64

/** Tells whether a JSON value nests deeper than anything Discord takes. */
export const isTooDeep = (value: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [value]
  for (let depth = 0; depth <= deepest; depth++) {
    level = level.flatMap((one): ReadonlyArray<unknown> =>
      typeof one === "object" && one !== null ? Object.values(one) : []
    )
    if (level.length === 0) return false
  }
  return true
}
