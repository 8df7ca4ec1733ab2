import * as Schema from "effect/Schema"
import { required, WireInt } from "../domain/Wire.ts"

/** The envelope that the local-assistant endpoints answer in (contract 4.6): `code` is 0 and `msg` is `success`. */
export const of = <A, I>(data: Schema.Schema<A, I>) =>
  Schema.Struct({
    code: WireInt.annotations({ jsonSchema: { type: "integer", const: 0 } }),
    msg: Schema.String.annotations({ jsonSchema: { const: "success" } }),
    request_id: required("request_id", Schema.String, "The trace id, also in `x-request-id`."),
    data
  })

/** A success in its envelope. */
export const success = <A>(requestId: string, data: A) => ({ code: 0, msg: "success", request_id: requestId, data })
