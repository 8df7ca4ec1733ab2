/** The bytes of a text in JSON, without its quotes. */
export const sizeOf = (text: string): number => {
  let bytes = 0
  for (let index = 0; index < text.length; index += codeUnitsAt(text, index)) bytes += bytesAt(text, index)
  return bytes
}

/** The beginning of a text, of at most this many bytes in JSON; no character is split. */
export const takeBytes = (text: string, maxBytes: number): string => {
  let bytes = 0
  for (let index = 0; index < text.length; index += codeUnitsAt(text, index)) {
    bytes += bytesAt(text, index)
    if (bytes > maxBytes) return text.slice(0, index)
  }
  return text
}

/** Splits a text into pieces of at most this many bytes in JSON each, after a line where the lines are short enough. */
export const splitBytes = (text: string, maxBytes: number): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let rest = text
  for (;;) {
    const first = takeBytes(rest, maxBytes)
    if (first.length === rest.length) return [...parts, first]
    const afterLine = first.lastIndexOf("\n") + 1
    const end = afterLine > first.length / 2 ? afterLine : first.length
    parts.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000

const codeUnitsAt = (text: string, index: number): number =>
  isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1)) ? 2 : 1

const bytesAt = (text: string, index: number): number => {
  const unit = text.charCodeAt(index)
  if (unit < 0x20) return "\b\t\n\f\r".includes(text.charAt(index)) ? 2 : 6
  if (unit < 0x80) return unit === 0x22 || unit === 0x5c ? 2 : 1
  if (unit < 0x800) return 2
  if (codeUnitsAt(text, index) === 2) return 4
  return isHighSurrogate(unit) || isLowSurrogate(unit) ? 6 : 3
}
