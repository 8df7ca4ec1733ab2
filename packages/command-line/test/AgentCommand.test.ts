import { assert, describe, it } from "@effect/vitest"
import * as AgentCommand from "@heddle/command-line/AgentCommand"
import * as Effect from "effect/Effect"
import * as Path from "node:path"

describe.skipIf(process.platform === "win32")("the command of an agent", () => {
  it.each([
    ["gemini  --acp", ["gemini", "--acp"]],
    [`'a "b c"'`, ['a "b c"']],
    [String.raw`a\ b`, ["a b"]],
    [String.raw`"a\"b"`, ['a"b']],
    [String.raw`'a\b' "" c`, [String.raw`a\b`, "", "c"]],
    ["  ", []]
  ])("splits %j as a shell does", (line, words) => {
    assert.deepStrictEqual(Effect.runSync(AgentCommand.parse(line)), words)
  })

  it.each([
    ['agent "b', "it has a quote that is not closed"],
    ["agent 'b", "it has a quote that is not closed"],
    ["agent b\\", "it ends with a backslash"]
  ])("refuses %j", (line, problem) => {
    assert.strictEqual(Effect.runSync(Effect.flip(AgentCommand.parse(line))), problem)
  })

  it("makes the paths of existing files absolute", () => {
    const file = Path.relative(process.cwd(), import.meta.filename)
    assert.deepStrictEqual(Effect.runSync(AgentCommand.parse(`node ./${file} ./no-such-file`)), [
      "node",
      import.meta.filename,
      "./no-such-file"
    ])
  })
})
