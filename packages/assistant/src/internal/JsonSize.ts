/** The bytes of a text in JSON, without its quotes. */
export const sizeOf = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2

/** The beginning of a text of at most `maxBytes` in JSON; no character is split. */
export const takeBytes = (text: string, maxBytes: number): string => {
  let bytes = 0
  let length = 0
  for (const character of text) {
    bytes += sizeOf(character)
    if (bytes > maxBytes) break
    length += character.length
  }
  return text.slice(0, length)
}
