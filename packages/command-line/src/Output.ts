import * as Effect from "effect/Effect"

/** Prints the results of a command: JSON for programs, `name: value` lines for people. */
export interface Output {
  readonly json: boolean
  /** Prints a result: one JSON line, or one line per field. */
  readonly print: (result: Result) => Effect.Effect<void>
  /** Prints one of several results; a blank line separates them for people. */
  readonly printItem: (result: Result) => Effect.Effect<void>
  /** Prints a note for people on standard error. */
  readonly hint: (text: string) => Effect.Effect<void>
}

/** The fields of a result by name. */
export type Result = Readonly<Record<string, unknown>>

/** Prints results on standard output, as JSON where `json` is true; hints go to standard error, for people alone. */
export const make = (json: boolean): Output => {
  const print = (result: Result) => write(json ? escapeControls(JSON.stringify(result)) : formatResult(result))
  return {
    json,
    print,
    printItem: (result) => (json ? print(result) : Effect.zipRight(print(result), write(""))),
    hint: (text) => (json ? Effect.void : note(text))
  }
}

/** Prints a note on standard error. */
export const note = (text: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stderr.write(`${escapeControls(text)}\n`))

/** Prints a result that is one line for readers. */
export const line = (text: string): Effect.Effect<void> => write(escapeControls(text))

/**
 * Escapes, as JSON does, the characters that control a terminal, begin a line or turn the reading direction. Names and
 * ids are untrusted input.
 */
export const escapeControls = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const formatResult = (result: Result): string =>
  Object.entries(result)
    .map(([name, value]) => `${name}: ${escapeControls(Array.isArray(value) ? value.join(" ") : String(value))}`)
    .join("\n")

function write(line: string): Effect.Effect<void> {
  return Effect.sync(() => void process.stdout.write(`${line}\n`))
}
