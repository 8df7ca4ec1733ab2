import { DiscordError, type FieldErrors } from "../model/DiscordError.ts"

/** Something a person cannot do, in words for that person or for the author of a test. */
export class ActorError extends Error {
  override readonly name: string = "ActorError"
}

/** Runs an action of a person, and turns a `DiscordError` into an `ActorError`. */
export const withActorErrors = <A>(act: () => A): A => {
  try {
    return act()
  } catch (cause) {
    if (cause instanceof DiscordError) throw new ActorError(explain(cause), { cause })
    throw cause
  }
}

const explain = (error: DiscordError): string =>
  error.errors === undefined ? error.message : [...fieldsOf(error.errors, "")].join("; ")

function* fieldsOf(errors: FieldErrors, path: string): Iterable<string> {
  for (const [key, below] of Object.entries(errors)) {
    if (isNested(below)) yield* fieldsOf(below, path === "" ? key : `${path}.${key}`)
    else for (const { message } of below) yield path === "" ? message : `${path}: ${message}`
  }
}

const isNested = (value: FieldErrors[string]): value is FieldErrors => !Array.isArray(value)
