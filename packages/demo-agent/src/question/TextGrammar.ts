import { alt, many, map, opt, seq, type Parser } from "./Grammar.ts"
import { partFor, type Part } from "./Intent.ts"
import type { Meaning } from "./Lexicon.ts"
import type { Scanner } from "./Scanner.ts"
import { wholeLook } from "./VerbalGrammar.ts"

/** Builds the grammar of requests about a text, or about JSON without a table. */
export const textGrammar = (scanner: Scanner, kind: "prose" | "json"): Parser<ReadonlyArray<Part> | "help"> => {
  const word = (...meanings: ReadonlyArray<Meaning>) => scanner.word(...meanings)
  const around = <A>(part: Parser<A>): Parser<A> => {
    const thing = opt(many(alt<unknown>(word("thing", "is", "for", "rows", "all", "describe"), scanner.fileName)))
    return map(seq(thing, part, thing), ([, value]) => value)
  }
  const status = word("open", "done")
  const items = map(
    alt(
      map(seq(status, opt(word("items", "rows"))), ([each]) => each),
      map(seq(word("items"), opt(word("is")), status), ([, , each]) => each),
      map(word("items"), () => "all" as const)
    ),
    (each) => partFor({ kind: "items", status: each === "open" || each === "done" ? each : "all" })
  )
  const frequentChart = map(
    alt<unknown>(
      seq(word("chart"), word("frequentWords"), opt(word("chart"))),
      seq(word("frequentWords"), word("chart"))
    ),
    () => partFor({ kind: "frequentChart" })
  )
  const topic = map(word("headings", "links", "frequentWords", "words"), (meaning) =>
    partFor({ kind: meaning === "frequentWords" ? "frequent" : (meaning as "headings" | "links" | "words") })
  )
  const shape = map(word("shape"), () => partFor({ kind: "shape" }))
  const whole = map(wholeLook(scanner), (look) => (look === "help" ? undefined : partFor({ kind: "profile" })))
  const part =
    kind === "json" ? alt(around(shape), whole) : alt(around(frequentChart), around(items), around(topic), whole)
  const separator = alt<unknown>(
    seq(opt(scanner.comma), opt(word("and")), word("next")),
    scanner.stop,
    scanner.comma,
    word("and")
  )
  return alt<ReadonlyArray<Part> | "help">(
    map(word("help"), () => "help"),
    many(part, alt<unknown>(seq(scanner.comma, word("and")), separator))
  )
}
