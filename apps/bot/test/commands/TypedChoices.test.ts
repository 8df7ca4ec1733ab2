import { choosingAgent, scriptedAgent } from "@heddle/test-support/Agents"
import { assert, describe, it, vi } from "@effect/vitest"
import { choosing, nextTask, startTask } from "../support/Choices.ts"
import { type RealStack, withRealStack } from "../support/RealStack.ts"

const settings = ({ ask }: RealStack) => ({
  set: async (options: Record<string, string>) => (await ask("settings agent", options)).content,
  shown: async () => (await ask("settings show")).embeds[0]?.description ?? ""
})

describe.concurrent("defaults as people type them", () => {
  it(
    "apply by the name of an option that no task had shown yet, and end by its name or its id",
    () =>
      withRealStack(async (stack) => {
        const { set, shown } = settings(stack)
        assert.match(await set({ option: "WEB Search", value: "YES" }), /\*\*WEB Search\*\* set to \*\*YES\*\*/)
        const { shows } = await startTask(stack)
        await shows(/settings of this server, the agent's Web search is \*\*On\*\*[^]*"web":true/)
        const options = await stack.you.autocomplete(
          stack.emulator.channelId,
          "settings agent",
          { option: "" },
          "option"
        )
        assert.deepStrictEqual(
          options.map(({ name }) => name),
          ["Effort", "Web search"]
        )
        // A channel's default of the same option holds, although the server's was typed before its id was known.
        await set({ option: "web", value: "off", channel: stack.emulator.channelId })
        assert.match(await nextTask(stack, 2), /"web":false/)
        const inChannel = { option: "web search", value: "no default", channel: stack.emulator.channelId }
        assert.match(await set(inChannel), /begin as the agent likes/)
        assert.match(await set({ option: "web", value: "No default" }), /begin as the agent likes/)
        assert.notMatch(await shown(), /set to/)
        assert.match(
          await set({ option: "web", value: "no default" }),
          /In this server, there is no such default .*Nothing was changed/
        )
      }, choosing("options")),
    60_000
  )

  it(
    "end by the words of every language, and take the words of switches in both",
    () =>
      withRealStack(
        async (stack) => {
          const { set, shown } = settings(stack)
          const { emulator, you } = stack
          await startTask(stack)
          for (const ended of ["No default", "NO DEFAULT", "无默认", "无默认值", " no  default "]) {
            await set({ mode: "auto", option: "EFFORT", value: "High" })
            assert.match(await shown(), /mode \*\*auto\*\* and with \*\*effort\*\* set to \*\*high\*\*/)
            assert.match(await set({ mode: ended, option: "Effort", value: ended }), /begin as the agent likes/)
            assert.notMatch(await shown(), /\*\*Agents of new tasks\*\*/, ended)
          }
          for (const [typed, value] of [
            ["开", "on"],
            ["否", "off"],
            ["Yes", "on"],
            ["０", "off"],
            ["TRUE", "on"]
          ] as const)
            assert.match(
              await set({ option: "Web Search", value: typed }),
              new RegExp(`web\\*\\* set to \\*\\*${value}\\*\\*`)
            )
          assert.match(
            await set({ mode: "fast", option: "web", value: "maybe" }),
            /Not known: mode \*\*fast\*\* \(offered: \*\*Always ask\*\*, \*\*Plan\*\*, \*\*Accept edits\*\*\), web \*\*maybe\*\* \(offered: \*\*On\*\*, \*\*Off\*\*\)\./
          )
          you.speak("zh-CN")
          const [none] = await you.autocomplete(emulator.channelId, "settings agent", { mode: "" }, "mode")
          assert.match(
            await set({ mode: none?.name ?? "", option: "web", value: none?.name ?? "" }),
            /以自己的默认值开始/
          )
          assert.match(
            await set({ option: "effort", value: "最高" }),
            /effort \*\*最高\*\*（可选：\*\*Low\*\*、\*\*High\*\*）/
          )
        },
        choosing("modes", "options")
      ),
    60_000
  )

  it("are those of whichever agent of the server has such an option, and name agents in any case", () => {
    const command = [process.execPath, choosingAgent]
    const isolation = "none" as const
    const server = {
      agents: [
        { name: "chooser", command: [...command, "modes"], isolation },
        { name: "other", command: [...command, "options"], isolation },
        { name: "third", command: [process.execPath, scriptedAgent], isolation }
      ]
    }
    return withRealStack(
      async (stack) => {
        const { set, shown } = settings(stack)
        await stack.link(await stack.ask("task new", { prompt: "state", agent: "OTHER" }))
        const { shows } = await stack.firstThread(20_000)
        await shows(/"effort":"low"[^]*done ·/)
        await nextTask(stack, 2)
        await stack.ask("task new", { prompt: "echo third", agent: "third" })
        await stack.emulator.waitFor((e) => e.threads().some(({ id }) => /third[^]*done ·/.test(e.transcript(id))), {
          what: "the third task",
          timeoutMs: 20_000
        })
        // A default without an agent is for all of them, whichever began the newest task.
        const modes = await stack.you.autocomplete(stack.emulator.channelId, "settings agent", { mode: "" }, "mode")
        assert.deepStrictEqual(
          modes.map(({ value }) => value),
          ["no default", "code", "ask", "plan", "auto"]
        )
        const unknown =
          "⚠️ Not known: mode **swift** (offered: **Code**, **Always ask**, **Plan**, **Accept edits**). Check"
        assert.include(await set({ mode: "swift" }), unknown)
        assert.include(await set({ mode: "plan", for: "third" }), "Not known: mode **plan** (offered: **Code**). Check")
        for (const place of [{}, { for: "third" }]) await set({ ...place, mode: "no default" })
        assert.match(await set({ option: "Web search", value: "on" }), /\*\*web\*\* set to \*\*on\*\*\. It/)
        assert.match(await set({ agent: "CHOOSER" }), /get the agent \*\*chooser\*\*/)
        assert.match(
          await set({ for: "CHOOSER", mode: "PLAN" }),
          /agent \*\*chooser\*\* begin in the mode \*\*plan\*\*/
        )
        await set({ for: "chooser", mode: "无默认" })
        assert.notMatch(await shown(), /mode/)
      },
      { server }
    )
  }, 60_000)
})

describe.concurrent("an agent's commands as people type them", () => {
  it(
    "are suggested and sent in the agent's own spelling, with the slash of a Chinese keyboard or without one",
    () =>
      withRealStack(async (stack) => {
        const { ask, shows, suggest } = await startTask(stack)
        const review = { name: "/review <which files> · Reviews the changes", value: "/review" }
        // The bot stores what the agent offers after it has shown the end of the answer.
        await vi.waitFor(
          async () => assert.deepStrictEqual(await suggest("task command", { name: "／REV" }, "name"), [review]),
          { timeout: 20_000 }
        )
        for (const [count, name] of ["／Review", "REVIEW", "/review"].entries()) {
          await ask("task command", { name, args: `file${count}` })
          await shows(new RegExp(`to the agent: \\*\\*/review file${count}\\*\\*[^]*command /review file${count}`))
        }
        assert.match((await ask("task command", { name: "／nothing" })).content, /no command `\/nothing`/)
      }, choosing("commands")),
    60_000
  )
})

describe.concurrent("choices in a thread as people type them", () => {
  it(
    "take ids and names in any case, and the words of switches in both languages",
    () =>
      withRealStack(
        async (stack) => {
          const { ask, state } = await startTask(stack)
          const { you } = stack
          assert.match((await ask("task mode", { mode: "PLAN" })).content, /mode is now \*\*Plan\*\*/)
          assert.match((await ask("task options", { option: "Web Search", value: "Yes" })).content, /is now \*\*On\*\*/)
          assert.match((await ask("task options", { option: "WEB", value: "关" })).content, /is now \*\*Off\*\*/)
          assert.match((await ask("task options", { option: "EFFORT", value: "HIGH" })).content, /is now \*\*High\*\*/)
          assert.include(await state(), { mode: "plan", effort: "high", web: false })
          const unknown = (await ask("task options", { option: "web", value: "maybe" })).content
          assert.match(unknown, /It offers \*\*On\*\*, \*\*Off\*\*\./)
          you.speak("zh-CN")
          assert.match(
            (await ask("task options", { option: "web", value: "也许" })).content,
            /可选：\*\*开\*\*、\*\*关\*\*。/
          )
          assert.match(
            (await ask("task options", { option: "effort", value: "1" })).content,
            /可选：\*\*Low\*\*、\*\*High\*\*。/
          )
          await ask("task options", { option: "web", value: "是" })
          assert.include(await state(), { web: true })
        },
        choosing("modes", "options")
      ),
    60_000
  )
})
