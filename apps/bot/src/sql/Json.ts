import * as Schema from "effect/Schema"

/** A JSON column: encodes for a row and decodes from one; a row that does not fit is a defect of this program. */
export const column = <A, I>(schema: Schema.Schema<A, I>) => {
  const json = Schema.parseJson(schema)
  return { write: Schema.encodeSync(json), read: Schema.decodeSync(json) }
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
