/** Whether a value is an object that is neither null nor an array. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value at a path of names and indexes. */
export const at = (json: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (value, name) => (Array.isArray(value) ? value[Number(name)] : isRecord(value) ? value[name] : undefined),
      json
    )

/** A value as JSON, at most 158 characters. */
export const excerpt = (value: unknown): string => {
  const text = value === undefined ? "absent" : JSON.stringify(value)
  return text.length > 160 ? `${text.slice(0, 157)}…` : text
}
