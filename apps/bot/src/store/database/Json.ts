import * as Schema from "effect/Schema"

/** A JSON column with a schema; a row that does not match is a defect. */
export const column = <A, I>(schema: Schema.Schema<A, I>) => {
  const json = Schema.parseJson(schema)
  return { write: Schema.encodeSync(json), read: Schema.decodeSync(json) }
}

/** Values by foreign names; a record schema would lose the name "__proto__". */
export const recordOf = <A>(value: Schema.Schema<A>): Schema.Schema<Readonly<Record<string, A>>> => {
  const isValue = Schema.is(value)
  return Schema.declare(
    (value: unknown): value is Readonly<Record<string, A>> =>
      typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(isValue)
  )
}

/** A message's files in a row. */
export const attachments = column(
  Schema.Array(
    Schema.Struct({
      name: Schema.String,
      url: Schema.String,
      size: Schema.Number,
      contentType: Schema.Union(Schema.String, Schema.Undefined)
    })
  )
)
