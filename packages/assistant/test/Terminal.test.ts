import { assert, describe, it } from "@effect/vitest"
import * as Terminal from "@heddle/assistant/Terminal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { PassThrough } from "node:stream"

const colour = {
  id: "q_0",
  question: "Which\u001b[2J colour?",
  multiSelect: false,
  options: [
    { value: "r", label: "Red" },
    { value: "b", label: "Blue" }
  ]
}
const sizes = { ...colour, id: "q_1", question: "Which sizes?", multiSelect: true }

/** A terminal whose person types the next line whenever a prompt is shown. */
const typing = (...lines: Array<string>) => {
  const input = new PassThrough()
  const output = new PassThrough()
  let shown = ""
  output.on("data", (piece) => {
    shown += piece
    if (String(piece).endsWith("declines): ")) input.write(`${lines.shift() ?? ""}\n`)
  })
  return { terminal: Terminal.make(input, output, 0), shown: () => shown }
}

describe("Terminal", () => {
  it.live("asks by numbers until one is valid, and strips control characters", () =>
    Effect.gen(function* () {
      const { shown, terminal } = typing("7", "1,2", "2", "2, 1")
      const answers = yield* terminal.ask("The agent asks:", [colour, sizes])
      assert.deepStrictEqual(Option.getOrNull(answers), { q_0: "b", q_1: ["b", "r"] })
      assert.include(shown(), "Which colour?\n  1  Red\n  2  Blue\n")
      assert.strictEqual(shown().split("none of the numbers").length, 3)
    })
  )

  it.live("does not take a late answer to a withdrawn question for the next one", () =>
    Effect.gen(function* () {
      const input = new PassThrough()
      const output = new PassThrough()
      const terminal = Terminal.make(input, output, 50)
      const elsewhere = yield* terminal.ask("First:", [colour]).pipe(Effect.timeoutOption("20 millis"))
      assert.isTrue(Option.isNone(elsewhere))
      assert.match(String(output.read()), /declines\): \r\nThis needs no answer any more\.\n$/)
      input.write("1\n")
      setTimeout(() => input.write("2\n"), 500)
      assert.deepStrictEqual(Option.getOrNull(yield* terminal.ask("Second:", [colour])), { q_0: "b" })
    })
  )

  it.live("takes an empty line as a refusal", () =>
    Effect.gen(function* () {
      assert.isTrue(Option.isNone(yield* typing("1", "").terminal.ask("?", [colour, sizes])))
    })
  )
})
