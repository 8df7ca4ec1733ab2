/** What was learnt from a Markdown or plain text. */
export interface Prose {
  readonly lines: number
  readonly characters: number
  readonly words: number
  readonly sentences: number
  readonly paragraphs: number
  /** At 230 words a minute, at least one. */
  readonly readingMinutes: number
  readonly longestLine: number
  readonly headings: ReadonlyArray<Heading>
  readonly links: ReadonlyArray<Link>
  /** The items of its checklists. */
  readonly items: ReadonlyArray<Item>
  readonly codeBlocks: number
  readonly tables: number
  /** The most frequent words without the commonest English and German ones, most frequent first. */
  readonly frequent: ReadonlyArray<readonly [word: string, times: number]>
}

/** One heading with the words that follow it up to the next. */
export interface Heading {
  readonly level: number
  readonly text: string
  readonly line: number
  readonly words: number
}

/** One link with the text it is under. */
export interface Link {
  readonly text: string
  readonly url: string
  readonly line: number
}

/** One line of a checklist with the heading that it stands under, "" above the first one. */
export interface Item {
  readonly text: string
  readonly done: boolean
  readonly heading: string
}

/** Measures a text; yields to the event loop and stops when the signal aborts. */
export const readProse = async (text: string, markdown: boolean, signal: AbortSignal): Promise<Prose> => {
  const headings: Array<{ level: number; text: string; line: number; words: number }> = []
  const links: Array<Link> = []
  const items: Array<Item> = []
  const frequency = new Map<string, number>()
  let words = 0
  let sentences = 0
  let paragraphs = 0
  let codeBlocks = 0
  let tables = 0
  let longestLine = 0
  let fence = ""
  let blank = true
  let previous = ""
  let number = 0
  for (const line of linesOf(text)) {
    number++
    if (number % 2000 === 0 || line.length > 100_000) {
      signal.throwIfAborted()
      await new Promise((resolve) => setImmediate(resolve))
    }
    longestLine = Math.max(longestLine, line.length)
    const marker = markdown ? (/^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? "") : ""
    if (fence !== "") {
      if (marker.startsWith(fence)) fence = ""
      continue
    }
    if (marker !== "") {
      fence = marker
      codeBlocks++
      continue
    }
    const heading = markdown ? headingOf(line.slice(0, 400), previous.slice(0, 400)) : undefined
    if (heading !== undefined) headings.push({ ...heading, line: heading.under ? number - 1 : number, words: 0 })
    if (markdown && line.length < 1000 && /^\|?[ :|-]*-[ :|-]*\|[ :|-]*$/.test(line) && previous.includes("|")) tables++
    collectLinks(line, number, markdown, links)
    const item = markdown ? CHECKBOX.exec(line.slice(0, 1000)) : null
    if (item !== null)
      items.push({
        text: (item[2] ?? "").trim().slice(0, 300),
        done: item[1] !== " ",
        heading: headings.at(-1)?.text ?? ""
      })
    const counted = countWords(line, frequency)
    words += counted
    const current = headings.at(-1)
    if (current !== undefined && heading === undefined) current.words += counted
    sentences += line.match(/(?<![.!?…])[.!?…]{1,20}(?=["”’)\]]{0,5}(?:\s|$))/g)?.length ?? 0
    const empty = line.trim() === ""
    if (!empty && blank) paragraphs++
    blank = empty
    previous = line
  }
  return {
    lines: text === "" ? 0 : text.endsWith("\n") ? number - 1 : number,
    characters: codePoints(text),
    words,
    sentences: words > 0 ? Math.max(1, sentences) : 0,
    paragraphs,
    readingMinutes: Math.max(1, Math.round(words / 230)),
    longestLine,
    headings,
    links,
    items,
    codeBlocks,
    tables,
    frequent: [...frequency].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 20)
  }
}

/** Code points: a surrogate pair is one character to a reader. */
const codePoints = (text: string): number => text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)

const linesOf = function* (text: string): Generator<string> {
  let start = 0
  for (;;) {
    const end = text.indexOf("\n", start)
    const line = end < 0 ? text.slice(start) : text.slice(start, end)
    yield line.endsWith("\r") ? line.slice(0, -1) : line
    if (end < 0) return
    start = end + 1
  }
}

const CHECKBOX = /^[ \t>]{0,40}(?:[-*+]|\d{1,9}[.)])[ \t]{1,9}\[([ xX])\][ \t]+(\S.*)$/

const headingOf = (line: string, previous: string): { level: number; text: string; under: boolean } | undefined => {
  const hashes = /^ {0,3}(#{1,6})\s+(.+?)\s*#*\s*$/.exec(line)
  if (hashes !== null) return { level: hashes[1]?.length ?? 1, text: (hashes[2] ?? "").slice(0, 200), under: false }
  const rule = /^(=+|-{3,})\s*$/.exec(line)
  const title = previous.trim()
  if (rule === null || title === "" || /^[#>|*-]/.test(title)) return undefined
  return { level: line.startsWith("=") ? 1 : 2, text: title.slice(0, 200), under: true }
}

const collectLinks = (line: string, number: number, markdown: boolean, links: Array<Link>): void => {
  if (!line.includes("](") && !line.includes("://")) return
  let rest = line
  if (markdown) {
    rest = line.replace(
      /!?\[([^[\]]{0,300})\]\(\s{0,9}<?([^\s()<>[\]]{1,2000})>?(?:\s[^()[\]]{0,300})?\)/g,
      (_, label: string, url: string) => {
        links.push({ text: label, url, line: number })
        return " "
      }
    )
  }
  for (const found of rest.matchAll(/\bhttps?:\/\/[^\s<>"'`)\]]{1,2000}/g)) {
    links.push({ text: "", url: found[0].replace(/[.,;:!?]+$/, ""), line: number })
  }
}

const countWords = (line: string, frequency: Map<string, number>): number => {
  let words = 0
  for (const found of line.matchAll(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)) {
    words++
    const word = found[0].toLowerCase()
    if (word.length < 3 || word.length > 40 || COMMON.has(word) || /^\d+$/.test(word)) continue
    const times = frequency.get(word)
    if (times !== undefined) frequency.set(word, times + 1)
    else if (frequency.size < 200_000) frequency.set(word, 1)
  }
  return words
}

const COMMON = new Set(
  (
    "the and for are but not you all any can had her was one our out has him his how its may new now old see two who did get " +
    "this that with have from they will would there their what about which when make like into than then them these some could " +
    "other only over also after first well way even because most been were your more just such each while where does very being " +
    "must should between through before here those both it's don't http https www com " +
    "der die das und ist nicht ein eine einer eines einem einen den dem des mit von für auf auch sich als wird werden sind oder " +
    "aber wie bei nach aus noch nur über haben hat dass wenn kann zur zum"
  ).split(" ")
)
