import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { choosing, startTask } from "../support/Choices.ts"
import { withRealStack } from "../support/RealStack.ts"

describe.concurrent("the mode, the model and the options of an agent", () => {
  it(
    "are suggested, chosen, said once in the thread and on the card, and survive restarts",
    () =>
      withRealStack(
        async (stack) => {
          const { ask, card, shows, state, suggest, thread } = await startTask(stack)
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
        choosing("modes", "models", "options", "forgets")
      ),
    90_000
  )

  it(
    "are chosen by people who may write to the task; what lets it work unasked also needs the right to approve",
    () =>
      withRealStack(
        async (stack) => {
          const { ask, shows, state, suggest, thread } = await startTask(stack)
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
          assert.match(
            await as("task command", { name: "review", args: "src" }),
            /agent gets this as your next message/
          )
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
            /Commands of this agent[^]*\*\*\/review\*\* \\<which files\\> · Reviews the changes[^]*\*\*\/init\*\* · [^]*\*\*\$deploy\*\* · A skill\n- \*\*\/bare\*\*$/
          )
        },
        { ...choosing("modes", "models", "options", "commands"), emulator: { users: ["You", "Friend"] } }
      ),
    90_000
  )

  it(
    "are not made by a person who lost the right while the choice waited",
    () =>
      withRealStack(
        async (stack) => {
          const { ask, state, thread } = await startTask(stack)
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
        { ...choosing("modes", "models", "waits"), emulator: { users: ["You", "Friend"] } }
      ),
    60_000
  )

  it(
    "are told in words when the agent refuses them, with or without a reason",
    () =>
      withRealStack(
        async (stack) => {
          const { ask, shows } = await startTask(stack)
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
        choosing("modes", "models", "refuses")
      ),
    60_000
  )

  it(
    "are told each time that they change, also back to what they were, by a person and by the agent",
    () =>
      withRealStack(
        async (stack) => {
          const { ask, shows, thread } = await startTask(stack)
          for (const mode of ["auto", "ask", "auto", "ask"]) await ask("task mode", { mode })
          const [auto, always] = ["Accept edits", "Always ask"].map((mode) => `set the agent's mode to \\*\\*${mode}`)
          await shows(new RegExp([auto, always, auto, always].join("[^]*")))
          for (const mode of ["plan", "ask", "plan"]) await stack.you.send(thread.id, `mode ${mode}`)
          await shows(/now \*\*Plan\*\*[^]*now \*\*Always ask\*\*[^]*now \*\*Plan\*\*/)
        },
        choosing("modes", "models")
      ),
    60_000
  )

  it(
    "are told of and shown on the card however long their names are",
    () =>
      withRealStack(
        async (stack) => {
          const { card, shows, thread } = await startTask(stack)
          await stack.emulator.waitFor(() => card().includes("The agent's mode is **The ask mode"), {
            what: "the mode on the card"
          })
          await stack.you.send(thread.id, "all")
          await shows(/The agent's mode is now \*\*The auto mode[^]* more options of the agent changed/)
          await stack.emulator.waitFor(() => card().includes("In it the agent may change things"), {
            what: "the new mode on the card"
          })
        },
        choosing("options", "boundless")
      ),
    60_000
  )

  it(
    "are said not to be there by an agent without any, and nothing else changes",
    () =>
      withRealStack(async (stack) => {
        const { ask, card, suggest, thread } = await startTask(stack)
        assert.deepStrictEqual(await suggest("task mode", { mode: "" }, "mode"), [])
        assert.match(
          (await ask("task mode", { mode: "plan" })).content,
          /no modes to choose from[^]*Nothing was changed/
        )
        assert.match((await ask("task model", { model: "x" })).content, /no models/)
        assert.match((await ask("task options", { option: "x", value: "on" })).content, /no options to choose from/)
        assert.match((await ask("task command", { name: "review" })).content, /told of no commands/)
        assert.match((await stack.ask("task mode", { mode: "plan" })).content, /no task in this thread/)
        assert.notMatch(card() + stack.emulator.transcript(thread.id), /agent's mode/)
      }, choosing()),
    60_000
  )
})
