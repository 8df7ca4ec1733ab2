import { simplified } from "../format/Simplified.ts"
import type { Reading } from "./Grammar.ts"
import { endsWord } from "./Words.ts"

/** A request as it is quoted, and as it is compared: in lower case, simplified characters and with spaces for "_". */
export class SourceText {
  /** All places are places in both texts. */
  readonly written: string
  readonly plain: string

  constructor(request: string) {
    this.written = normalised(request)
    this.plain = folded(this.written)
  }

  /** The end of a name of the data that stands at a place, and behind which no word goes on. */
  endOf(name: string, at: number): number | undefined {
    const plain = folded(normalised(name))
    const end = at + plain.length
    return plain !== "" && this.plain.startsWith(plain, at) && endsWord(this.plain, end) ? end : undefined
  }

  /** A quoted text that begins at a place. */
  quoteAt(at: number): Reading<string> | undefined {
    const found = this.match(/"[^"\n]+"|'[^'\n]+'(?!\p{L})|`[^`\n]+`/uy, at)
    return found === undefined ? undefined : [this.written.slice(at + 1, at + found.length - 1), at + found.length]
  }

  /** The texts from a place that end with a word, the longest first. */
  spansAt(at: number): ReadonlyArray<Reading<string>> {
    return Array.from({ length: Math.min(30, this.plain.length - at) }, (_, i) => at + i + 1)
      .filter((end) => endsWord(this.plain, end) && /[^\s.,;!?。]/u.test(this.plain.slice(end - 1, end)))
      .map((end) => [this.written.slice(at, end), end] as const)
      .toReversed()
  }

  /** What a sticky pattern reads at a place. */
  match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at
    return pattern.exec(this.plain)?.[0]
  }
}

/** Tells whether two names are the same but for case and signs. */
export const isSameName = (one: string, other: string): boolean => folded(normalised(one)) === folded(normalised(other))

const normalised = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/[’‘]/g, "'")
    .replace(/[“”„「」『』]/g, '"')
    .replace(/[^\S\n]+/g, " ")

const folded = (text: string): string =>
  simplified(text)
    .replaceAll("_", " ")
    .replace(/\p{Lu}/gu, (letter) => {
      const lower = letter.toLowerCase()
      return lower.length === letter.length ? lower : letter
    })
