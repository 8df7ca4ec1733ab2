/** Far more than any body of Discord nests; walks over a body call themselves once a level. */
const deepest = 64

/** Tells whether a JSON value nests deeper than anything Discord takes. */
export const isTooDeep = (value: unknown, depth = 0): boolean => {
  if (typeof value !== "object" || value === null) return false
  return depth === deepest || Object.values(value).some((one) => isTooDeep(one, depth + 1))
}
