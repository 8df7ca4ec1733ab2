import * as TaskProgress from "@heddle/artifacts/TaskProgress"
import { assert, describe, it } from "@effect/vitest"

describe("TaskProgress", () => {
  it("counts by status and names what is being done", () => {
    const progress = TaskProgress.of({
      tasks: [
        { content: "last", status: "pending", order: 9 },
        { content: "second", status: "in_progress", order: 2 },
        { content: "third", status: "in_progress", order: 3 },
        { content: "first", status: "completed", order: 1 },
        { content: "dropped", status: "cancelled" },
        { content: "odd", status: "sleeping" }
      ]
    })
    assert.deepStrictEqual(
      progress.items.map(({ content }) => content),
      ["first", "second", "third", "last", "dropped", "odd"]
    )
    assert.deepInclude(progress, { total: 5, done: 1 })
    assert.deepStrictEqual(progress.byStatus, {
      pending: 1,
      in_progress: 2,
      completed: 1,
      cancelled: 1,
      sleeping: 1
    })
    assert.strictEqual(progress.current?.content, "second")
  })

  it("is over when all that is not cancelled is completed", () => {
    const progress = TaskProgress.of({
      tasks: [
        { content: "a", status: "completed" },
        { content: "b", status: "cancelled" }
      ]
    })
    assert.strictEqual(progress.done, progress.total)
    assert.isUndefined(progress.current)
    assert.deepInclude(TaskProgress.of({ tasks: [] }), { total: 0, done: 0 })
  })
})
