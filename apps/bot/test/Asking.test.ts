import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { controls } from "./support/Controls.ts"
import { withRealStack } from "./support/RealStack.ts"

const agent = fileURLToPath(new URL("./support/asking-agent.mjs", import.meta.url))

describe("the bot with the real service and an external agent", () => {
  it(
    "shows every kind of question, keeps drafts over a restart, and delivers each answer",
    () =>
      withRealStack(
        async ({ emulator, firstThread, link, startBot, stopBot, you }) => {
          const asked = await you.command(emulator.channelId, "task new", {
            prompt: "Ask me"
          })
          await link(await asked.settled())
          const { shows, thread } = await firstThread(30_000)
          const { choose, press, waitForPrivateText, write } = controls({ emulator, you }, thread.id)
          const restart = async () => {
            await stopBot()
            await startBot()
          }

          assert.match(await shows(/Permission needed: Write notes\.txt/), /-old[^]*\+new[^]*\[Allow once\] \[Reject\]/)
          await press(/^p1:\w+:0/)

          await choose(/:s:0:0/, "1")
          await choose(/:s:1:0/, "0", "2")
          await shows(/> api, bot/)
          await restart()
          assert.match(await shows(/Question 2 of 2/), /> api, bot/)
          await press(/:f$/)

          await shows(/Question 1 of 6: The release[^]*Name/)
          await write(/:w:0/, "Heddle")
          await write(/:w:1/, "2")
          await waitForPrivateText(/The maximum is 1/)
          await write(/:w:1/, "0.5")
          await write(/:w:2/, "7")
          await choose(/:s:3:0/, "1")
          await choose(/:s:4:0/, "1")
          await choose(/:s:5:0/, "0")
          await press(/:f$/)
          await waitForPrivateText(/The minimum is 2/)
          await choose(/:s:5:0/, "0", "1")
          await shows(/> a, b/)
          await press(/:f$/)

          await shows(/Another release/)
          await press(/:n$/)
          const transcript = await shows(/done ·/)
          const said = (name: string): unknown => {
            const line = transcript.split("\n").find((each) =>
              each
                .trim()
                .replace(/^Bot \[bot\][^:]*: /, "")
                .startsWith(`${name} `)
            )
            return JSON.parse(line?.slice(line.indexOf(`${name} `) + name.length + 1) ?? "null")
          }
          assert.deepEqual(said("able"), { form: {} })
          assert.deepEqual(said("permission"), { outcome: { outcome: "selected", optionId: "yes" } })
          const answers = { q_0: "PostgreSQL", q_1: ["api", "bot"] }
          assert.deepInclude(said("user"), { _meta: { answers } })
          const content = { name: "Heddle", ratio: 0.5, count: 7, sure: false, size: "l", tags: ["a", "b"] }
          assert.deepEqual(said("form"), { action: "accept", content })
          assert.deepEqual(said("again"), { action: "decline" })
        },
        { server: { agents: [{ command: [process.execPath, agent] }] } }
      ),
    120_000
  )
})
