import assert from "node:assert"
import { describe, it } from "vitest"
import * as PlanProgress from "@heddle/demo-agent/session/PlanProgress"

const shown = (plan: PlanProgress.Plan): ReadonlyArray<string> =>
  plan.map(({ content, status }) => `${content}: ${status}`)
const plan = PlanProgress.startPlan(["Read", "Draw", "Write"], 1)

describe("a plan", () => {
  it("starts with the finished steps", () =>
    assert.deepStrictEqual(shown(plan), ["Read: completed", "Draw: in_progress", "Write: pending"]))

  it.each([
    ["completes a step", PlanProgress.completeStep, ["Read: completed", "Draw: completed", "Write: in_progress"]],
    ["completes the rest", PlanProgress.completeAll, ["Read: completed", "Draw: completed", "Write: completed"]],
    ["drops a step", PlanProgress.dropStep, ["Read: completed", "Write: in_progress"]],
    ["drops the rest", PlanProgress.dropRest, ["Read: completed"]],
    [
      "leaves a step undone",
      (plan: PlanProgress.Plan) => PlanProgress.skipStep(plan, "not allowed"),
      ["Read: completed", "Draw (not allowed): pending", "Write: in_progress"]
    ]
  ] as const)("%s", (_, step, expected) => assert.deepStrictEqual(shown(step(plan)), expected))

  it("stays as it is when no step is in progress", () => {
    const done = PlanProgress.completeAll(plan)
    assert.strictEqual(PlanProgress.completeStep(done), done)
  })
})
