/**
 * Splits a phrase, but neither inside quotes nor at the "and" of "between 1 and 5". Private-use characters mark the
 * protected texts meanwhile.
 */
export const splitOutsideQuotes = (text: string, separator: RegExp): ReadonlyArray<string> => {
  const protectedTexts: Array<string> = []
  const protect = (quote: string): string => `\ue000${protectedTexts.push(quote) - 1}\ue001`
  const masked = text
    .replace(/"[^"]*"|“[^”]*”|(?<=^|[\s=])'[^']*'/g, protect)
    .replace(/\bbetween\s+\S+(?:\s+\d+)?\s+and\s+\S+/gi, protect)
  const restore = (part: string): string => {
    let restored = part
    for (let i = 0; i < 3; i++)
      restored = restored.replace(/\ue000(\d+)\ue001/g, (_, at: string) => protectedTexts[Number(at)] ?? "")
    return restored
  }
  return masked
    .split(separator)
    .map((part) => restore(part).trim())
    .filter((part) => part !== "")
}

/** A text that is one quotation, as a pasted suggestion is, without its marks; any other as it is. */
export const unquoteWhole = (text: string): string =>
  /^\s*["“”„「']([^"“”„「」]+)["“”」'’][\s.?!。！？]*$/.exec(text)?.[1]?.trim() ?? text

/** The text without the quotation marks around it. */
export const unquote = (text: string): string =>
  text
    .trim()
    .replace(/^["'“‘`](.*)["'”’`]$/, "$1")
    .trim()
