import { assert, describe, it } from "@effect/vitest"
import { withPlainStack } from "../support/PlainStack.ts"
import { buttonsOf } from "../support/Stack.ts"

describe("modes, models and options at a service that keeps the document and offers none", () => {
  // The waits are for events, each of at most 15 s; with many processes beside it all of them took more than 20 s.
  it("are said not to be offered, at rest and at work, and the work goes on", { timeout: 60_000 }, () =>
    withPlainStack(
      {
        script: async ({ ask, say, text }) => {
          say(text === "ask" ? `You chose ${await ask({ title: "Write the file" })}` : `Said: ${text}`)
          return { stopReason: "end_turn" }
        }
      },
      async ({ emulator, service, shows, start, you }) => {
        const thread = await start("one")
        await shows(thread, /Said: one[^]*done ·/, 15_000)
        const ask = async (path: string, options: Record<string, string>) =>
          (await (await you.command(thread, path, options)).settled()).content
        assert.deepStrictEqual(await you.autocomplete(thread, "task mode", { mode: "" }, "mode"), [])
        assert.match(await ask("task mode", { mode: "plan" }), /no modes to choose from[^]*Nothing was changed/)
        assert.match(await ask("task options", { option: "web", value: "on" }), /no options to choose from/)
        assert.match(await ask("task command", { name: "review" }), /told of no commands/)
        await you.send(thread, "ask")
        const card = await emulator.waitFor(
          (e) => e.messages(thread).find((each) => buttonsOf(each).some(({ label }) => /Allow/.test(label))),
          { what: "the question" }
        )
        assert.match(await ask("task model", { model: "large" }), /no models to choose from/)
        await you.press(thread, card.id, buttonsOf(card).find(({ label }) => /Allow/.test(label))!.custom_id)
        await shows(thread, /You chose [^]*done ·/)
        assert.notMatch(emulator.transcript(thread), /agent's mode/)
        assert.deepStrictEqual(
          service.rounds.map(({ text }) => text),
          ["one", "ask"]
        )
      }
    )
  )

  it(
    "of the server's settings are told once not to be offered, and a service that is away is named",
    () =>
      withPlainStack({}, async ({ emulator, service, shows, start, startBot, stopBot, you }) => {
        await (await you.command(emulator.channelId, "settings agent", { mode: "plan" })).settled()
        const thread = await start("one")
        await shows(thread, /done ·/, 15_000)
        assert.match(
          emulator.transcript(thread),
          /mode should be \*\*plan\*\*, and it is not\. The agent of this task, or its service/
        )
        await you.send(thread, "two")
        await shows(thread, /done ·[^]*done ·/)
        assert.lengthOf(emulator.transcript(thread).match(/and it is not/g) ?? [], 1)
        await stopBot()
        await startBot()
        await service.stop()
        const away = await (await you.command(thread, "task mode", { mode: "plan" })).settled()
        assert.match(away.content, /cannot be reached at the moment\. Nothing was changed/)
      }),
    120_000
  )

  it(
    "are of one agent: another one is refused in words, nothing starts, and the settings' agent is told once",
    { timeout: 60_000 },
    () =>
      withPlainStack({}, async ({ emulator, service, shows, start, you }) => {
        const ask = async (path: string, options: Record<string, string>) =>
          (await (await you.command(emulator.channelId, path, options)).settled()).content
        const first = await start("one")
        await shows(first, /done ·/, 15_000)
        const suggested = await you.autocomplete(emulator.channelId, "task new", { prompt: "x", agent: "" }, "agent")
        assert.deepStrictEqual(suggested, [])
        const requests = service.requests.length
        assert.match(
          await ask("task new", { prompt: "two", agent: "codex" }),
          /was not started\. The service offers no choice of agents, so \*\*codex\*\* cannot be chosen\. Nothing was charged\./
        )
        assert.notInclude(
          service.requests.slice(requests).map(({ method }) => method),
          "POST"
        )
        assert.lengthOf(service.tasks(), 1)

        await ask("settings agent", { agent: "codex" })
        const second = await start("three")
        await shows(second, /done ·/, 15_000)
        assert.match(emulator.transcript(second), /agent should be \*\*codex\*\*\. The service does not offer it/)
        assert.notMatch(emulator.transcript(first), /The agent is/)
      })
  )
})
