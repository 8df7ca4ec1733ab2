import * as Schema from "effect/Schema"

/** A JSON column: encodes for a row and decodes from one; a row that does not fit is a defect of this program. */
export const column = <A, I>(schema: Schema.Schema<A, I>) => {
  const json = Schema.parseJson(schema)
  return { write: Schema.encodeSync(json), read: Schema.decodeSync(json) }
}

/** Values by names from outside, any name: a record of a schema would lose one that is called "__proto__". */
export const recordOf = <A>(value: Schema.Schema<A>): Schema.Schema<Readonly<Record<string, A>>> => {
  const isValue = Schema.is(value)
  return Schema.declare(
    (given: unknown): given is Readonly<Record<string, A>> =>
      typeof given === "object" && given !== null && !Array.isArray(given) && Object.values(given).every(isValue)
  )
}

/** The files of a message as rows keep them. */
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
