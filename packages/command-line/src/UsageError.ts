import * as Data from "effect/Data"

/** A wrong command line, with one line that says what is wrong. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}
