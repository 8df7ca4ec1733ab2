import { DiscordError, type FieldErrors } from "../model/DiscordError.ts"

/** A place in a body, such as `embeds.0.title`. */
export type Path = ReadonlyArray<string | number>

/** Collects the errors of a body, and throws all of them at once, as Discord does (50035). */
export class FormErrors {
  readonly #errors = noErrors()
  #failed = false

  addError(path: Path, code: string, message: string): void {
    this.#failed = true
    let node = this.#errors
    for (const key of path) {
      const child = node[key]
      const next: FieldErrors = child === undefined || Array.isArray(child) ? noErrors() : (child as FieldErrors)
      node[key] = next
      node = next
    }
    const earlier = node["_errors"]
    node["_errors"] = [...(Array.isArray(earlier) ? earlier : []), { code, message }]
  }

  /** Adds the error for a missing field. */
  addRequiredError(path: Path): void {
    this.addError(path, "BASE_TYPE_REQUIRED", "This field is required")
  }

  /** Adds an error for each of these fields that is present: the emulator does not support them. */
  addUnsupportedErrors(fields: Readonly<Record<string, unknown>>, keys: ReadonlyArray<string>): void {
    for (const key of keys)
      if (fields[key] !== undefined && fields[key] !== null)
        this.addError([key], "BASE_TYPE_UNSUPPORTED", "This Discord cannot keep it.")
  }

  /** Throws 50035 when there is an error. */
  throwIfInvalid(): void {
    if (this.#failed) throw new DiscordError(400, 50035, "Invalid Form Body", this.#errors)
  }
}

/** Clients choose the names of fields: without a prototype even `__proto__` is a plain key. */
const noErrors = (): FieldErrors => Object.create(null) as FieldErrors
