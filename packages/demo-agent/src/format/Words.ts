/** Splits a name or a phrase into lower-case words: `unitPrice`, `unit_price` and "Unit price" are the same. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")

/** The text with its first letter in upper case. */
export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
