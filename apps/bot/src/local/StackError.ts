import * as Schema from "effect/Schema"

/**
 * The local stack cannot start or go on. `message` is one line for the person at the terminal that names the
 * setting and the fix; `status` is the exit status: 2 for bad settings, 1 for a failure while running.
 */
export class StackError extends Schema.TaggedError<StackError>()("StackError", {
  message: Schema.String,
  status: Schema.Literal(1, 2)
}) {}
