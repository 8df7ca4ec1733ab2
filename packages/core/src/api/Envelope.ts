import * as Schema from "effect/Schema"
import { WireInt } from "../domain/Wire.ts"

/** The envelope that the local-assistant endpoints answer in (contract 4.6): `code` is 0 and `msg` is `success`. */
export const of = <A, I>(data: Schema.Schema<A, I>) =>
  Schema.Struct({ code: WireInt, msg: Schema.String, request_id: Schema.String, data })

/** A success in its envelope. */
export const success = <A>(requestId: string, data: A) => ({ code: 0, msg: "success", request_id: requestId, data })
