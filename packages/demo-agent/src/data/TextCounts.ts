/** The counts of a text, updated line by line. */
export interface TextCounts {
  words: number
  sentences: number
  paragraphs: number
  longestLine: number
  readonly frequency: Map<string, number>
  previousIsBlank: boolean
}

export const emptyTextCounts = (): TextCounts => ({
  words: 0,
  sentences: 0,
  paragraphs: 0,
  longestLine: 0,
  frequency: new Map(),
  previousIsBlank: true
})

/** Counts one line; returns its words. */
export const countLine = (counts: TextCounts, line: string): number => {
  const words = countWords(line, counts.frequency)
  const isBlank = line.trim() === ""
  counts.words += words
  counts.sentences += line.match(/(?<![.!?…])[.!?…]{1,20}(?=["”’)\]]{0,5}(?:\s|$))/g)?.length ?? 0
  if (!isBlank && counts.previousIsBlank) counts.paragraphs++
  counts.previousIsBlank = isBlank
  return words
}

/** Up to 20 words without English and German stop words, most frequent first. */
export const mostFrequentWords = (counts: TextCounts): ReadonlyArray<readonly [word: string, times: number]> =>
  [...counts.frequency].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 20)

const countWords = (line: string, frequency: Map<string, number>): number => {
  let words = 0
  for (const match of line.matchAll(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)) {
    words++
    const word = match[0].toLowerCase()
    if (word.length < 3 || word.length > 40 || STOP_WORDS.has(word) || /^\d+$/.test(word)) continue
    const times = frequency.get(word)
    if (times !== undefined) frequency.set(word, times + 1)
    else if (frequency.size < 200_000) frequency.set(word, 1)
  }
  return words
}

const STOP_WORDS = new Set(
  (
    "the and for are but not you all any can had her was one our out has him his how its may new now old see two who did get " +
    "this that with have from they will would there their what about which when make like into than then them these some could " +
    "other only over also after first well way even because most been were your more just such each while where does very being " +
    "must should between through before here those both it's don't http https www com " +
    "der die das und ist nicht ein eine einer eines einem einen den dem des mit von für auf auch sich als wird werden sind oder " +
    "aber wie bei nach aus noch nur über haben hat dass wenn kann zur zum"
  ).split(" ")
)
