/** A JSON object as it is written into the document. */
export type Json = Readonly<Record<string, unknown>>

/**
 * A schema of the contract as this service keeps it. It is strict about null alone. The contract's decoder tolerates
 * nulls of other servers; this service never sends them, so the null variants are left out. So is every variant that
 * `isOffered` denies. References to models of the contract stay, by the name that `refer` returns; other references are
 * written out. Names of Effect's own types are left away, and what is not listed stays allowed (contract decision 21).
 */
export const strictSchema = (
  schema: unknown,
  definitions: Json,
  { isOffered, refer }: { readonly isOffered: (variant: Json) => boolean; readonly refer: (model: string) => Json }
): Json => {
  const convert = (schema: unknown): Json => {
    if (!isObject(schema)) return {}
    const { $ref, allOf, anyOf, ...own } = schema
    if (typeof $ref === "string") {
      const name = nameOf($ref)
      return name.startsWith(modelPrefix) ? refer(name.slice(modelPrefix.length)) : convert(definitions[name])
    }
    const members = [anyOf, allOf]
      .flatMap((members) => (Array.isArray(members) ? members : []))
      .filter((member) => !isNull(member))
      .map(convert)
      .filter(isOffered)
    return {
      ...(members.length === 1 ? members[0] : members.length > 1 ? { anyOf: members } : {}),
      ...Object.fromEntries(Object.entries(own).flatMap(([key, value]) => keyword(key, value, convert)))
    }
  }
  return convert(schema)
}

/** The prefix of the identifiers of the contract's models. */
export const modelPrefix = "@heddle/core/"

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The object at `key`, empty where there is none. */
export const child = (parent: Json, key: string): Json => {
  const value = parent[key]
  return isObject(value) ? value : {}
}

const nameOf = (reference: string): string =>
  (reference.split("/").at(-1) ?? "").replaceAll("~1", "/").replaceAll("~0", "~")

const keyword = (
  key: string,
  value: unknown,
  convert: (schema: unknown) => Json
): ReadonlyArray<readonly [string, unknown]> => {
  if (key === "$id" || key === "title" || key === "additionalProperties") return []
  if (key === "description") return typeof value === "string" && jargon.test(value) ? [] : [[key, value]]
  if (key === "required") return Array.isArray(value) && value.length > 0 ? [[key, value]] : []
  if (key === "items") {
    const items = convert(value)
    return Object.keys(items).length === 0 ? [] : [[key, items]]
  }
  if (key === "properties" && isObject(value)) {
    const properties = Object.entries(value).map(([name, property]) => [name, convert(property)])
    return properties.length === 0 ? [] : [[key, Object.fromEntries(properties)]]
  }
  return [[key, value]]
}

const isNull = (schema: unknown): boolean => isObject(schema) && schema["type"] === "null"

const jargon = /^(Redacted\(|ReadonlySet<|an? (non empty string|integer|finite number)|@heddle\/)/
