/** The bytes that a text takes in JSON, without its quotes. */
export const of = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2

/** The beginning of a text that takes at most this many bytes in JSON; it ends between two characters. */
export const head = (text: string, most: number): string => {
  let bytes = 0
  let length = 0
  for (const character of text) {
    bytes += of(character)
    if (bytes > most) break
    length += character.length
  }
  return text.slice(0, length)
}
