import type { Reading } from "./Grammar.ts"
import { plain } from "./Names.ts"

/** A request as it is compared with words: in lower case, with plain signs and simplified characters. */
export class SourceText {
  /** The request as it is quoted; all places are places in both texts. */
  readonly written: string
  readonly plain: string

  constructor(request: string) {
    this.written = request
      .normalize("NFKC")
      .replace(/[’‘]/g, "'")
      .replace(/[“”„「」『』]/g, '"')
    this.plain = plain(this.written)
  }

  /** A quoted text that begins at a place. */
  quoteAt(at: number): Reading<string> | undefined {
    const found = this.match(/"[^"\n]*"|'[^'\n]+'(?![\p{L}])|`[^`\n]*`|《[^》\n]*》/uy, at)
    return found === undefined
      ? undefined
      : [this.written.slice(at + 1, at + found.length - 1).trim(), at + found.length]
  }

  /** What these patterns read at a place, the longest first. */
  spans(patterns: ReadonlyArray<RegExp>, at: number): ReadonlyArray<Reading<string>> {
    return patterns
      .flatMap((pattern) => this.match(pattern, at) ?? [])
      .map((text) => [this.written.slice(at, at + text.length), at + text.length] as const)
      .toSorted((a, b) => b[1] - a[1])
  }

  /** What a sticky pattern reads at a place. */
  match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at
    return pattern.exec(this.plain)?.[0]
  }

  /** Tells whether a text stands at a place as it is written, and no word goes on behind it. */
  hasAt(text: string, at: number): boolean {
    const written = text.normalize("NFKC")
    return (
      written !== "" &&
      this.written.startsWith(written, at) &&
      (!/[\p{Script=Latin}\p{N}]$/u.test(written) || this.endsWord(at + written.length))
    )
  }

  /** Tells whether no word in Latin letters goes on at a place. */
  endsWord(end: number): boolean {
    return !/^[\p{Script=Latin}\p{N}_]/u.test(this.plain.slice(end, end + 1))
  }
}
