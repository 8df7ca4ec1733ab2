import * as Data from "effect/Data"

/** A wrong command line; the message is one line. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}
