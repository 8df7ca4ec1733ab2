import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as SkippingClock from "@heddle/test-support/SkippingClock"
import * as Fs from "node:fs"
import { Client, isPermission, saysText } from "../support/client.ts"
import { isAlive } from "../support/processes.ts"
import { agent, type Started } from "../support/service.ts"
import { serviceOfTest } from "../support/suite.ts"

describe("agents that fail", () => {
  const serve = serviceOfTest()
  const opened = async (started: Started) => Client.loaded(await started.task())

  const neverUp: ReadonlyArray<{
    readonly name: string
    readonly command: ReadonlyArray<string>
    readonly says: RegExp
    readonly patience?: Duration.Duration
  }> = [
    { name: "is not found", command: ["no-such-agent-anywhere"], says: /"no-such-agent-anywhere".*not found/ },
    { name: "exits at once", command: agent("exit"), says: /ended by itself.*status 3.*no licence found/ },
    { name: "speaks another version", command: agent("version2"), says: /version 2 .* version 1/ },
    { name: "wants a sign-in", command: agent("auth"), says: /sign-in.*please run login/ },
    {
      name: "writes rubbish and says nothing",
      command: agent("rubbish", "mute"),
      // More than a busy machine needs to start Node.
      patience: Duration.seconds(3),
      says: /within 3 seconds.*Welcome to a/
    }
  ]
  for (const { name, command, says, patience } of neverUp) {
    it(`tells the person when the agent ${name}`, async () => {
      const started = await serve({
        agentCommand: command,
        ...(patience === undefined ? {} : { sandbox: { agentStart: patience } })
      })
      const client = await opened(started)
      const { error } = await client.prompt("echo hello")
      assert.strictEqual(error.code, -32603)
      assert.match(error.message, says)
      assert.include(error.message, "nothing was charged")
      assert.match(error.message, /This task cannot go on: .* start a new one\.$/)
      assert.notMatch(error.message, /\n|at .*:\d+:\d+/)
      assert.strictEqual(await started.status(client.task.taskId), "failed")
      assert.match(error.data.reason, /^agent_/)
      assert.deepStrictEqual((await client.prompt("echo hello")).error, error)
      await started.stop()
      const restarted = await serve({ agentCommand: command, dataDir: started.dataDir })
      const later = await Client.loaded(await restarted.reopen(client.task.taskId))
      assert.deepStrictEqual((await later.prompt("echo hello")).error, error)
    })
  }

  it("tells a failure that an earlier version stored as its own, not as the agent's", async () => {
    const started = await serve({ agentCommand: ["no-such-agent-anywhere"] })
    const client = await opened(started)
    await client.prompt("echo hello")
    await started.rows("UPDATE sandboxes SET failure = 'It did not start.'")
    await started.stop()
    const restarted = await serve({ dataDir: started.dataDir })
    const later = await Client.loaded(await restarted.reopen(client.task.taskId))
    const { data, message } = (await later.prompt("echo hello")).error
    assert.deepStrictEqual([message, data], ["It did not start.", { reason: "agent_refused" }])
  })

  it("gives up early on an agent that does not speak the protocol", async () => {
    const started = await serve({
      agentCommand: agent("chatter", "mute"),
      sandbox: { agentRubbish: Duration.millis(200) }
    })
    const { error } = await (await opened(started)).prompt("echo hello")
    assert.match(error.message, /is not the Agent Client Protocol: "Welcome!".*nothing was charged/)
  })

  it("works with an agent that prints a long greeting before the protocol", async () => {
    const started = await serve({ agentCommand: agent("chatter"), sandbox: { agentRubbish: Duration.millis(300) } })
    const client = await opened(started)
    assert.strictEqual((await client.prompt("wait 400\necho fine")).result.stopReason, "end_turn")
  })

  it("waits only once for an agent that does not answer", async () => {
    const started = await serve({ agentCommand: agent("mute"), sandbox: { agentStart: Duration.seconds(3) } })
    const task = await started.task({ prompt: "echo hello", hold: false })
    const client = await Client.open(task)
    const initialized = client.initialize().then(() => Date.now())
    // The initial prompt has waited in vain; the prompts that waited beside it do not begin again.
    while ((await started.status(task.taskId)) !== "failed") await new Promise((resolve) => setTimeout(resolve, 20))
    const failed = Date.now()
    assert.isBelow((await initialized) - failed, 2900)
    await client.load()
    assert.match((await client.prompt("echo hello")).error.message, /did not answer initialize within 3 seconds/)
    assert.match(client.text, /did not answer initialize within 3 seconds/)
  })

  it("writes the reason to the session when no client waits for the answer", async () => {
    const started = await serve({ agentCommand: ["no-such-agent-anywhere"] })
    const client = await Client.open(await started.task({ prompt: "echo hello", hold: false }))
    await client.load()
    await client.until(() => client.text.includes("no-such-agent-anywhere"))
    assert.strictEqual(await started.status(client.task.taskId), "failed")
  })

  it("works with an agent that also writes invalid lines", async () => {
    const client = await opened(await serve({ agentCommand: agent("rubbish") }))
    assert.strictEqual((await client.prompt("raw {broken\necho fine")).result.stopReason, "end_turn")
    assert.strictEqual(client.text, "fine")
  })

  it("survives deeply nested messages of the agent and of a client", async () => {
    const client = await opened(await serve({}))
    const deep = "[".repeat(100_000) + "]".repeat(100_000)
    const update = (text: string) =>
      `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"x","update":{"sessionUpdate":"plan","entries":${text}}}}`
    assert.strictEqual((await client.prompt(`raw ${update(deep)}\necho fine`)).result.stopReason, "end_turn")
    for (const method of ["session/prompt", "session/set_mode", "anything"]) {
      const refused = await client.post(
        `{"jsonrpc":"2.0","id":"deep","method":"${method}","params":{"sessionId":"${client.task.taskId}","prompt":${deep}}}`
      )
      assert.strictEqual(refused.status, 400)
      assert.match(((await refused.json()) as { msg: string }).msg, /nested more than 256 levels.*Nothing was done/)
    }
    // Parsing it alone would take ten seconds.
    assert.strictEqual((await client.post("[".repeat(16_000_000))).status, 400)
    assert.strictEqual((await client.prompt("echo on")).result.stopReason, "end_turn")
    assert.strictEqual(client.text, "fineon")
    const inherited = await client.request("constructor", { sessionId: client.task.taskId })
    assert.strictEqual(inherited.error.code, -32601)
  })

  it("ends the turn when the agent dies, and restarts it with its session for the next prompt", async () => {
    const started = await serve({})
    const client = await opened(started)
    await client.prompt("echo one")
    const { error } = await client.prompt("echo two\ndie")
    assert.match(error.message, /ended unexpectedly.*status 9.*last words: "RangeError: out of memory"\./)
    assert.match(error.message, /Send your message again/)
    assert.strictEqual(await started.status(client.task.taskId), "failed")
    assert.strictEqual((await client.prompt("echo three")).result.stopReason, "end_turn")
    assert.strictEqual(await started.status(client.task.taskId), "completed")
    assert.strictEqual(client.text, "onetwothree")
  })

  it("forwards an error of the agent and continues", async () => {
    const started = await serve({})
    const client = await opened(started)
    const { error } = await client.prompt("echo so far\nfail")
    assert.deepStrictEqual([error.code, error.message], [-32050, "the model is overloaded"])
    assert.strictEqual(await started.status(client.task.taskId), "failed")
    const again = await Client.loaded(client.task)
    assert.include(again.text, "so far")
    assert.strictEqual((await again.prompt("echo on")).result.stopReason, "end_turn")
    assert.strictEqual(await started.status(client.task.taskId), "completed")
  })

  it("tells the cause of an agent's error, and does not let it pass for the service's own", async () => {
    const started = await serve({})
    const client = await opened(started)
    const { error } = await client.prompt("quota")
    const { agent, reason } = error.data
    assert.deepStrictEqual([agent.reason, reason], ["no_credits", undefined])
    const orphan = await opened(started)
    await orphan.askPrompt("wait 300\nquota")
    orphan.cut()
    await fetch(orphan.task.link, {
      method: "DELETE",
      headers: { authorization: `Bearer ${orphan.task.token}`, "acp-connection-id": orphan.id }
    })
    const later = await Client.loaded(orphan.task)
    await later.until(() => later.text.includes("\n\nYou have exceeded your current quota\n\n"), "the notice")
  })

  it(
    "takes only what the agent wrote shortly before its end, in that turn, for its last words",
    { timeout: 30_000 },
    async () => {
      const client = await opened(await serve({}))
      const missing = "stderr Error: a file was missing"
      const dying = async (script: string) => (await client.prompt(script)).error.message
      assert.match(await dying(`${missing}\ncrash`), /SIGKILL.*last words: "Error: a file/)
      for (const words of ["fatal: no space is left", "panic: index out of range", "thread 'main' panicked at a.rs"])
        assert.include(await dying(`stderr ${words}\nstderr goodbye\ncrash`), `last words: "${words}"`)
      // An error of an earlier turn, and one of minutes ago.
      await client.prompt(missing)
      for (const script of ["wait 100\ncrash", `${missing}\nwait 5500\ncrash`]) {
        const told = await dying(script)
        assert.match(told, /SIGKILL/)
        assert.notMatch(told, /last words/)
      }
    }
  )

  it("fails a turn when the agent's refusal holds an error", async () => {
    const started = await serve({})
    const client = await opened(started)
    const failing = (error: object) => ({
      stopReason: "refusal",
      _meta: { "vendor/errorMessage": JSON.stringify(error), "vendor/outcome": "FAILED_MODEL_REQUEST" }
    })
    const quota = failing({ code: -32003, message: "Quota exceeded: 429 You have exceeded your current quota" })
    const ended = await client.prompt(`end ${JSON.stringify(quota)}`)
    assert.include(ended.error?.message, "You have exceeded your current quota")
    assert.strictEqual(await started.status(client.task.taskId), "failed")
    const data = { details: "401 Incorrect API key provided", statusCode: 401 }
    const key = failing({ code: -32603, message: "Internal error", data })
    assert.include((await client.prompt(`end ${JSON.stringify(key)}`)).error.message, "401 Incorrect API key provided")
    const bare = { stopReason: "refusal", _meta: { "vendor/outcome": "FAILED_MODEL_REQUEST" } }
    assert.match((await client.prompt(`end ${JSON.stringify(bare)}`)).error.message, /FAILED_MODEL_REQUEST/)
    const refusal = { stopReason: "refusal", _meta: { "vendor/errorMessage": null, "vendor/outcome": "REFUSED" } }
    assert.strictEqual((await client.prompt(`end ${JSON.stringify(refusal)}`)).result.stopReason, "refusal")
  })

  it("fails a turn that the agent ends normally although it reports an error of its thread", async () => {
    const started = await serve({})
    const client = await opened(started)
    const status = (type: string) =>
      `update ${JSON.stringify({ sessionUpdate: "session_info_update", _meta: { codex: { threadStatus: { type } } } })}`
    const fail = (words: string) => client.prompt([status("active"), status("systemError"), `echo ${words}`].join("\n"))
    const json = JSON.stringify({ error: { message: "You have exceeded your quota", code: "quota" } })
    const { error } = await fail(json)
    assert.strictEqual(error?.message, "You have exceeded your quota")
    assert.strictEqual(client.text, "")
    assert.strictEqual(await started.status(client.task.taskId), "failed")
    const forbidden = "unexpected status 403 Forbidden: This key may not use the model"
    assert.strictEqual((await fail(`${forbidden}, url: http://127.0.0.1:1/v1`)).error?.message, forbidden)
    assert.match((await client.prompt(status("systemError"))).error?.message, /without/)
    assert.strictEqual((await client.prompt("echo hello")).result.stopReason, "end_turn")
    assert.strictEqual((await client.prompt([status("systemError"), status("idle")].join("\n"))).error, undefined)
    assert.strictEqual(client.text, "hello")
  })

  it("reports that a restarted agent has lost the conversation", async () => {
    const client = await opened(await serve({ agentCommand: agent("noload") }))
    await client.prompt("echo one")
    await client.prompt("die")
    await client.prompt("echo two")
    assert.match(client.text, /^one\n\n.*does not remember.*\n\ntwo$/)
    const notice = client.messages.find(({ params }) => params?.update?._meta?.["heddle/notice"] === true)
    assert.isString(notice?.params.update.messageId)
  })

  it("does not show the history again that an agent sends after it has loaded its session", async () => {
    const client = await opened(await serve({ agentCommand: agent("latehistory") }))
    await client.prompt("echo one")
    await client.prompt("die")
    await client.prompt("wait 200\necho two")
    assert.strictEqual(client.text, "onetwo")
  })

  it("restores the session of an agent that offers only resume", async () => {
    const client = await opened(await serve({ agentCommand: agent("resumes") }))
    await client.prompt("echo one")
    await client.prompt("die")
    await client.prompt("echo two")
    assert.strictEqual(client.text, "onetwo")
  })

  it("refuses a request without an answer in time", async () => {
    const client = await opened(await serve({ sandbox: { permission: Duration.millis(200) } }))
    const turn = await client.askPrompt("ask May I?")
    const asked = await client.message(isPermission)
    assert.strictEqual((await client.answerTo(turn)).result.stopReason, "end_turn")
    assert.include(client.text, 'answer {"outcome":"selected","optionId":"no"}')
    assert.include(client.text, "The question was not answered in time")
    const withdrawn = await client.message(({ method }) => method === "$/cancel_request")
    assert.strictEqual(withdrawn.params.requestId, asked.id)
  })

  it("takes an answer for five minutes, and then gives the mildest refusal that is offered", async () => {
    const { clock, skip } = SkippingClock.make()
    const client = await opened(await serve({ clock }))
    const ask = async (...kinds: ReadonlyArray<string>) => {
      const before = client.messages.length
      const turn = await client.askPrompt(`offer ${JSON.stringify(kinds)}`)
      await client.until(() => client.messages.slice(before).some(isPermission))
      return { request: client.messages.slice(before).find(isPermission)!, over: () => client.answerTo(turn) }
    }
    const late = await ask("allow_once", "reject_always", "reject_once")
    skip(290_000)
    await client.answer(late.request, { outcome: "selected", optionId: "allow_once" })
    await late.over()
    assert.match(client.text, /answer \{"outcome":"selected","optionId":"allow_once"\}$/)
    for (const [kinds, outcome] of [
      [["allow_once", "reject_always", "reject_once"], '{"outcome":"selected","optionId":"reject_once"}'],
      [["allow_once", "reject_always"], '{"outcome":"selected","optionId":"reject_always"}'],
      [["allow_once"], '{"outcome":"cancelled"}']
    ] as const) {
      const { over } = await ask(...kinds)
      skip(300_000)
      await over()
      assert.isTrue(client.text.endsWith(`answer ${outcome}`), client.text)
    }
  })

  it("ends a cancelled turn that the agent ignores, with the agent's child processes", async () => {
    const started = await serve({
      agentCommand: agent("stubborn"),
      sandbox: { cancelGrace: Duration.millis(200), agentClose: Duration.millis(200) }
    })
    const client = await opened(started)
    const turn = await client.askPrompt("child\nhang")
    await client.until(() => client.text.startsWith("child"))
    const child = Number(client.text.split(" ")[1])
    assert.isTrue(isAlive(child))
    await client.notify("session/cancel", { sessionId: client.task.taskId })
    assert.strictEqual((await client.answerTo(turn)).result.stopReason, "cancelled")
    assert.strictEqual(await started.status(client.task.taskId), "idle")
    while (isAlive(child)) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.strictEqual((await client.prompt("echo on")).result.stopReason, "end_turn")
    assert.strictEqual(await started.status(client.task.taskId), "completed")
  })

  it("is idle after a turn that was stopped, and runs the next prompt", async () => {
    const started = await serve({})
    const client = await opened(started)
    const turn = await client.askPrompt("echo begun\nhang")
    await client.message(saysText("begun"))
    await client.notify("session/cancel", { sessionId: client.task.taskId })
    assert.strictEqual((await client.answerTo(turn)).result.stopReason, "cancelled")
    assert.strictEqual(await started.status(client.task.taskId), "idle")
    assert.strictEqual((await client.prompt("echo on")).result.stopReason, "end_turn")
    assert.strictEqual(await started.status(client.task.taskId), "completed")
  })

  it("ends a turn of a silent agent, but not while a person is asked", async () => {
    const client = await opened(
      await serve({
        sandbox: {
          turnSilence: Duration.millis(400),
          permission: Duration.millis(900),
          agentClose: Duration.millis(200)
        }
      })
    )
    assert.strictEqual((await client.prompt("ask May I?")).result.stopReason, "end_turn")
    assert.match((await client.prompt("hang")).error.message, /no sign of life/)
  })

  it("ends an unused agent and starts it again for the next prompt", async () => {
    const client = await opened(await serve({ sandbox: { agentIdle: Duration.millis(200) } }))
    await client.prompt("child")
    const child = Number(client.text.split(" ")[1])
    while (isAlive(child)) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.strictEqual((await client.prompt("echo on")).result.stopReason, "end_turn")
  })

  it("closes the streams when the journal cannot be written, and recovers", async () => {
    const started = await serve({})
    const one = await opened(started)
    await one.prompt("echo before")
    const turn = one.askPrompt("count 1000 5")
    await one.message(saysText("3 "))
    await started.rows("ALTER TABLE sandbox_journal RENAME TO elsewhere")
    await one.until(() => one.ended, "the end of the stream")
    await turn
    await started.rows("ALTER TABLE elsewhere RENAME TO sandbox_journal")
    const two = await Client.open(one.task)
    await two.load()
    assert.match(two.text, /^before1 2 3 .*\n\nThe service was interrupted/)
    assert.strictEqual(await started.status(one.task.taskId), "failed")
    assert.strictEqual((await two.prompt("echo after")).result.stopReason, "end_turn")
    assert.strictEqual(await started.status(one.task.taskId), "completed")
  })

  it("continues after the service stopped during a turn", async () => {
    const first = await serve({})
    const one = await opened(first)
    await one.prompt("echo before")
    await one.askPrompt("write artifacts/kept.txt kept\ncount 1000 5\necho never")
    await one.message(saysText("5 "))
    await first.stop()
    await one.until(() => one.ended, "the end of the stream")
    const second = await serve({ dataDir: first.dataDir })
    assert.strictEqual(await second.status(one.task.taskId), "failed")
    const two = await Client.loaded(await second.reopen(one.task.taskId))
    assert.deepStrictEqual(two.updates.slice(0, one.updates.length), one.updates)
    assert.match(two.text, /^before1 2 3 4 5 .*\n\nThe service was interrupted/)
    assert.strictEqual((await two.prompt("echo after")).result.stopReason, "end_turn")
    assert.strictEqual(await second.status(one.task.taskId), "completed")
    assert.isTrue(two.text.endsWith("after"))
    assert.isTrue(Fs.existsSync(`${two.task.folder}/artifacts/kept.txt`))
  })
})
