import * as Effect from "effect/Effect"

/** Prints a result on standard output: one JSON line, or one `name: value` line per field. */
export const print = (json: boolean, result: Readonly<Record<string, unknown>>): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(json ? `${visible(JSON.stringify(result))}\n` : `${readable(result)}\n`)
  })

/** Tells the person at the terminal something beside the result, on standard error. */
export const note = (text: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stderr.write(`${visible(text)}\n`))

/** Prints a result that is one line for readers. */
export const line = (text: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stdout.write(`${visible(text)}\n`))

/**
 * A text in which nothing acts on a terminal, begins a line or turns the direction of reading: names and ids come from
 * strangers. What would is written as JSON escapes it.
 */
export const visible = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** Sets results apart for readers. */
export const blankLine: Effect.Effect<void> = Effect.sync(() => void process.stdout.write("\n"))

const readable = (result: Readonly<Record<string, unknown>>): string =>
  Object.entries(result)
    .map(([name, value]) => `${name}: ${visible(Array.isArray(value) ? value.join(" ") : String(value))}`)
    .join("\n")
