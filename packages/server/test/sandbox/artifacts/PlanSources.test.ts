import { assert, describe, it } from "@effect/vitest"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { list, pushes, update } from "../support/artifacts.ts"
import { isPermission } from "../support/client.ts"
import { serviceOfSuite } from "../support/suite.ts"

describe("the sources of plans", () => {
  const { opened } = serviceOfSuite()

  it("creates a plan from the end of plan mode, with versions and the previous text", async () => {
    const client = await opened()
    const call = {
      toolCallId: "p1",
      kind: "switch_mode",
      title: "Ready to code?",
      rawInput: { plan: "# Move\n\nPack." }
    }
    const again = { toolCallId: "p1", rawInput: { plan: "# Move\n\nPack and go." } }
    const turn = client.prompt(
      [
        update({ sessionUpdate: "tool_call", ...call }),
        update({ sessionUpdate: "tool_call_update", ...call, status: "in_progress" }),
        `approve ${JSON.stringify(again)}`
      ].join("\n")
    )
    const asked = await client.message(isPermission)
    await client.answer(asked, { outcome: "selected", optionId: "yes" })
    await turn
    const told = pushes(client)
    assert.deepStrictEqual(
      told.map(({ artifact, event }) => [event, artifact.version, artifact.text, artifact.previousText]),
      [
        ["created", 1, "# Move\n\nPack.", undefined],
        ["updated", 2, "# Move\n\nPack and go.", "# Move\n\nPack."]
      ]
    )
    const { artifact } = told[1]
    assert.deepStrictEqual(
      [artifact.type, artifact.uri, artifact.title, artifact.mimeType, artifact.enableEdit],
      ["plan", `agent:///artifacts/${client.task.taskId}/plan`, "Move", "text/markdown", false]
    )
    // A person sees the plan before the question about it.
    assert.isBelow(
      client.messages.findIndex(({ params }) => params?.artifact?.version === 2),
      client.messages.indexOf(asked)
    )
    assert.deepStrictEqual((await list(client.task, "?type=plan")).artifacts[0].artifact, artifact)
  })

  it("follows plans with ids: lists, Markdown, files of the task, and their removal", async () => {
    const client = await opened()
    const { folder, taskId } = client.task
    const own = Path.join(folder, ".agent", "plans", "p.md")
    const plan = (fields: object) => update({ sessionUpdate: "plan_update", plan: fields })
    const entries = [{ content: "one", status: "in_progress", priority: "high" }]
    await client.prompt(
      [
        plan({ type: "items", planId: "x", entries }),
        plan({ type: "markdown", planId: "y/z", content: "# Y" }),
        `write ${own} # From a file`,
        plan({ type: "file", planId: "f", uri: pathToFileURL(own).href }),
        plan({ type: "file", planId: "passwd", uri: "file:///etc/passwd" }),
        plan({ type: "file", planId: "up", uri: pathToFileURL(Path.join(folder, "..", "..", "master.key")).href }),
        "wait 200",
        update({ sessionUpdate: "plan_removed", planId: "x" })
      ].join("\n")
    )
    const prefix = `agent:///artifacts/${taskId}`
    assert.deepStrictEqual(
      pushes(client).map(({ artifact, event }) => [event, artifact.type, artifact.uri]),
      [
        ["created", "tasks", `${prefix}/tasks/x`],
        ["created", "plan", `${prefix}/plan/y%2Fz`],
        ["created", "plan", `${prefix}/plan/f`],
        ["deleted", "tasks", `${prefix}/tasks/x`]
      ]
    )
    assert.strictEqual(pushes(client)[2].artifact.text, "# From a file")
  })

  it("reads artifacts/plan.md as the plan", async () => {
    const client = await opened()
    await client.prompt("write artifacts/plan.md # First")
    await client.prompt("write artifacts/plan.md # Second")
    await client.prompt("remove artifacts/plan.md")
    await client.prompt("write artifacts/plan.md # Third")
    const uri = "agent:///artifacts/plan.md"
    assert.deepStrictEqual(
      pushes(client).map(({ artifact, event }) => [
        event,
        artifact.type,
        artifact.uri,
        artifact.version,
        artifact.text
      ]),
      [
        ["created", "plan", uri, 1, "# First"],
        ["updated", "plan", uri, 2, "# Second"],
        ["deleted", "plan", uri, 2, undefined],
        ["created", "plan", uri, 3, "# Third"]
      ]
    )
    assert.strictEqual(pushes(client)[1].artifact.previousText, "# First")
    const [entry] = (await list(client.task)).artifacts
    assert.strictEqual(entry.url, undefined)
    assert.match(entry.md5, /^[0-9a-f]{32}$/)
  })

  it("ignores a repeated plan, and stores an emptied plan as empty", async () => {
    const client = await opened()
    const uri = "agent:///artifacts/own/plan"
    const say = (text: string, more = {}) =>
      `artifact ${JSON.stringify({ event: "updated", artifact: { type: "plan", uri, title: "P", text, ...more } })}`
    await client.prompt([say("one"), say("two"), say("two"), say("two", { version: 9 })].join("\n"))
    assert.deepStrictEqual(
      pushes(client).map(({ artifact }) => [artifact.version, artifact.text, artifact.previousText]),
      [
        [1, "one", undefined],
        [2, "two", "one"]
      ]
    )
    await client.prompt(say("two", { title: "Plan B" }))
    const { title, version, previousText } = pushes(client).at(-1).artifact
    assert.deepStrictEqual([title, version, previousText], ["Plan B", 2, "one"])

    const file = await opened()
    await file.prompt("write artifacts/plan.md # First")
    await file.prompt("write artifacts/plan.md ")
    await file.prompt("write artifacts/plan.md # Second")
    assert.deepStrictEqual(
      pushes(file).map(({ artifact, event }) => [event, artifact.type, artifact.text, artifact.version]),
      [
        ["created", "plan", "# First", 1],
        ["updated", "plan", "", 2],
        ["updated", "plan", "# Second", 3]
      ]
    )
  })
})
