import { assert, describe, it } from "@effect/vitest"
import * as AgentOptions from "@heddle/server/config/AgentOptions"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"

describe("the variables of an agent", () => {
  it.effect("are told at start where they have no value, with the agent's name", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => lines.push(`${logLevel.label} ${String(message)}`))
      const agent = { name: "a", command: ["cat"], environment: ["PATH", "HEDDLE_TEST_NOT_SET"] }
      yield* AgentOptions.settings([agent]).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
      assert.deepStrictEqual(lines, [
        "WARN the agent a is to get the environment variable HEDDLE_TEST_NOT_SET, which has no value"
      ])
    })
  )
})
