import { assert, describe, it } from "@effect/vitest"
import { buttonsOf, confirm, patience, withStack } from "./support/Stack.ts"
import { echo } from "./support/Agents.ts"

describe.concurrent("a failure", { timeout: 60_000 }, () => {
  it("is explained in private when a task cannot be created, with the next step and the request id", () =>
    withStack(echo, async ({ emulator, service, you }) => {
      service.state.createError = {
        status: 403,
        body: { error: "access_denied", error_description: "no credits left", request_id: "req-77" }
      }
      const asked = await you.command(emulator.channelId, "task new", { prompt: "x" })
      const { content } = await asked.settled()
      assert.match(content, /not started/)
      assert.match(content, /no credits left/)
      assert.match(content, /Nothing was changed or charged/)
      assert.match(content, /req-77/)
      assert.strictEqual(emulator.threads().length, 0)
    }))

  it("is explained in public without account details when there is no private answer", () =>
    withStack(echo, async ({ emulator, service, you }) => {
      service.state.createError = {
        status: 403,
        body: { error: "access_denied", error_description: "13900000000 has no credits left", request_id: "req-78" }
      }
      await you.send(emulator.channelId, `<@${emulator.applicationId}> count`)
      const transcript = await emulator.waitFor(
        (e) => /not started/.test(e.transcript(e.channelId)) && e.transcript(e.channelId),
        { what: "the failure" }
      )
      assert.match(transcript, /Nothing was changed or charged[^]*req-78/)
      assert.notMatch(transcript, /13900000000|no credits left/)
    }))

  it("is shown in the thread when the agent fails, and the thread continues", () =>
    withStack(echo, async ({ service, shows, start, you }) => {
      service.state.refusePrompt = "The agent program ended: out of memory"
      const thread = await start("one")
      await shows(thread, /This did not work[^]*out of memory/, patience)
      service.state.refusePrompt = undefined
      await you.send(thread, "two")
      await shows(thread, /answer to two/, patience)
    }))

  it("does not reveal the state of the owner's account in public", () =>
    withStack(echo, async ({ service, shows, start }) => {
      service.state.refusePrompt = "The account has used up its credits. Add credits, then try again."
      service.state.refuseReason = "no_credits"
      const transcript = await shows(await start("one"), /This did not work[^]*<\/credit:\d+>/, patience)
      assert.notInclude(transcript, "used up")
      assert.notInclude(transcript, "The agent reported")
    }))

  it("does not show the service's own text in public for an unknown reason", () =>
    withStack(echo, async ({ service, shows, start, you }) => {
      service.state.refusePrompt = "account alice@example.com, phone +49 1"
      service.state.refuseReason = "account_review"
      const transcript = await shows(
        await start("one"),
        new RegExp(`not shown here\\.[^]*tells what it cost[^]*<@${you.id}> can look at </credit:\\d+>`),
        patience
      )
      assert.notMatch(transcript, /alice|\+49/)
    }))

  it("of an unavailable service is waited for without loss", () =>
    withStack(echo, async ({ service, shows, start, you }) => {
      const thread = await start("one")
      await shows(thread, /answer to one/, patience)
      service.state.down = true
      await you.send(thread, "two")
      await shows(thread, /not reachable right now/, 20_000)
      service.state.down = false
      const transcript = await shows(thread, /answer to two/, 15_000)
      await shows(thread, /done ·[^]*done ·/, patience)
      assert.notMatch(transcript.slice(transcript.indexOf("answer to two")), /not reachable/)
      assert.deepEqual(service.prompts, ["one", "two"])
    }))

  it("of the channel makes the bot follow the turn on a new channel, without another prompt", () =>
    withStack(
      async (turn) => {
        turn.say("before")
        await new Promise((resolve) => setTimeout(resolve, 700))
        turn.say(" and after")
        return "end_turn"
      },
      async ({ service, shows, start }) => {
        const thread = await start("one")
        await shows(thread, /before/, patience)
        service.cutStreams()
        await shows(thread, /before and after/, patience)
        const transcript = await shows(thread, /done ·/, patience)
        assert.strictEqual(transcript.match(/before/g)?.length, 1)
        assert.deepEqual(service.prompts, ["one"])
      }
    ))

  it("of the authorization shows a button to connect again; the prompt then continues by itself", () =>
    withStack(echo, async ({ service, shows, start, emulator, you }) => {
      const thread = await start("one")
      await shows(thread, /answer to one/, patience)
      service.state.refuseTokens = true
      await you.send(thread, "two")
      await shows(thread, /connected again/, patience)
      const notice = emulator.messages(thread).findLast((message) => buttonsOf(message).length > 0)!
      const pressed = await you.press(thread, notice.id, buttonsOf(notice)[0]!.custom_id)
      await confirm(emulator, await pressed.settled())
      await shows(thread, /answer to two/, patience)
      await emulator.waitFor((e) => !/connected again/.test(e.transcript(thread)), { what: "the notice to go" })
    }))

  it("is reported once when a task no longer exists", () =>
    withStack(echo, async ({ service, shows, start, you }) => {
      const thread = await start("one")
      await shows(thread, /answer to one/, patience)
      service.tasks.clear()
      await you.send(thread, "two")
      await shows(thread, /does not have this task[^]*costs nothing[^]*-# request r-3/, patience)
    }))

  it("of Discord after a successful call shows no duplicate", () =>
    withStack(echo, async ({ emulator, shows, start, you }) => {
      const thread = await start("one")
      await shows(thread, /done ·/, patience)
      emulator.fault({ method: "POST", route: /messages/, times: 2, status: 500, after: true })
      emulator.fault({ method: "PATCH", route: /messages/, times: 1, status: 500 })
      await you.send(thread, "two")
      await shows(thread, /answer to two/, patience)
      await shows(thread, /done ·[^]*done ·/, patience)
      await emulator.quiet(thread, 300)
      assert.strictEqual(emulator.transcript(thread).match(/answer to two/g)?.length, 1)
    }))

  it("of the gateway makes the bot read the missed messages afterwards", () =>
    withStack(echo, async ({ emulator, service, shows, start, you }) => {
      const thread = await start("one")
      await shows(thread, /done ·/, patience)
      emulator.dropGateway({ resume: false })
      await you.send(thread, "two")
      await shows(thread, /answer to two/, 15_000)
      assert.deepEqual(service.prompts, ["one", "two"])
    }))

  it("is reported when a command is used outside of a task's thread", () =>
    withStack(echo, async ({ emulator, you }) => {
      for (const path of ["task stop", "task status"]) {
        const asked = await you.command(emulator.channelId, path)
        assert.match((await asked.settled()).content, /no task in this thread/)
      }
      const list = await (await you.command(emulator.channelId, "task list")).settled()
      assert.match(list.content, /no tasks yet/)
      const credit = await (await you.command(emulator.channelId, "credit")).settled()
      assert.match(JSON.stringify(credit.embeds), /750/)
      const help = await (await you.command(emulator.channelId, "help")).settled()
      assert.match(JSON.stringify(help.embeds), /\/task new/)
      const again = await (await you.command(emulator.channelId, "connect")).settled()
      assert.match(again.content, /already connected/)
      const bye = await (await you.command(emulator.channelId, "disconnect")).settled()
      assert.match(bye.content, /Disconnected/)
    }))
})
