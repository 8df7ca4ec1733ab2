import * as Artifact from "@heddle/artifacts/Artifact"
import * as ArtifactNotification from "@heddle/artifacts/ArtifactNotification"
import { assert, describe, it } from "@effect/vitest"

describe("Artifact", () => {
  it("reads a plan, a task list, a file and a summary with the fields they have", () => {
    const plan = Artifact.fromJson({ type: "plan", uri: "agent:///artifacts/plan.md", text: "# Plan", version: 2 })
    assert.deepInclude(plan, { type: "plan", uri: "agent:///artifacts/plan.md", text: "# Plan", version: 2 })
    const tasks = Artifact.fromJson({
      type: "tasks",
      uri: "agent:///task-1/tasks/task-1",
      tasks: [
        { id: "1", content: "Read", status: "completed" },
        { content: "Guess", status: "sleeping" },
        "odd",
        { content: "Wait", status: null }
      ]
    })
    assert.deepInclude(tasks, {
      tasks: [
        { id: "1", content: "Read", status: "completed" },
        { content: "Guess", status: "sleeping" },
        { content: "Wait", status: "pending" }
      ]
    })
    const media = Artifact.fromJson({ type: "media", uri: "file:///a.png", size: "many", width: 3 })
    assert.deepInclude(media, { type: "media", uri: "file:///a.png", width: 3, size: undefined })
    assert.deepInclude(Artifact.fromJson({ type: "overview", uri: "u" }), { type: "overview", text: "" })
  })

  it("keeps an unknown type, and a known one that cannot be read, whole", () => {
    const hologram = { type: "hologram", uri: "agent:///h", updatedAt: 5, depth: 3 }
    assert.deepInclude(Artifact.fromJson(hologram), { type: "other", tag: "hologram", updatedAt: 5, raw: hologram })
    const broken = { type: "plan", uri: "agent:///p", text: 5 }
    assert.deepInclude(Artifact.fromJson(broken), { type: "other", tag: "plan", raw: broken })
    assert.isUndefined(Artifact.fromJson({ type: "plan" }))
    assert.isUndefined(Artifact.fromJson(null))
  })

  it("reads a push of any vendor, and a deletion of which only type and uri are known", () => {
    assert.isTrue(ArtifactNotification.isMethod("_vendor.ai/artifact"))
    assert.isFalse(ArtifactNotification.isMethod("_vendor.ai/artifacts"))
    assert.isFalse(ArtifactNotification.isMethod("session/update"))
    const params = { sessionId: "task-1", event: "deleted", artifact: { type: "plan", uri: "agent:///p" } }
    assert.deepInclude(ArtifactNotification.fromParams(params), { sessionId: "task-1", deleted: true })
    assert.isUndefined(ArtifactNotification.fromParams({ event: "created" }))
    const event = (told: unknown) => ArtifactNotification.fromParams({ ...params, event: told })
    assert.deepStrictEqual(
      ["created", "updated", "deleted"].map((told) => event(told)?.event),
      ["created", "updated", "deleted"]
    )
    for (const odd of ["renamed", 5, undefined]) assert.notProperty(event(odd), "event")
  })
})
