import * as Effect from "effect/Effect"

/** Prints a result on standard output: one JSON line, or one `name: value` line per field. */
export const print = (json: boolean, result: Readonly<Record<string, unknown>>): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${readable(result)}\n`)
  })

/** Tells the person at the terminal something beside the result, on standard error. */
export const note = (text: string): Effect.Effect<void> => Effect.sync(() => void process.stderr.write(`${text}\n`))

/** Prints a result that is one line for readers. */
export const line = (text: string): Effect.Effect<void> => Effect.sync(() => void process.stdout.write(`${text}\n`))

/** Sets results apart for readers. */
export const blankLine: Effect.Effect<void> = Effect.sync(() => void process.stdout.write("\n"))

const readable = (result: Readonly<Record<string, unknown>>): string =>
  Object.entries(result)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(" ") : String(value)}`)
    .join("\n")
