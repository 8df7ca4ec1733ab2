/** Cuts a phrase; "between 1 and 5" keeps its "and", text in quotes is never cut. */
export const splitOutsideQuotes = (text: string, separator: RegExp): ReadonlyArray<string> => {
  const kept: Array<string> = []
  const hide = (found: string): string => `\ue000${kept.push(found) - 1}\ue001`
  const hidden = text
    .replace(/"[^"]*"|“[^”]*”|(?<=^|[\s=])'[^']*'/g, hide)
    .replace(/\bbetween\s+\S+(?:\s+\d+)?\s+and\s+\S+/gi, hide)
  const show = (part: string): string => {
    let shown = part
    for (let i = 0; i < 3; i++) shown = shown.replace(/\ue000(\d+)\ue001/g, (_, at: string) => kept[Number(at)] ?? "")
    return shown
  }
  return hidden
    .split(separator)
    .map((part) => show(part).trim())
    .filter((part) => part !== "")
}

/** The text without the quotation marks around it. */
export const unquote = (text: string): string =>
  text
    .trim()
    .replace(/^["'“‘`](.*)["'”’`]$/, "$1")
    .trim()
