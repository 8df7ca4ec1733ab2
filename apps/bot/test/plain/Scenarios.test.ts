import { assert, describe, it } from "@effect/vitest"
import { play } from "../support/scenarios/Play.ts"
import { brokenPromises } from "../support/scenarios/Promises.ts"
import { ofSeed } from "../support/scenarios/Scenario.ts"

/** More stories: `HEDDLE_SEEDS=1-100`. */
const [from = 1, to = from] = (process.env["HEDDLE_SEEDS"] ?? "4-6").split("-").map(Number)

describe.concurrent("a random story at a service that keeps the document and nothing more", () => {
  for (let seed = from; seed <= to; seed++)
    it(
      `loses nothing, repeats nothing and claims nothing that is not confirmed (seed ${seed})`,
      { timeout: 300_000 },
      () => {
        const scenario = ofSeed(seed)
        return play(scenario, (played) => {
          const story = `${JSON.stringify(scenario)}\n${played.stack.emulator.transcript(played.thread)}`
          assert.deepEqual(brokenPromises(played, scenario), [], story)
        })
      }
    )
})
