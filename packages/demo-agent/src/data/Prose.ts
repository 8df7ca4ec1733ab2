/** The counts of a Markdown or plain text. */
export interface Prose {
  readonly lines: number
  readonly words: number
  readonly characters: number
  readonly headings: ReadonlyArray<{ readonly level: number; readonly text: string }>
  /** Up to 10 words of at least three letters without English stop words, most frequent first. */
  readonly frequentWords: ReadonlyArray<readonly [word: string, times: number]>
}

/** Counts a text; yields to the event loop and stops when the signal aborts. */
export const readProse = async (text: string, signal: AbortSignal): Promise<Prose> => {
  const lines = text.replace(/\n$/, "").split(/\r?\n/)
  const headings: Array<Prose["headings"][number]> = []
  const frequency = new Map<string, number>()
  let words = 0
  let isCode = false
  for (const [n, line] of lines.entries()) {
    if (n % 2000 === 0) {
      signal.throwIfAborted()
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (/^\s{0,3}(?:```|~~~)/.test(line)) isCode = !isCode
    const heading = isCode ? null : /^(#{1,6})\s+(\S.*)/.exec(line)
    if (heading !== null) headings.push({ level: heading[1]?.length ?? 1, text: (heading[2] ?? "").slice(0, 200) })
    for (const word of wordsIn(line)) {
      words++
      if (!/^\p{Script=Han}{2}|^\D{3}/u.test(word) || STOP_WORDS.has(word)) continue
      if (frequency.has(word) || frequency.size < 200_000) frequency.set(word, (frequency.get(word) ?? 0) + 1)
    }
  }
  const frequentWords = [...frequency].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 10)
  return { lines: lines.length, words, characters: Array.from(text).length, headings, frequentWords }
}

/** The words of a line in lower case. Chinese has no spaces between them. */
const wordsIn = function* (line: string): Generator<string> {
  for (const [run] of line.matchAll(/\p{Script=Han}{1,500}|[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)) {
    if (!/^\p{Script=Han}/u.test(run)) yield run.toLowerCase()
    else for (const { segment } of SEGMENTER.segment(run)) yield segment
  }
}

const SEGMENTER = new Intl.Segmenter("zh", { granularity: "word" })

const STOP_WORDS = new Set(
  (
    "the and for are but not you all any can had her was one our out has him his how its may new now old see two who did get " +
    "this that with have from they will would there their what about which when make like into than then them these some could " +
    "other only over also after first well way even because most been were your more just such each while where does very being " +
    "must should between through before here those both it's don't"
  ).split(" ")
)
