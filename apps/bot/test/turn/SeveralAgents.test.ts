import { choosingAgent, scriptedAgent } from "@heddle/test-support/Agents"
import { assert, describe, it } from "@effect/vitest"
import { type RealStack, withRealStack } from "../support/RealStack.ts"

const small = { name: "small", command: [process.execPath, scriptedAgent], isolation: "none" } as const
const chooser = { name: "chooser", command: [process.execPath, choosingAgent, "modes"], isolation: "none" } as const
const other = { name: "other", command: [process.execPath, choosingAgent, "options"], isolation: "none" } as const
const several = { server: { agents: [small, chooser] } }

const told = async (stack: RealStack, count: number, words: RegExp) => {
  const thread = await stack.emulator.waitFor((e) => e.threads().length >= count && newest(e.threads()), {
    what: `thread ${count}`,
    timeoutMs: 20_000
  })
  return stack.emulator.waitFor((e) => words.test(e.transcript(thread.id)) && e.transcript(thread.id), {
    what: String(words),
    timeoutMs: 20_000
  })
}

const newest = <Thread extends { readonly id: string }>(threads: ReadonlyArray<Thread>): Thread =>
  threads.toSorted((one, other) => (BigInt(one.id) < BigInt(other.id) ? 1 : -1))[0]!

const cards = ({ emulator }: RealStack) =>
  emulator
    .messages(emulator.channelId)
    .map(({ content }) => content)
    .join("\n")

const agentsSent = ({ proxy }: RealStack) =>
  proxy.state.seen
    .filter(({ method, path }) => method === "POST" && path.endsWith("/tasks"))
    .map(({ body }) => JSON.parse(body).agent as unknown)

describe.concurrent("a service with several agents", () => {
  it(
    "lets a person choose one for a new task, which its card names, and refuses others in words",
    () =>
      withRealStack(async (stack) => {
        const { ask, emulator, link, you } = stack
        const suggest = (typed: string) =>
          you.autocomplete(emulator.channelId, "task new", { prompt: "x", agent: typed }, "agent")
        // The choice waits for the account, too.
        assert.deepStrictEqual(await suggest(""), [])
        await link(await ask("task new", { prompt: "state", agent: "chooser" }))
        await told(stack, 1, /"mode":"ask"[^]*done ·/)
        assert.deepStrictEqual(await suggest(""), [
          { name: "small", value: "small" },
          { name: "chooser", value: "chooser" }
        ])
        assert.deepStrictEqual(await suggest("CHO"), [{ name: "chooser", value: "chooser" }])
        await emulator.waitFor(() => /The agent is \*\*chooser\*\*\.\n-# The agent's mode is/.test(cards(stack)), {
          what: "the agent on the card"
        })
        await ask("task new", { prompt: "echo from the first" })
        await told(stack, 2, /from the first[^]*done ·/)
        assert.match(cards(stack), /The agent is \*\*small\*\*\./)
        assert.deepStrictEqual(agentsSent(stack), ["chooser", undefined])

        const refused = await ask("task new", { prompt: "echo nothing", agent: "gemini" })
        assert.include(
          refused.content,
          "The task was not started. The service does not offer the agent **gemini**; it offers **small**, **chooser**. Nothing was charged."
        )
        assert.lengthOf(emulator.threads(), 2)
        assert.lengthOf(agentsSent(stack), 2)
      }, several),
    90_000
  )

  it("has the agent that the settings choose for a channel or the server, and says where it is not offered", () => {
    const server = { agents: [small, chooser] as ReadonlyArray<typeof small | typeof chooser> }
    return withRealStack(
      async (stack) => {
        const { ask, emulator, link, you } = stack
        await link(await ask("connect"))
        const names = await you.autocomplete(emulator.channelId, "settings agent", { agent: "" }, "agent")
        assert.deepStrictEqual(
          names.map(({ value }) => value),
          ["no default", "small", "chooser"]
        )
        const set = await ask("settings agent", { agent: "chooser", mode: "plan" })
        const refused = await ask("settings agent", { agent: "agent:nope" })
        assert.include(refused.content, "does not offer the agent **agent:nope**; it offers **small**, **chooser**.")
        assert.match(refused.content, /Nothing was changed/)
        assert.match((await ask("settings show")).embeds[0]?.description ?? "", /agent \*\*chooser\*\*/)
        assert.match(set.content, /new tasks get the agent \*\*chooser\*\*.* begin in the mode \*\*plan\*\*/)
        await ask("task new", { prompt: "state" })
        await told(stack, 1, /"mode":"plan"[^]*done ·/)

        // The mode is of another agent, which this task does not have.
        await ask("task new", { prompt: "echo hello", agent: "small" })
        const other = await told(stack, 2, /hello[^]*done ·/)
        assert.notMatch(other, /should be/)

        await ask("settings agent", { mode: "no default" })
        await stack.restart(() => (server.agents = [small]))
        await ask("task new", { prompt: "echo again" })
        const missing = await told(stack, 3, /again[^]*done ·/)
        assert.match(
          missing,
          /agent should be \*\*chooser\*\*\. The service does not offer it, so its own default works/
        )
        assert.deepStrictEqual(agentsSent(stack), ["chooser", "small", undefined])
        const audit = (await ask("settings audit")).embeds[0]?.description ?? ""
        assert.match(audit, /agent \*\*chooser\*\*, mode \*\*-\*\*/)
      },
      { server }
    )
  }, 90_000)

  it(
    "begins each agent with the defaults of its own, before those of all agents, and says what it lacks",
    () =>
      withRealStack(
        async (stack) => {
          const { ask, emulator, link, you } = stack
          const set = async (options: Record<string, string>) => (await ask("settings agent", options)).content
          const suggest = (options: Record<string, string>, focused: string) =>
            you.autocomplete(emulator.channelId, "settings agent", options, focused)
          await link(await ask("task new", { prompt: "state", agent: "chooser" }))
          await told(stack, 1, /done ·/)
          await ask("task new", { prompt: "state", agent: "other" })
          await told(stack, 2, /done ·/)
          assert.deepStrictEqual(await suggest({ for: "" }, "for"), [
            { name: "chooser", value: "chooser" },
            { name: "other", value: "other" },
            { name: "third", value: "third" }
          ])
          assert.lengthOf(await suggest({ for: "chooser", option: "" }, "option"), 0)
          assert.lengthOf(await suggest({ for: "other", option: "" }, "option"), 2)
          assert.lengthOf(await suggest({ for: "chooser", mode: "" }, "mode"), 4)
          // What another agent offers is suggested for none that has not shown what it offers.
          assert.lengthOf(await suggest({ agent: "third", mode: "" }, "mode"), 1)
          assert.lengthOf(await suggest({ agent: "chooser", option: "" }, "option"), 0)
          assert.match(
            await set({ for: "third", mode: "plan" }),
            /begin in the mode \*\*plan\*\*\. Not known yet: mode \*\*plan\*\*\. No task in this server has shown/
          )
          await set({ for: "third", mode: "no default" })
          assert.match(await set({ for: "other", mode: "plan" }), /⚠️ Not known: mode \*\*plan\*\*\./)
          await set({ for: "other", mode: "no default" })
          assert.match(await set({ for: "gemini", mode: "plan" }), /does not offer the agent \*\*gemini\*\*/)
          assert.match(await set({ for: "other", agent: "other" }), /does not go with `for`\. Nothing was changed/)

          assert.notMatch(await set({ mode: "plan" }), /Not known/)
          await set({ option: "effort", value: "low", channel: emulator.channelId })
          assert.match(
            await set({ for: "other", option: "effort", value: "high", channel: emulator.channelId }),
            /new tasks of the agent \*\*other\*\* begin with \*\*effort\*\* set to \*\*high\*\*/
          )
          await set({ for: "chooser", model: "large" })
          await set({ option: "speed", value: "fast" })
          await ask("task new", { prompt: "state", agent: "other" })
          assert.match(await told(stack, 3, /"effort":"high"[^]*done ·/), /speed should be \*\*fast\*\*, and it is not/)
          assert.notMatch(await told(stack, 3, /done ·/), /mode should be/)
          await ask("task new", { prompt: "state", agent: "chooser" })
          const chooser = await told(stack, 4, /"mode":"plan"[^]*done ·/)
          // What is for all agents may be meant for another one; what is for this one, or what none has, is missed.
          assert.match(chooser, /speed should be \*\*fast\*\*, and it is not/)
          assert.match(chooser, /model should be \*\*large\*\*, and it is not\. The agent of this task, or its service/)
          assert.notMatch(chooser, /effort should be/)
          await set({ for: "chooser", model: "no default" })
          const shown = (await ask("settings show")).embeds[0]?.description ?? ""
          assert.match(shown, /agent \*\*other\*\* begin with/)
          assert.notMatch(shown, /agent \*\*chooser\*\*/)
          const audit = (await ask("settings audit")).embeds[0]?.description ?? ""
          assert.match(
            audit,
            /new tasks of the agent \*\*other\*\* begin in <#\d+>: [^\n]*option \*\*effort\*\* \*\*high\*\*/
          )
        },
        { server: { agents: [chooser, other, { ...chooser, name: "third" }] } }
      ),
    90_000
  )

  it(
    "creates the task with the chosen agent also after a restart in between, or a lost answer",
    () =>
      withRealStack(async (stack) => {
        const { ask, emulator, link, proxy, startBot, stopBot, you } = stack
        await link(await ask("connect"))
        let asked = 0
        proxy.state.fate = (_method, path) => (path.endsWith("/agents") ? (asked++, "hold") : "pass")
        await you.command(emulator.channelId, "task new", { prompt: "state", agent: "chooser" })
        await emulator.waitFor(() => asked > 0, { what: "the question which agents there are" })
        await stopBot()
        let creations = 0
        proxy.state.fate = (method, path) =>
          method === "POST" && path.endsWith("/tasks") && creations++ === 0 ? "lose" : "pass"
        await startBot()
        await told(stack, 1, /"mode":"ask"[^]*done ·/)
        const sent = agentsSent(stack)
        assert.isAtLeast(sent.length, 2)
        assert.deepStrictEqual([...new Set(sent)], ["chooser"])
        assert.lengthOf(emulator.threads(), 1)
        await emulator.waitFor(() => cards(stack).includes("The agent is **chooser**"), { what: "the agent's name" })

        // The task keeps its agent over a restart of both.
        await stack.restart()
        const thread = newest(emulator.threads())
        await you.send(thread.id, "echo later")
        await told(stack, 1, /later[^]*done ·/)
      }, several),
    120_000
  )
})

describe.concurrent("a task whose agent the operator has taken away", () => {
  it("says so at its next message, and goes on when the agent is back", () => {
    const server = { agents: [small, chooser] as ReadonlyArray<typeof small | typeof chooser> }
    return withRealStack(
      async (stack) => {
        const { emulator, link, you } = stack
        await link(await stack.ask("connect"))
        await stack.ask("task new", { prompt: "state", agent: "chooser" })
        await told(stack, 1, /"mode":"ask"[^]*done ·/)
        const thread = newest(emulator.threads())
        await stack.restart(() => (server.agents = [small]))
        await you.send(thread.id, "state")
        await told(
          stack,
          1,
          /works with the agent "chooser", which this service no longer offers\. Nothing was done and nothing was charged\./
        )
        await stack.restart(() => (server.agents = [small, chooser]))
        await you.send(thread.id, "echo back again")
        await told(stack, 1, /back again[^]*done ·/)
      },
      { server }
    )
  }, 90_000)
})

describe.concurrent("a service with one agent", () => {
  it(
    "has its task's card without the agent's name",
    () =>
      withRealStack(
        async (stack) => {
          await stack.link(await stack.ask("task new", { prompt: "echo hello" }))
          await told(stack, 1, /hello[^]*done ·/)
          assert.notMatch(cards(stack), /The agent is/)
        },
        { server: { agents: [{ command: small.command, isolation: "none" }] } }
      ),
    60_000
  )
})
