import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { split } from "shlex"

/**
 * Splits the command of an agent into words as a POSIX shell does. Files that it names relative to this folder become
 * absolute, because the agent runs in another folder. Fails with the problem, a clause for an error message.
 */
export const parse = (line: string): Effect.Effect<ReadonlyArray<string>, string> =>
  Effect.try({
    // A backslash separates folders on Windows; elsewhere it keeps the next character.
    try: () => split(process.platform === "win32" ? line.replaceAll("\\", "\\\\") : line),
    catch: () => (line.endsWith("\\") ? "it ends with a backslash" : "it has a quote that is not closed")
  }).pipe(Effect.map((words) => words.map(withAbsolutePath)))

const withAbsolutePath = (word: string): string =>
  /[\\/]/.test(word) && Fs.existsSync(word) ? Path.resolve(word) : word
