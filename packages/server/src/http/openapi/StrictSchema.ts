/** A JSON object as it is written into the document. */
export type Json = Readonly<Record<string, unknown>>

/**
 * A schema of the contract as this service keeps it: the contract's decoder tolerates nulls, numbers in strings and
 * missing fields of other servers, which this one never sends. References are written out; names of Effect's own types
 * are left away, and what is not listed stays allowed (contract decision 21).
 */
export const truthful = (schema: unknown, definitions: Json): Json => {
  if (!isObject(schema)) return {}
  const { $ref, allOf, anyOf, ...own } = schema
  if (typeof $ref === "string") return truthful(definitions[nameOf($ref)], definitions)
  const alternatives = [anyOf, allOf].flatMap((members) => (Array.isArray(members) ? members : []))
  const meant = alternatives.filter((member) => !isTolerance(member)).map((member) => truthful(member, definitions))
  return {
    ...(meant.length === 1 ? meant[0] : meant.length > 1 ? { anyOf: meant } : {}),
    ...Object.fromEntries(Object.entries(own).flatMap(([key, value]) => keyword(key, value, definitions)))
  }
}

/** The name behind a reference. */
export const nameOf = (reference: string): string =>
  (reference.split("/").at(-1) ?? "").replaceAll("~1", "/").replaceAll("~0", "~")

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const keyword = (key: string, value: unknown, definitions: Json): ReadonlyArray<readonly [string, unknown]> => {
  if (key === "$id" || key === "title") return []
  if (key === "description") return typeof value === "string" && jargon.test(value) ? [] : [[key, value]]
  if (key === "additionalProperties") return []
  if (key === "required") return Array.isArray(value) && value.length > 0 ? [[key, value]] : []
  if (key === "items") return [[key, truthful(value, definitions)]]
  if (key === "properties" && isObject(value)) {
    const properties = Object.entries(value).map(([name, property]) => [name, truthful(property, definitions)])
    return properties.length === 0 ? [] : [[key, Object.fromEntries(properties)]]
  }
  return [[key, value]]
}

const isTolerance = (schema: unknown): boolean =>
  isObject(schema) && (schema["type"] === "null" || schema["description"] === "a string to be decoded into a number")

const jargon = /^(Redacted\(|ReadonlySet<|an? (non empty string|integer|finite number)|@heddle\/)/
