import * as Fs from "node:fs"
import * as Path from "node:path"

/** Makes the relative paths of a command absolute, because it will run in another folder. */
export const withAbsolutePaths = (command: ReadonlyArray<string>): ReadonlyArray<string> =>
  command.map((word) => (/[\\/]/.test(word) && Fs.existsSync(word) ? Path.resolve(word) : word))

/** Splits a command line into words: '…' and "…" keep spaces, a backslash keeps the next character. */
export const splitWords = (line: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  let word: string | undefined
  let quote = ""
  for (let index = 0; index < line.length; index++) {
    const char = line.charAt(index)
    if (char === "\\" && quote !== "'" && process.platform !== "win32" && index + 1 < line.length) {
      word = (word ?? "") + line.charAt(++index)
    } else if (quote === "" ? char === "'" || char === '"' : char === quote) {
      quote = quote === "" ? char : ""
      word ??= ""
    } else if (quote === "" && /\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      word = (word ?? "") + char
    }
  }
  if (word !== undefined) words.push(word)
  return words
}
