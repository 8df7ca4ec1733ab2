/** Tells whether a parsed JSON value is an object. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A member of a parsed JSON object, or undefined. */
export const field = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined)

/** A member that is a string, or undefined. */
export const stringField = (value: unknown, name: string): string | undefined => {
  const member = field(value, name)
  return typeof member === "string" ? member : undefined
}
