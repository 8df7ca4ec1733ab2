import * as Fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Client, isPermission } from "../support/client.ts"
import { start } from "../support/service.ts"
import { serviceOfSuite } from "../support/suite.ts"

describe("what clients and agents of others send", () => {
  const { opened, service } = serviceOfSuite()

  it("takes an id that was answered for a new request, and its exact repetition for the old one", async () => {
    const one = await opened()
    const prompt = (text: string) => ({
      jsonrpc: "2.0",
      id: "reused",
      method: "session/prompt",
      params: { sessionId: one.task.taskId, prompt: [{ type: "text", text }] }
    })
    const answers = () => one.messages.filter(({ id, result }) => id === "reused" && result !== undefined).length
    for (const [index, text] of ["echo first", "echo second"].entries()) {
      await one.post(prompt(text))
      await one.until(() => answers() === index + 1)
    }
    await one.post(prompt("echo second"))
    await one.prompt("echo then")
    assert.strictEqual(one.text, "firstsecondthen")
  })

  it("passes the _meta of a prompt to the agent", async () => {
    const one = await opened()
    const prompt = [{ type: "text", text: "meta" }]
    const { result } = await one.request("session/prompt", {
      sessionId: one.task.taskId,
      prompt,
      _meta: { trace: "7" }
    })
    assert.strictEqual(result.stopReason, "end_turn")
    assert.strictEqual(one.text, 'meta {"trace":"7"}')
  })

  it("answers a permission without options as cancelled, and tells so", async () => {
    const one = await opened()
    await one.prompt("askWithoutOptions Delete everything")
    assert.match(one.text, /without an answer to choose.*answer {"outcome":"cancelled"}/s)
  })

  it("refuses the MCP servers of clients in words, and passes them to the agent where that is allowed", async () => {
    const servers = [{ name: "files", command: "/bin/files", args: [], env: [] }]
    const load = (one: Client) =>
      one.request("session/load", { sessionId: one.task.taskId, cwd: "/", mcpServers: servers })
    const refused = await load(await opened())
    assert.match(refused.error.message, /does not pass the MCP servers.*empty mcpServers/)
    const allowing = await start({ sandbox: { clientMcpServers: true } })
    try {
      const one = await Client.loaded(await allowing.task())
      await one.prompt("servers")
      assert.notProperty(await load(one), "error")
      const before = one.text
      await one.prompt("servers")
      assert.match(before, /^(servers \[\])+$/)
      assert.include(one.text.slice(before.length), `servers ${JSON.stringify(servers)}`)
    } finally {
      await allowing.stop()
    }
  })

  it("writes the paths of tool calls and questions relative to the task's folder, and leaves others alone", async () => {
    const one = await opened()
    const { folder } = one.task
    const title = `Write ${folder}/out/report.md`
    const call = (fields: object) => ({ toolCallId: "w", title, kind: "edit", ...fields })
    const content = [{ type: "diff", path: `${folder}/out/report.md`, oldText: null, newText: `PATH=${folder}/bin` }]
    const locations = [{ path: "/etc/passwd" }, { path: `${folder}-other/x` }]
    const update = { sessionUpdate: "tool_call", ...call({ content, locations, rawInput: { path: `${folder}/a` } }) }
    const turn = await one.askPrompt(`update ${JSON.stringify(update)}\napprove ${JSON.stringify(call({}))}`)
    const asked = await one.message(isPermission)
    assert.strictEqual(asked.params.toolCall.title, "Write out/report.md")
    await one.answer(asked, { outcome: "selected", optionId: "yes" })
    await one.answerTo(turn)
    const told = one.messages.find(({ params }) => params?.update?.sessionUpdate === "tool_call")?.params.update
    assert.strictEqual(told.title, "Write out/report.md")
    assert.deepInclude(told.content[0], { path: "out/report.md", newText: `PATH=${folder}/bin` })
    assert.deepStrictEqual(told.locations, locations)
    assert.deepStrictEqual(told.rawInput, { path: `${folder}/a` })
    const rootless = { sessionUpdate: "tool_call_update", toolCallId: "r", title: `${folder.slice(1)}/a.md` }
    await one.prompt(`update ${JSON.stringify(rootless)}`)
    assert.include(JSON.stringify(one.messages.at(-2)), '"title":"a.md"')
    const command = { sessionUpdate: "tool_call", toolCallId: "c", title: `${folder}/git push`, kind: "execute" }
    await one.prompt(`update ${JSON.stringify(command)}`)
    assert.include(JSON.stringify(one.messages.at(-2)), command.title)
  })

  it("writes the paths in texts beside a command, titles without a kind, notices and tasks relative, and no command", async () => {
    const one = await opened()
    const { folder } = one.task
    const command = `ls ${folder}/a`
    const text = (words: string) => ({ type: "content", content: { type: "text", text: words } })
    const asks = async (toolCall: object, ...before: ReadonlyArray<object>) => {
      const from = one.messages.length
      const updates = before.map((update) => `update ${JSON.stringify(update)}\n`).join("")
      const turn = await one.askPrompt(`${updates}approve ${JSON.stringify(toolCall)}`)
      const asked = await one.message((message) => isPermission(message) && one.messages.indexOf(message) >= from)
      await one.answer(asked, { outcome: "selected", optionId: "yes" })
      await one.answerTo(turn)
      return asked.params.toolCall
    }
    const shell = { toolCallId: "s", title: command, kind: "execute", rawInput: { command } }
    assert.deepInclude(await asks({ ...shell, content: [text(`[current working directory ${folder}] (Runs it)`)] }), {
      ...shell,
      content: [text("[current working directory ./] (Runs it)")]
    })
    const title = `Look at ${folder}/a.md`
    for (const fields of [{ kind: "other" }, { kind: "fetch" }, {}])
      assert.strictEqual((await asks({ toolCallId: "o", title, ...fields })).title, "Look at a.md")
    const edit = { sessionUpdate: "tool_call", toolCallId: "e", title: "Edit", kind: "edit" }
    assert.strictEqual((await asks({ toolCallId: "e", title }, edit)).title, "Look at a.md")
    const run = { sessionUpdate: "tool_call", toolCallId: "x", title: "Run", kind: "execute" }
    assert.strictEqual((await asks({ toolCallId: "x", title: command }, run)).title, command)
    assert.strictEqual((await asks({ toolCallId: "n", title: command, rawInput: { command } })).title, command)

    const read = { sessionUpdate: "tool_call", toolCallId: "r", title: "Read", kind: "read" }
    const later = { sessionUpdate: "tool_call_update", toolCallId: "r", title }
    const notice = { sessionUpdate: "notice", severity: "warning", title, description: `In ${folder}` }
    const plan = { sessionUpdate: "plan", entries: [{ content: title, priority: "low", status: "pending" }] }
    const from = one.messages.length
    await one.prompt([read, later, notice, plan].map((update) => `update ${JSON.stringify(update)}`).join("\n"))
    const told = JSON.stringify(
      one.messages.slice(from).filter(({ params }) => params?.update?.sessionUpdate !== "user_message_chunk")
    )
    assert.notInclude(told, folder)
    assert.lengthOf(told.match(/Look at (\.\/)?a\.md/g) ?? [], 4, "the call, the notice, the plan and its tasks")
    assert.include(told, '"description":"In ./"')
  })

  it("writes the paths in the agent's words relative to the task's folder, also when they come in pieces", async () => {
    const one = await opened()
    const { folder } = one.task
    const said = `In ${folder}. See ${folder}/out/a.md, [b](file://${folder}/b.md), ${folder}-other/x, and/or https://a.b${folder}/c in ${folder}/`
    const expected = `In ./. See ./out/a.md, [b](./b.md), ${folder}-other/x, and/or https://a.b${folder}/c in ./`
    for (const size of [1, 2, 7, 40, said.length]) {
      const before = one.text
      const pieces = Array.from({ length: Math.ceil(said.length / size) }, (_, i) =>
        said.slice(i * size, (i + 1) * size)
      )
      const updates = pieces.map((text) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }))
      await one.prompt(updates.map((update) => `update ${JSON.stringify(update)}`).join("\n"))
      assert.strictEqual(one.text.slice(before.length), expected, String(size))
    }
  })

  it("gives the agent its own folder and none of the service's environment", async () => {
    process.env["HEDDLE_SECRET_OF_THE_SERVICE"] = "secret"
    const one = await opened()
    await one.prompt("env")
    const env = JSON.parse(one.text)
    // The last four are what a shell adds of its own.
    assert.sameMembers(
      Object.keys(env).filter(
        (name) => !["LANG", "HEDDLE_AGENT_PACE_MS", "PWD", "OLDPWD", "SHLVL", "_"].includes(name)
      ),
      ["PATH", "HOME", "TMPDIR"]
    )
    // The service writes the task's folder so in what an agent says.
    assert.strictEqual(env.HOME, "./")
    assert.strictEqual(Fs.statSync(one.task.folder).mode & 0o777, 0o700)
  })

  it("does not count the refusal of a client whose ticket may only read", async () => {
    const task = await service().task({ mayInvoke: false })
    const reader = await Client.loaded(task)
    const writer = await Client.loaded(await service().reopen(task.taskId))
    const turn = await writer.askPrompt("ask May I?")
    const asked = await reader.message(isPermission)
    const refusal = { jsonrpc: "2.0", id: asked.id, error: { code: -32601, message: "no" } }
    assert.strictEqual((await reader.post(refusal)).status, 202)
    await writer.answer(await writer.message(isPermission), { outcome: "selected", optionId: "yes" })
    await writer.answerTo(turn)
    assert.include(writer.text, '"optionId":"yes"')
  })

  it("leaves out updates without content, and goes on", async () => {
    const one = await opened()
    const before = one.messages.length
    await one.prompt("update null\nupdate {}\necho on")
    const updates = one.messages.slice(before).flatMap(({ params }) => (params?.sessionId ? [params.update] : []))
    assert.isTrue(updates.every((update) => typeof update?.sessionUpdate === "string"))
    assert.strictEqual(one.text, "on")
  })
})
