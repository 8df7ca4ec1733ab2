/** Takes no room and belongs to nothing: between two signs it keeps Discord from reading them as one mark. */
export const apart = "\u200b"

/** Code that Discord does not end before its end: three backticks close a block wherever they are. */
export const codeSafe = (code: string): string => code.replace(/``(?=`)/g, `\`\`${apart}`)

/**
 * A line without what only Discord gives a meaning: mentions of people, roles, channels and commands, times and emojis
 * in angle brackets, backticks that would open a block across lines, and, where a line begins, a quote of all the rest.
 */
export const textSafe = (line: string, atStart: boolean): string => {
  const named = line
    .replace(/<(?=@[!&]?\d|#\d|a?:\w+:\d|\/[^\s<>]|t:-?\d|id:\w)/g, `<${apart}`)
    .replace(/@(?=everyone|here)/g, `@${apart}`)
  const ticked = named.includes("```") ? ticks(named) : named
  return atStart ? ticked.replace(/^( *>)(?=>>\s)/, "$1 ") : ticked
}

/** What the rest of a line needs in front so that it is not taken for the beginning of a heading, list or quote. */
export const restSafe = (rest: string): string =>
  /^\s*(#{1,3}\s|[-*]\s|\d+\.\s|>\s|>>>\s|-#\s)/.test(rest) ? apart : ""

/** Three backticks stay where three more on the same line end the code; all others are no mark. */
const ticks = (line: string): string => {
  const runs = [...line.matchAll(/`{3,}/g)]
  const kept = new Set<number>()
  let open: number | undefined
  for (const { 0: marks, index } of runs) {
    if (marks.length !== 3) continue
    if (open === undefined) open = index
    else {
      kept.add(open).add(index)
      open = undefined
    }
  }
  return line.replace(/`{3,}/g, (marks, index: number) => (kept.has(index) ? marks : codeSafe(marks)))
}
