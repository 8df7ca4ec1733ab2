import * as Schema from "effect/Schema"

/** A user as one application knows them: pairwise, isolated per application (contract 2.10, 5.8), opaque. */
export const OpenId = Schema.NonEmptyString.pipe(Schema.brand("OpenId"))
export type OpenId = typeof OpenId.Type
