import { assert, describe, it } from "@effect/vitest"
import { choosing, newest, nextTask, startTask } from "../support/Choices.ts"
import { withRealStack } from "../support/RealStack.ts"
import { setRule } from "../support/Settings.ts"

describe.concurrent("the defaults of new tasks", () => {
  it(
    "begin tasks as the settings of the server say, before the first prompt, and what cannot be set is told once",
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
          const { card, shows, thread } = await startTask(stack)
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
            /⚠️ Not known: model \*\*huge\*\* \(offered: [^)]*\*\*Large model\*\*\)\. Check how it is written\. A new task that does not get it says so\./
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
        choosing("modes", "models", "options")
      ),
    60_000
  )

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
          await startTask(stack)
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
          const second = await nextTask(stack, 2)
          assert.match(second, /settings of this server, the agent's Effort is \*\*High\*\*/)
          assert.match(second, /"effort":"high","web":true/)
          assert.notMatch(second, /could not be set before|and it is not/)

          // The channel's own value wins; each default is seen, ended and logged by itself.
          await set({ option: "effort", value: "low", channel })
          assert.match(await nextTask(stack, 3), /"effort":"low","web":true/)
          assert.match(await set({ option: "effort", value: "no default", channel }), /begin with \*\*web\*\* set to/)
          assert.match(await shown(), /In this server, .*\*\*effort\*\*[^]*In <#\d+>, .*\*\*web\*\* set to \*\*on\*\*/)
          assert.match(await set({ option: "web", value: "no default", channel }), /begin as the agent likes/)
          assert.notMatch(await shown(), /In <#\d+>/)
          const log = (await ask("settings audit")).embeds[0]?.description ?? ""
          assert.match(log, /<@\d+> chose with what[^]* in <#\d+>: [^\n]*option \*\*web\*\* \*\*-\*\*/)
          assert.match(log, /option \*\*effort\*\* \*\*high\*\*/)
        },
        choosing("modes", "models", "options")
      ),
    90_000
  )

  it(
    "are told once in the thread's language where the agent no longer offers them, and can still be ended",
    () =>
      withRealStack(async (stack) => {
        const { ask, emulator, you } = stack
        await startTask(stack)
        await ask("settings agent", { option: "speed", value: "fast" })
        await ask("settings agent", { option: "effort", value: "extreme" })
        await ask("settings agent", { option: "web", value: "on" })
        await setRule(emulator, you, "deny", "approve")
        await ask("settings language", { language: "zh-CN" })
        const told = await nextTask(stack, 2)
        assert.match(
          told,
          /根据本服务器的设置，智能体的 speed 应为 \*\*fast\*\*，但没有设置成功。此任务的智能体或其服务没有提供它/
        )
        assert.match(told, /智能体的 effort 应为 \*\*extreme\*\*，但没有设置成功/)
        assert.match(told, /智能体的 web 应为 \*\*on\*\*，但没有设置成功。这样智能体可能不经询问就工作/)
        assert.match(told, /"effort":"low","web":false/)
        const thread = newest(stack)
        await you.send(thread.id, "echo again")
        await emulator.waitFor((e) => /again[^]*完成/.test(e.transcript(thread.id)), { what: "another turn" })
        assert.lengthOf(emulator.transcript(thread.id).match(/但没有设置成功/g) ?? [], 3)
        assert.deepInclude(await you.autocomplete(emulator.channelId, "settings agent", { option: "sp" }, "option"), {
          name: "speed",
          value: "speed"
        })
      }, choosing("options")),
    90_000
  )
})

describe.concurrent("the card of a new task", () => {
  it(
    "shows the mode that a default has set at once, and not after the spacing of edits",
    () =>
      withRealStack(
        async (stack) => {
          await stack.ask("settings agent", { mode: "auto" })
          const { card, shows } = await startTask(stack)
          await shows(/the agent's mode is \*\*Accept edits\*\*/)
          await stack.emulator.waitFor(() => card().includes("The agent's mode is **Accept edits**"), {
            what: "the mode of the default on the card",
            timeoutMs: 5000
          })
        },
        { ...choosing("modes"), editIntervalMs: 15_000 }
      ),
    60_000
  )
})
