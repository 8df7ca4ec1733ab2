/** Splits a command as a person types it: words, '…' and "…" keep spaces, a backslash keeps the next character. */
export const words = (line: string): ReadonlyArray<string> => {
  const found: Array<string> = []
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
      if (word !== undefined) found.push(word)
      word = undefined
    } else {
      word = (word ?? "") + char
    }
  }
  if (word !== undefined) found.push(word)
  return found
}
