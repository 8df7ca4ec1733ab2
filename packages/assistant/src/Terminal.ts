import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { createInterface } from "node:readline/promises"
import { stripVTControlCharacters } from "node:util"
import type { Answers, Question } from "@heddle/core/api/AssistantProtocol"

/** Asks a person at a terminal. */
export interface Terminal {
  /** Asks the questions one by one; returns none when the person declines one of them. */
  readonly ask: (title: string, questions: ReadonlyArray<Question>) => Effect.Effect<Option.Option<Answers>>
}

/**
 * A terminal over two streams; it asks one question at a time. A line within `minReadMs` after the question was meant for
 * an earlier one and does not count.
 */
export const make = (input: NodeJS.ReadableStream, output: NodeJS.WritableStream, minReadMs = 300): Terminal => {
  const lock = Effect.unsafeMakeSemaphore(1)
  const readLine = (prompt: string): Effect.Effect<string> =>
    Effect.acquireUseRelease(
      Effect.sync(() => createInterface({ input, output, terminal: false })),
      (reader) => Effect.promise((signal) => reader.question(prompt, { signal }).catch(() => "")),
      (reader) => Effect.sync(() => reader.close())
    ).pipe(
      Effect.timed,
      Effect.flatMap(([elapsed, text]) =>
        Duration.toMillis(elapsed) < minReadMs ? readLine(prompt) : Effect.succeed(text)
      )
    )

  const choose = (question: Question): Effect.Effect<Option.Option<Answers[string]>> =>
    Effect.gen(function* () {
      const { options } = question
      const rows = options.map(({ description, label }, index) =>
        [`  ${index + 1}  ${label}`, ...(description === undefined ? [] : [`(${description})`])].join(" ")
      )
      const instruction = options.length === 0 ? "Answer" : question.multiSelect ? "Numbers, with commas" : "Number"
      output.write(sanitize([question.question, ...rows, ""].join("\n")))
      const text = (yield* readLine(`${instruction} (empty declines): `)).trim()
      if (text === "") return Option.none()
      if (options.length === 0) return Option.some(question.multiSelect ? [text] : text)
      const selections = text.split(",").map((part) => options[Number(part.trim()) - 1]?.value)
      const values = selections.filter((value) => value !== undefined)
      const [first] = values
      if (values.length !== selections.length || first === undefined || (values.length > 1 && !question.multiSelect)) {
        output.write("That is none of the numbers above.\n")
        return yield* choose(question)
      }
      return Option.some(question.multiSelect ? [...new Set(values)] : first)
    })

  return {
    ask: (title, questions) =>
      Effect.gen(function* () {
        output.write(sanitize(`\n${title}\n`))
        const answers: Record<string, Answers[string]> = {}
        for (const question of questions) {
          const answer = yield* choose(question)
          if (Option.isNone(answer)) return Option.none()
          answers[question.id] = answer.value
        }
        return Option.some(answers)
      }).pipe(
        Effect.onInterrupt(() => Effect.sync(() => output.write("This needs no answer any more.\n"))),
        lock.withPermits(1)
      )
  }
}

/** Removes control sequences, so that an agent's text cannot control the terminal. */
const sanitize = (text: string): string =>
  stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}]/gu, (char) => (char === "\n" ? char : ""))
