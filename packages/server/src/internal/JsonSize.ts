/** How many bytes a text takes in JSON, without its quotes. */
export const of = (text: string): number => {
  let bytes = 0
  for (let at = 0; at < text.length; at += unitsAt(text, at)) bytes += bytesAt(text, at)
  return bytes
}

/** The beginning of a text, of at most this many bytes in JSON; no character is split. */
export const head = (text: string, most: number): string => {
  let bytes = 0
  for (let at = 0; at < text.length; at += unitsAt(text, at)) {
    bytes += bytesAt(text, at)
    if (bytes > most) return text.slice(0, at)
  }
  return text
}

/** Splits a text into pieces of at most this many bytes in JSON each, after a line where the lines are short enough. */
export const pieces = (text: string, most: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  let rest = text
  for (;;) {
    const first = head(rest, most)
    if (first.length === rest.length) return [...found, first]
    const line = first.lastIndexOf("\n") + 1
    const cut = line > first.length / 2 ? line : first.length
    found.push(rest.slice(0, cut))
    rest = rest.slice(cut)
  }
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000

const unitsAt = (text: string, at: number): number =>
  isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1)) ? 2 : 1

const bytesAt = (text: string, at: number): number => {
  const unit = text.charCodeAt(at)
  if (unit < 0x20) return "\b\t\n\f\r".includes(text.charAt(at)) ? 2 : 6
  if (unit < 0x80) return unit === 0x22 || unit === 0x5c ? 2 : 1
  if (unit < 0x800) return 2
  if (unitsAt(text, at) === 2) return 4
  return isHigh(unit) || isLow(unit) ? 6 : 3
}
