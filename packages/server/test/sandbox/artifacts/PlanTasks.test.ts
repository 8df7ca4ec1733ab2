import { assert, describe, it } from "@effect/vitest"
import * as PlanTasks from "@heddle/server/sandbox/artifacts/PlanTasks"

const entry = (content: string, status = "pending") => ({ content, status, priority: "medium" })
const ids = (tasks: ReadonlyArray<PlanTasks.PlanTask>) => tasks.map(({ id, content }) => `${id} ${content}`)

describe("PlanTasks.fromPlan", () => {
  const first = PlanTasks.fromPlan([entry("a"), entry("b"), entry("c")], [])

  it("numbers a first plan in its order", () => {
    assert.deepStrictEqual(first, [
      { id: "task-1", content: "a", status: "pending", order: 0 },
      { id: "task-2", content: "b", status: "pending", order: 1 },
      { id: "task-3", content: "c", status: "pending", order: 2 }
    ])
  })

  it("keeps ids when lines move or change their text or status", () => {
    const moved = PlanTasks.fromPlan([entry("c", "in_progress"), entry("a", "completed"), entry("b")], first)
    assert.deepStrictEqual(ids(moved), ["task-3 c", "task-1 a", "task-2 b"])
    const reworded = PlanTasks.fromPlan([entry("a"), entry("b, but better"), entry("c")], first)
    assert.deepStrictEqual(ids(reworded), ["task-1 a", "task-2 b, but better", "task-3 c"])
  })

  it("gives new lines new ids and never reuses one while its line stays", () => {
    const longer = PlanTasks.fromPlan([entry("new"), entry("a"), entry("b"), entry("c")], first)
    assert.deepStrictEqual(ids(longer), ["task-4 new", "task-1 a", "task-2 b", "task-3 c"])
    assert.deepStrictEqual(ids(PlanTasks.fromPlan([entry("a"), entry("a")], first)), ["task-1 a", "task-2 a"])
  })

  it("keeps the ids of cancelled lines that return", () => {
    const stopped = PlanTasks.cancelUnfinished(
      PlanTasks.fromPlan([entry("a", "completed"), entry("b", "in_progress")], first)
    )
    const again = PlanTasks.fromPlan([entry("a", "completed"), entry("b", "completed")], stopped ?? [])
    assert.deepStrictEqual(
      again.map(({ id, status }) => [id, status]),
      [
        ["task-1", "completed"],
        ["task-2", "completed"]
      ]
    )
  })

  it("accepts any plan of an agent", () => {
    assert.deepStrictEqual(PlanTasks.fromPlan([], first), [])
    const odd = PlanTasks.fromPlan([null, "text", {}, entry("x", "someday"), entry("y", "cancelled")], [])
    assert.deepStrictEqual(
      odd.map(({ status, order }) => [status, order]),
      [
        ["pending", 0],
        ["pending", 1],
        ["cancelled", 2]
      ]
    )
  })
})

describe("PlanTasks.cancelUnfinished", () => {
  it("cancels unfinished lines and leaves the others", () => {
    const tasks = PlanTasks.fromPlan([entry("a", "completed"), entry("b", "in_progress"), entry("c")], [])
    assert.deepStrictEqual(
      PlanTasks.cancelUnfinished(tasks)?.map(({ id, status }) => [id, status]),
      [
        ["task-1", "completed"],
        ["task-2", "cancelled"],
        ["task-3", "cancelled"]
      ]
    )
  })

  it("changes nothing when all lines are finished", () => {
    assert.isUndefined(PlanTasks.cancelUnfinished([]))
    assert.isUndefined(
      PlanTasks.cancelUnfinished(PlanTasks.fromPlan([entry("a", "completed"), entry("b", "cancelled")], []))
    )
  })
})
