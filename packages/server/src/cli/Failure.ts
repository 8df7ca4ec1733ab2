import * as Schema from "effect/Schema"

/** The command did nothing. The message says why and what to do. */
export class Failure extends Schema.TaggedError<Failure>()("Failure", { message: Schema.String }) {}
