import * as Schema from "effect/Schema"

/**
 * The local stack cannot start or continue. `message` is one line that names the setting and the fix. `status` is the
 * exit status: 2 for invalid settings, 1 for a failure at run time.
 */
export class StackError extends Schema.TaggedError<StackError>()("StackError", {
  message: Schema.String,
  status: Schema.Literal(1, 2)
}) {}
