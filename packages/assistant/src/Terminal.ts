import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { createInterface } from "node:readline/promises"
import { stripVTControlCharacters } from "node:util"
import type { Answers, Question } from "@heddle/core/api/AssistantProtocol"

/** Where a person can be asked. */
export interface Terminal {
  /** Asks the questions one after the other; none when the person declines one of them. */
  readonly ask: (title: string, questions: ReadonlyArray<Question>) => Effect.Effect<Option.Option<Answers>>
}

/**
 * A terminal over two streams; one person is asked one thing at a time. A line that comes sooner than a question can be
 * read, in milliseconds, was meant for another one and does not count.
 */
export const make = (input: NodeJS.ReadableStream, output: NodeJS.WritableStream, tooSoon = 300): Terminal => {
  const oneAtATime = Effect.unsafeMakeSemaphore(1)
  const line = (prompt: string): Effect.Effect<string> =>
    Effect.acquireUseRelease(
      Effect.sync(() => createInterface({ input, output, terminal: false })),
      (reader) => Effect.promise((signal) => reader.question(prompt, { signal }).catch(() => "")),
      (reader) => Effect.sync(() => reader.close())
    ).pipe(
      Effect.timed,
      Effect.flatMap(([took, said]) => (Duration.toMillis(took) < tooSoon ? line(prompt) : Effect.succeed(said)))
    )

  const choose = (question: Question): Effect.Effect<Option.Option<Answers[string]>> =>
    Effect.gen(function* () {
      const { options } = question
      const rows = options.map(({ description, label }, index) =>
        [`  ${index + 1}  ${label}`, ...(description === undefined ? [] : [`(${description})`])].join(" ")
      )
      const how = options.length === 0 ? "Answer" : question.multiSelect ? "Numbers, with commas" : "Number"
      output.write(plain([question.question, ...rows, ""].join("\n")))
      const said = (yield* line(`${how} (empty declines): `)).trim()
      if (said === "") return Option.none()
      if (options.length === 0) return Option.some(question.multiSelect ? [said] : said)
      const chosen = said.split(",").map((part) => options[Number(part.trim()) - 1]?.value)
      const values = chosen.filter((value) => value !== undefined)
      const [only] = values
      if (values.length !== chosen.length || only === undefined || (values.length > 1 && !question.multiSelect)) {
        output.write("That is none of the numbers above.\n")
        return yield* choose(question)
      }
      return Option.some(question.multiSelect ? [...new Set(values)] : only)
    })

  return {
    ask: (title, questions) =>
      Effect.gen(function* () {
        output.write(plain(`\n${title}\n`))
        const answers: Record<string, Answers[string]> = {}
        for (const question of questions) {
          const answer = yield* choose(question)
          if (Option.isNone(answer)) return Option.none()
          answers[question.id] = answer.value
        }
        return Option.some(answers)
      }).pipe(
        Effect.onInterrupt(() => Effect.sync(() => output.write("This needs no answer any more.\n"))),
        oneAtATime.withPermits(1)
      )
  }
}

/** What an agent writes must not steer the terminal. */
const plain = (text: string): string =>
  stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}]/gu, (char) => (char === "\n" ? char : ""))
