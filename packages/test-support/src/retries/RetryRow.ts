import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"

/** What happens to a request: an answer with this status, no connection, or a connection that breaks without an answer. */
export type Fault = { readonly status: number; readonly retryAfterSeconds?: number } | "not sent" | "answer lost"

/** How often a fault happens in a row: more often than a client repeats that gives up at all. */
export const times = 5

/** What a client did about faults in a row. */
export interface Outcome {
  /** The seconds before each repetition. */
  readonly waits: ReadonlyArray<number>
  /** It went on until the request was taken. */
  readonly succeeded: boolean
  /** How often it fetched another token. */
  readonly renewals?: number
  /** It opened another connection. */
  readonly reconnected?: boolean
}

/** Waits in seconds, with their words in the table. */
export interface Waits {
  readonly words: string
  readonly seconds: ReadonlyArray<number>
  /** By which factors each may be shorter and longer. */
  readonly spread: readonly [least: number, most: number]
}

/** The first waits of a backoff. */
export const doubled = (first: number): ReadonlyArray<number> =>
  Array.from({ length: times }, (_, nth) => first * 2 ** nth)

/** The waits after a 429 in every package. */
export const busy: Waits = { words: "wait, again", seconds: doubled(1), spread: [1, 1.25] }

/** The row of a request in the table of retries, out of what its client does about each fault. */
export const make = <E, R>(
  name: string,
  known: ReadonlyArray<Waits>,
  drive: (fault: Fault) => Effect.Effect<Outcome, E, R>
): Effect.Effect<string, E, R> =>
  Effect.forEach(
    columns,
    (faults) =>
      Effect.map(
        Effect.forEach(
          faults,
          (fault) => Effect.map(drive(fault), (outcome) => [fault, wordsOf(outcome, known)] as const),
          {
            concurrency: "unbounded"
          }
        ),
        cellOf
      ),
    { concurrency: "unbounded" }
  ).pipe(Effect.map((cells) => `| ${[name, ...cells].join(" | ")} |`))

/** The rows of the page that begin like this one; with WRITE_DOCS=1 it replaces them. */
export const published = (row: string): ReadonlyArray<string> => {
  const isSame = (line: string) => line.startsWith(row.slice(0, row.indexOf(" | ") + 3))
  const lines = readFileSync(page, "utf8").split("\n")
  if (process.env["WRITE_DOCS"] !== "1") return lines.filter(isSame)
  writeFileSync(page, lines.map((line) => (isSame(line) ? row : line)).join("\n"))
  return [row]
}

const page = fileURLToPath(new URL("../../../../apps/docs/guide/retries.md", import.meta.url))

const statuses = (...all: ReadonlyArray<number>): ReadonlyArray<Fault> => all.map((status) => ({ status }))

/** 401, 429, 500, 502 to 504, not sent, answer lost, any other refusal. */
const columns: ReadonlyArray<ReadonlyArray<Fault>> = [
  statuses(401),
  statuses(429),
  statuses(500),
  statuses(502, 503, 504),
  ["not sent"],
  ["answer lost"],
  statuses(400, 403, 404, 409, 410)
]

/** The cell of a column: its words, or those of each status and at last those of every other. */
const cellOf = (driven: ReadonlyArray<readonly [Fault, string]>): string => {
  const [rest = ""] = driven.map(([, words]) => words)
  const others = [...new Set(driven.map(([, words]) => words))].filter((words) => words !== rest)
  const named = others.map((words) => {
    const numbers = driven.flatMap(([fault, each]) =>
      each === words && typeof fault === "object" ? [fault.status] : []
    )
    return `${numbers.join(", ")}: ${words}; `
  })
  return `${named.join("")}${others.length === 0 ? "" : "else "}${rest}`
}

const wordsOf = ({ reconnected, renewals = 0, succeeded, waits }: Outcome, known: ReadonlyArray<Waits>): string => {
  if (renewals > 0) return renewals === 1 ? "renew, again" : `renew, again, ${renewals} times`
  if (waits.length === 0) return succeeded ? "nothing" : reconnected === true ? "new connection" : "fail"
  const found = known.find((each) => areSome(waits.slice(0, 3), each))
  if (found === undefined) return `after ${waits.map((wait) => wait.toFixed(2)).join(", ")} s`
  if (!succeeded) return waits.length === 3 ? found.words : `${found.words}, ${waits.length} times`
  return `${found.words}, ${areSome(waits, found) ? "without end" : "over and over"}`
}

/** The clock goes by steps, also between an answer and the wait after it. */
const tolerance = 0.11

const areSome = (waits: ReadonlyArray<number>, { seconds, spread: [least, most] }: Waits): boolean =>
  waits.every((wait, nth) => {
    const wanted = seconds[nth] ?? Infinity
    return wait >= wanted * least - tolerance && wait <= wanted * most + tolerance
  })
