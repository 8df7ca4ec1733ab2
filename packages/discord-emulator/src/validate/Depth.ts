/** The deepest allowed nesting; code that walks a body is recursive. */
const maxDepth = 64

/** Whether a JSON value is nested deeper than Discord allows. */
export const isTooDeep = (value: unknown, depth = 0): boolean => {
  if (typeof value !== "object" || value === null) return false
  return depth === maxDepth || Object.values(value).some((child) => isTooDeep(child, depth + 1))
}
