import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/** The base class of a model: a schema class that is a component of the OpenAPI document. */
export const model = <Self = never>(name: string): ReturnType<typeof Schema.Class<Self>> => {
  const make = Schema.Class<Self>(`@heddle/core/${name}`) as (
    fields: object,
    annotations: ReadonlyArray<object | undefined>
  ) => never
  return (fields: object, annotations?: object) => make(fields, [undefined, { ...component(name), ...annotations }])
}

/** The annotation of a schema that is a component of the OpenAPI document. */
export const component = (name: string) => ({ [AST.JSONIdentifierAnnotationId]: `@heddle/core/${name}` })

/** The field `key` on the wire, which is always present. The description is for the OpenAPI document. */
export const required = <Key extends string, S extends Schema.Schema.All>(key: Key, schema: S, description: string) =>
  Schema.propertySignature(schema).pipe(Schema.fromKey(key)).annotations({ description })

/**
 * A field that may be absent or `null` on the wire and is absent in the model (contract decision 21). The description
 * is for the OpenAPI document.
 */
export const optional = <A, I>(schema: Schema.Schema<A, I>, description?: string) =>
  Schema.optionalWith(schema, { exact: true, nullable: true }).annotations(
    description === undefined ? {} : { description }
  )

/**
 * An integer that some servers write as a numeric string (contract decision 21); beyond 2^53 it does not decode.
 */
export const WireInt = Schema.Union(Schema.Int, Schema.NumberFromString.pipe(Schema.int())).pipe(
  Schema.filter((value) => Number.isSafeInteger(value), {
    message: () => "not a safe integer",
    jsonSchema: { type: "integer" }
  })
)

/** A number of seconds that some servers write as a numeric string or with a fraction (contract decision 34). */
export const WireSeconds = Schema.Union(Schema.Finite, Schema.NumberFromString.pipe(Schema.finite())).annotations({
  jsonSchema: { type: "integer" }
})

/** A moment as ISO 8601 text. */
export const DateTimeText = Schema.String.annotations({ jsonSchema: { format: "date-time" } })

/** The text of a URI. */
export const UriText = Schema.String.annotations({ jsonSchema: { format: "uri" } })
