import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { choosingAgent } from "@heddle/test-support/Agents"
import { assert, describe, it } from "@effect/vitest"
import { setRule } from "../support/Settings.ts"
import { type RealStack, withRealStack } from "../support/RealStack.ts"

const agent = (...flags: ReadonlyArray<string>) => ({
  server: { agents: [{ command: [process.execPath, choosingAgent, ...flags], isolation: "none" }] } as const
})

/** Connects and starts a task; its first prompt asks the agent for what it has. */
const started = async (stack: RealStack) => {
  await stack.link(await stack.ask("task new", { prompt: "state" }))
  const { shows, thread } = await stack.firstThread(20_000)
  await shows(/done ·/)
  const ask = (path: string, options: Record<string, string>) => stack.ask(path, options, thread.id)
  const suggest = (path: string, options: Record<string, string>, focused: string) =>
    stack.you.autocomplete(thread.id, path, options, focused)
  const card = () =>
    stack.emulator
      .messages(stack.emulator.channelId)
      .map(({ content }) => content)
      .join("\n")
  let asked = 0
  /** What the agent says it has, in a turn of its own. */
  const state = async () => {
    const mark = `mark${++asked}`
    await stack.you.send(thread.id, `echo ${mark}\nstate`)
    const found = new RegExp(`${mark}(\\{[^{}]*\\})`)
    return JSON.parse(found.exec((await shows(found)).replaceAll("\\", ""))?.[1] ?? "{}")
  }
  return { ask, card, shows, state, suggest, thread }
}

describe("the mode, the model and the options of an agent", () => {
  it(
    "are suggested, chosen, said once in the thread and on the card, and survive restarts",
    () =>
      withRealStack(
        async (stack) => {
          const { ask, card, shows, state, suggest, thread } = await started(stack)
          const { emulator } = stack
          await emulator.waitFor(() => card().includes("The agent's mode is **Always ask**"), {
            what: "the mode on the card"
          })
          assert.match(card(), /asks first, or only reads/)
          assert.deepStrictEqual(await suggest("task mode", { mode: "" }, "mode"), [
            { name: "Always ask · current", value: "ask" },
            { name: "Plan", value: "plan" },
            { name: "Accept edits", value: "auto" }
          ])
          assert.deepStrictEqual(await suggest("task model", { model: "lar" }, "model"), [
            { name: "Large model", value: "large" }
          ])
          assert.deepStrictEqual(await suggest("task options", { option: "", value: "" }, "option"), [
            { name: "Effort", value: "effort" },
            { name: "Web search", value: "web" }
          ])
          assert.deepStrictEqual(await suggest("task options", { option: "web", value: "" }, "value"), [
            { name: "On", value: "on" },
            { name: "Off · current", value: "off" }
          ])

          assert.match((await ask("task mode", { mode: "plan" })).content, /mode is now \*\*Plan\*\*/)
          assert.match((await ask("task mode", { mode: "Plan" })).content, /\*\*Plan\*\* already. Nothing was changed/)
          assert.match(
            (await ask("task mode", { mode: "nothing" })).content,
            /does not offer that[^]*\*\*Always ask\*\*/
          )
          await ask("task model", { model: "large" })
          await ask("task options", { option: "web", value: "on" })
          const you = `<@${stack.you.id}>`
          await shows(
            new RegExp(`${you} set the agent's mode to \\*\\*Plan\\*\\* \\(before: \\*\\*Always ask\\*\\*\\)`)
          )
          await shows(
            /set the agent's model to \*\*Large model\*\*[^]*set the agent's Web search to \*\*On\*\* \(before: \*\*Off\*\*\)/
          )
          assert.include(await state(), { mode: "plan", model: "large", web: true, effort: "low" })

          // The agent changes its mode itself.
          await stack.you.send(thread.id, "mode auto")
          await shows(/The agent's mode is now \*\*Accept edits\*\* \(before: \*\*Plan\*\*\)/)
          await emulator.waitFor(() => card().includes("**Accept edits**. In it the agent may change things"), {
            what: "card"
          })
          await stack.stopBot()
          await stack.startBot()
          assert.deepInclude(await suggest("task mode", { mode: "acc" }, "mode"), {
            name: "Accept edits · current",
            value: "auto"
          })
          assert.include(await state(), { mode: "auto", model: "large", web: true })
          const said = emulator
            .transcript(thread.id)
            .match(/The agent's (mode|model|Web search) is now|set the agent's/g)
          assert.lengthOf(said ?? [], 4)
          const log = await stack.you.command(emulator.channelId, "settings audit").catch(() => undefined)
          assert.notStrictEqual(log, null)
        },
        agent("modes", "models", "options", "forgets")
      ),
    90_000
  )

  it(
    "are chosen by people who may write to the task; what lets it work unasked also needs the right to approve",
    () =>
      withRealStack(
        async (stack) => {
          const { ask, shows, state, suggest, thread } = await started(stack)
          const friend = stack.emulator.user("Friend")
          const as = async (path: string, options: Record<string, string>) =>
            (await (await friend.command(thread.id, path, options)).settled()).content
          assert.match(await as("task mode", { mode: "plan" }), /belongs to <@/)
          assert.deepStrictEqual(await friend.autocomplete(thread.id, "task mode", { mode: "" }, "mode"), [])
          assert.match(await as("task command", { name: "review" }), /belongs to <@/)
          const helped = await (await friend.command(thread.id, "help", { topic: "commands" })).settled()
          assert.notInclude(helped.embeds[0]?.description, "Commands of this agent")

          await ask("task share", { member: "Friend", may: "reply" })
          assert.match(await as("task mode", { mode: "plan" }), /mode is now \*\*Plan\*\*/)
          await shows(new RegExp(`<@${friend.id}> set the agent's mode to`))
          assert.match(
            await as("task mode", { mode: "auto" }),
            /may work without asking, so only people who may answer/
          )
          assert.match(await as("task mode", { mode: "Accept edits" }), /may work without asking/)
          assert.match(await as("task options", { option: "web", value: "on" }), /may work without asking/)
          assert.match(await as("task options", { option: "effort", value: "high" }), /Effort is now \*\*High\*\*/)
          assert.include(await state(), { mode: "plan", effort: "high", web: false })
          await ask("task share", { member: "Friend", may: "both" })
          assert.match(await as("task mode", { mode: "auto" }), /mode is now \*\*Accept edits\*\*/)
          assert.lengthOf(await suggest("task mode", { mode: "" }, "mode"), 3)

          // While the agent works, and with several writing: its own commands are sent as they are.
          await stack.you.send(thread.id, "wait 1500")
          assert.match((await ask("task mode", { mode: "ask" })).content, /mode is now \*\*Always ask\*\*/)
          assert.deepStrictEqual(await suggest("task command", { name: "rev" }, "name"), [
            { name: "/review <which files> · Reviews the changes", value: "/review" }
          ])
          assert.match((await ask("task command", { name: "nothing" })).content, /told of no command/)
          assert.match(await as("task command", { name: "review", args: "src" }), /Sent to the agent/)
          await shows(new RegExp(`<@${friend.id}> to the agent: \\*\\*/review src\\*\\*[^]*command /review src`))
          // Names with a slash or another sign of their own are shown and sent as they are.
          assert.deepStrictEqual(await suggest("task command", { name: "init" }, "name"), [
            { name: "/init · Has a slash in its name", value: "/init" }
          ])
          await ask("task command", { name: "init" })
          await shows(/command \/init(?!.*\/\/init)/)
          await ask("task command", { name: "$deploy", args: "now" })
          await shows(/to the agent: \*\*\$deploy now\*\*[^]*command \$deploy now/)
          const help = (await ask("help", {})).embeds[0]?.description
          assert.match(
            help ?? "",
            /Commands of this agent[^]*\*\*\/review\*\* · Reviews the changes[^]*\*\*\/init\*\* · [^]*\*\*\$deploy\*\* · A skill/
          )
        },
        { ...agent("modes", "models", "options", "commands"), emulator: { users: ["You", "Friend"] } }
      ),
    90_000
  )

  it(
    "are not made by a person who lost the right while the choice waited",
    () =>
      withRealStack(
        async (stack) => {
          const { ask, state, thread } = await started(stack)
          const friend = stack.emulator.user("Friend")
          await ask("task share", { member: "Friend", may: "both" })
          const sandboxes = join(stack.folder, "server/sandboxes")
          const task = join(sandboxes, readdirSync(sandboxes)[0] ?? "")
          const asked = (path: string) => readFileSync(join(task, "requests.log"), "utf8").includes(path)

          const model = ask("task model", { model: "large" })
          await stack.emulator.waitFor(() => asked("session/set_model"), { what: "a choice on its way" })
          const mode = await friend.command(thread.id, "task mode", { mode: "auto" })
          await friend.autocomplete(thread.id, "task mode", { mode: "" }, "mode")
          await ask("task share", { member: "Friend", may: "reply" })
          writeFileSync(join(task, "go"), "")
          assert.match((await model).content, /model is now \*\*Large model\*\*/)
          assert.match((await mode.settled()).content, /may work without asking, so only people who may answer/)

          rmSync(join(task, "go"))
          const again = ask("task model", { model: "small" })
          await stack.emulator.waitFor(() => asked('"small"'), { what: "another choice on its way" })
          const plan = await friend.command(thread.id, "task mode", { mode: "plan" })
          await friend.autocomplete(thread.id, "task mode", { mode: "" }, "mode")
          await ask("task unshare", { member: "Friend" })
          writeFileSync(join(task, "go"), "")
          await again
          assert.match((await plan.settled()).content, /belongs to <@/)
          assert.include(await state(), { mode: "ask", model: "small" })
        },
        { ...agent("modes", "models", "waits"), emulator: { users: ["You", "Friend"] } }
      ),
    60_000
  )

  it(
    "are told in words when the agent refuses them, with or without a reason",
    () =>
      withRealStack(
        async (stack) => {
          const { ask, shows } = await started(stack)
          assert.match(
            (await ask("task mode", { mode: "plan" })).content,
            /refused the mode \*\*Plan\*\* and gave no reason\. Nothing was changed: it stays \*\*Always ask\*\*\. Choose/
          )
          assert.match(
            (await ask("task model", { model: "large" })).content,
            /refused the model \*\*Large model\*\*: This account may not use the large model\. Nothing was changed/
          )
          await shows(/done ·/)
          assert.notMatch(stack.emulator.transcript(stack.emulator.threads()[0]?.id ?? ""), /Internal error/)
        },
        agent("modes", "models", "refuses")
      ),
    60_000
  )

  it(
    "are told of and shown on the card however long their names are",
    () =>
      withRealStack(
        async (stack) => {
          const { card, shows, thread } = await started(stack)
          await stack.emulator.waitFor(() => card().includes("The agent's mode is **The ask mode"), {
            what: "the mode on the card"
          })
          await stack.you.send(thread.id, "all")
          await shows(/The agent's mode is now \*\*The auto mode[^]* more options of the agent changed/)
          await stack.emulator.waitFor(() => card().includes("In it the agent may change things"), {
            what: "the new mode on the card"
          })
        },
        agent("options", "boundless")
      ),
    60_000
  )

  it(
    "are said not to be there by an agent without any, and nothing else changes",
    () =>
      withRealStack(async (stack) => {
        const { ask, card, suggest, thread } = await started(stack)
        assert.deepStrictEqual(await suggest("task mode", { mode: "" }, "mode"), [])
        assert.match(
          (await ask("task mode", { mode: "plan" })).content,
          /no modes to choose from[^]*Nothing was changed/
        )
        assert.match((await ask("task model", { model: "x" })).content, /no models/)
        assert.match((await ask("task options", { option: "x", value: "on" })).content, /no such option/)
        assert.match((await ask("task command", { name: "review" })).content, /told of no commands/)
        assert.match((await stack.ask("task mode", { mode: "plan" })).content, /no task in this thread/)
        assert.notMatch(card() + stack.emulator.transcript(thread.id), /agent's mode/)
      }, agent()),
    60_000
  )

  it(
    "begin as the settings of the server say, before the first prompt, and what cannot be set is told once",
    () =>
      withRealStack(
        async (stack) => {
          const { emulator, you } = stack
          const set = (options: Record<string, string>) => stack.ask("settings agent", options)
          assert.match(
            (await set({})).content,
            /Choose an agent, a mode, a model, or an option with its value. Nothing/
          )
          assert.match(
            (await set({ mode: "plan", model: "large" })).content,
            /In this server, .*\*\*plan\*\*.*\*\*large\*\*/
          )
          assert.match(
            (await set({ mode: "auto", channel: emulator.channelId })).content,
            /begin in the mode \*\*auto\*\*/
          )
          const { card, shows, thread } = await started(stack)
          await shows(/By the settings of this server, the agent's model is \*\*Large model\*\*/)
          await shows(/the agent's mode is \*\*Accept edits\*\*\.[^]*\{"mode":"auto","model":"large"/)
          assert.notMatch(emulator.transcript(thread.id), /could not be set before|and it is not/)
          await emulator.waitFor(() => card().includes("**Accept edits**"), { what: "the mode on the card" })
          assert.deepInclude(await you.autocomplete(emulator.channelId, "settings agent", { mode: "pl" }, "mode"), {
            name: "Plan",
            value: "plan"
          })
          const shown = (await stack.ask("settings show")).embeds[0]?.description ?? ""
          assert.match(shown, /In this server, agents of new tasks begin in the mode \*\*plan\*\* and with the model/)

          // The owner may not answer what agents ask, and no such model is offered.
          await set({ mode: "no default", channel: emulator.channelId })
          assert.match(
            (await set({ mode: "auto", model: "huge" })).content,
            /⚠️ Not known: model \*\*huge\*\*\. .*check how it is written\. A new task that does not get it says so\./
          )
          await setRule(emulator, you, "deny", "approve")
          await stack.ask("task new", { prompt: "state" })
          const second = await emulator.waitFor((e) => e.threads()[1], { what: "another thread" })
          await emulator.waitFor((e) => /done ·/.test(e.transcript(second.id)), { what: "the end" })
          const text = emulator.transcript(second.id)
          assert.match(
            text,
            /model should be \*\*huge\*\*, and it is not\. The agent of this task, or its service, does not offer/
          )
          assert.match(text, /mode should be \*\*auto\*\*, and it is not\. With it the agent may work without asking/)
          assert.match(text, /\{"mode":"ask","model":"small"/)
        },
        agent("modes", "models", "options")
      ),
    60_000
  )
})

describe("the card of a new task", () => {
  it(
    "shows the mode that a default has set at once, and not after the spacing of edits",
    () =>
      withRealStack(
        async (stack) => {
          await stack.ask("settings agent", { mode: "auto" })
          const { card, shows } = await started(stack)
          await shows(/the agent's mode is \*\*Accept edits\*\*/)
          await stack.emulator.waitFor(() => card().includes("The agent's mode is **Accept edits**"), {
            what: "the mode of the default on the card",
            timeoutMs: 5000
          })
        },
        { ...agent("modes"), editIntervalMs: 15_000 }
      ),
    60_000
  )
})

describe("the default options of new tasks", () => {
  it(
    "are suggested, set for the server and a channel, kept over a restart, and apply before the first prompt",
    () =>
      withRealStack(
        async (stack) => {
          const { ask, emulator, you } = stack
          const channel = emulator.channelId
          const suggest = (options: Record<string, string>, focused: string) =>
            you.autocomplete(channel, "settings agent", options, focused)
          const set = async (options: Record<string, string>) => (await ask("settings agent", options)).content
          const shown = async () => (await ask("settings show")).embeds[0]?.description ?? ""
          await started(stack)
          assert.deepStrictEqual(await suggest({ option: "" }, "option"), [
            { name: "Effort", value: "effort" },
            { name: "Web search", value: "web" }
          ])
          assert.deepStrictEqual(await suggest({ option: "effort", value: "" }, "value"), [
            { name: "No default", value: "no default" },
            { name: "Low", value: "low" },
            { name: "High", value: "high" }
          ])
          assert.deepStrictEqual(await suggest({ option: "web", value: "o" }, "value"), [
            { name: "No default", value: "no default" },
            { name: "On", value: "on" },
            { name: "Off", value: "off" }
          ])
          for (const half of [{ option: "effort" }, { value: "high" }])
            assert.match(await set(half), /or an option with its value\. Nothing was changed/)
          assert.match(await set({ option: "Effort", value: "high" }), /server, .*\*\*effort\*\* set to \*\*high\*\*/)
          assert.match(await set({ option: "web", value: "on", channel }), /\*\*web\*\* set to \*\*on\*\*/)
          await stack.stopBot()
          await stack.startBot()
          const second = await begun(stack, 2)
          assert.match(second, /settings of this server, the agent's Effort is \*\*High\*\*/)
          assert.match(second, /"effort":"high","web":true/)
          assert.notMatch(second, /could not be set before|and it is not/)

          // The channel's own value wins; each default is seen, ended and logged by itself.
          await set({ option: "effort", value: "low", channel })
          assert.match(await begun(stack, 3), /"effort":"low","web":true/)
          assert.match(await set({ option: "effort", value: "no default", channel }), /begin with \*\*web\*\* set to/)
          assert.match(await shown(), /In this server, .*\*\*effort\*\*[^]*In <#\d+>, .*\*\*web\*\* set to \*\*on\*\*/)
          assert.match(await set({ option: "web", value: "no default", channel }), /begin as the agent likes/)
          assert.notMatch(await shown(), /In <#\d+>/)
          const log = (await ask("settings audit")).embeds[0]?.description ?? ""
          assert.match(log, /<@\d+> chose with what[^]* in <#\d+>: [^\n]*option \*\*web\*\* \*\*-\*\*/)
          assert.match(log, /option \*\*effort\*\* \*\*high\*\*/)
        },
        agent("modes", "models", "options")
      ),
    90_000
  )

  it(
    "are told once in the thread's language where the agent no longer offers them, and can still be ended",
    () =>
      withRealStack(async (stack) => {
        const { ask, emulator, you } = stack
        await started(stack)
        await ask("settings agent", { option: "speed", value: "fast" })
        await ask("settings agent", { option: "effort", value: "extreme" })
        await ask("settings agent", { option: "web", value: "on" })
        await setRule(emulator, you, "deny", "approve")
        await ask("settings language", { language: "zh-CN" })
        const told = await begun(stack, 2)
        assert.match(
          told,
          /根据本服务器的设置，智能体的speed应为 \*\*fast\*\*，但没有设置成功。此任务的智能体或其服务没有提供它/
        )
        assert.match(told, /智能体的effort应为 \*\*extreme\*\*，但没有设置成功/)
        assert.match(told, /智能体的web应为 \*\*on\*\*，但没有设置成功。这样智能体可能不经询问就工作/)
        assert.match(told, /"effort":"low","web":false/)
        const thread = newest(stack)
        await you.send(thread.id, "echo again")
        await emulator.waitFor((e) => /again[^]*完成/.test(e.transcript(thread.id)), { what: "another turn" })
        assert.lengthOf(emulator.transcript(thread.id).match(/但没有设置成功/g) ?? [], 3)
        assert.deepInclude(await you.autocomplete(emulator.channelId, "settings agent", { option: "sp" }, "option"), {
          name: "speed",
          value: "speed"
        })
      }, agent("options")),
    90_000
  )
})

const newest = ({ emulator }: RealStack) => {
  const [first] = emulator.threads().toSorted((one, other) => (BigInt(one.id) < BigInt(other.id) ? 1 : -1))
  assert.isDefined(first)
  return first
}

/** Starts the nth task, which asks the agent for what it has, and waits for its end. */
const begun = async (stack: RealStack, count: number) => {
  const { emulator } = stack
  await stack.ask("task new", { prompt: "state" })
  await emulator.waitFor((e) => e.threads().length === count, { what: `thread ${count}` })
  return emulator.waitFor(
    (e) => /\}[^]*(done|完成) ·/.test(e.transcript(newest(stack).id)) && e.transcript(newest(stack).id),
    {
      what: "the end"
    }
  )
}
