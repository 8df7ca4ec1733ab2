import type * as z from "zod/mini"

type Schema = z.core.$ZodType
type Def =
  | z.core.$ZodObjectDef
  | z.core.$ZodArrayDef
  | z.core.$ZodRecordDef
  | z.core.$ZodUnionDef
  | z.core.$ZodOptionalDef
  | z.core.$ZodNullableDef
  | z.core.$ZodDefaultDef
  | z.core.$ZodLazyDef
  | z.core.$ZodIntersectionDef
  | z.core.$ZodLiteralDef<z.core.util.Literal>

/** The places in a value that fits a schema of which the schema says nothing. */
export const unknownIn = (schema: Schema, value: unknown, path = ""): ReadonlyArray<string> => {
  const def = defOf(schema)
  switch (def.type) {
    case "object":
      return isObject(value) ? unknownFields(def, value, path) : []
    case "array":
      return Array.isArray(value) ? value.flatMap((one, index) => unknownIn(def.element, one, `${path}.${index}`)) : []
    case "record":
      return isObject(value)
        ? Object.entries(value).flatMap(([key, one]) => unknownIn(def.valueType, one, `${path}.${key}`))
        : []
    case "union": {
      // Of the alternatives that fit, the one that knows most.
      const fitting = def.options.filter((option) => mayFit(option, value) && fits(option, value))
      return fitting.map((option) => unknownIn(option, value, path)).toSorted((a, b) => a.length - b.length)[0] ?? []
    }
    case "optional":
    case "nullable":
    case "default":
      return value === undefined || value === null ? [] : unknownIn(def.innerType, value, path)
    case "lazy":
      return unknownIn(def.getter(), value, path)
    case "intersection":
      return unknownIn(def.left, value, path).filter((place) => unknownIn(def.right, value, path).includes(place))
    default:
      return []
  }
}

const defOf = (schema: Schema): Def => (schema as unknown as z.ZodMiniType).def as Def

const unknownFields = (
  def: z.core.$ZodObjectDef,
  value: Readonly<Record<string, unknown>>,
  path: string
): ReadonlyArray<string> =>
  Object.entries(value).flatMap(([key, one]) => {
    // A key may be one that every object has.
    const field = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined
    if (field !== undefined) return unknownIn(field, one, `${path}.${key}`)
    return def.catchall === undefined || one === undefined ? [`${path}.${key}`] : []
  })

const fits = (schema: Schema, value: unknown): boolean => (schema as unknown as z.ZodMiniType).safeParse(value).success

/** A look that costs nothing, and spares most alternatives the whole check: kinds, and words that an object must have. */
const mayFit = (schema: Schema, value: unknown): boolean => {
  const def = defOf(schema)
  switch (def.type) {
    case "object":
      return isObject(value) && literalsOf(def).every(([key, values]) => values.includes(value[key]))
    case "array":
      return Array.isArray(value)
    case "record":
      return isObject(value)
    case "literal":
      return (def.values as ReadonlyArray<unknown>).includes(value)
    default:
      return true
  }
}

/** The keys of an object that have one of some values, such as its type. */
const literalsOf = (def: z.core.$ZodObjectDef): ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> => {
  const known = literals.get(def)
  if (known !== undefined) return known
  const found = Object.entries(def.shape).flatMap(([key, field]) => {
    const inner = defOf(field)
    return inner.type === "literal" ? [[key, inner.values] as const] : []
  })
  literals.set(def, found)
  return found
}

const literals = new WeakMap<object, ReadonlyArray<readonly [string, ReadonlyArray<unknown>]>>()

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
