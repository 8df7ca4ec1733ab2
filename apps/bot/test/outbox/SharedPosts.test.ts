import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { startDiscordProxy } from "../support/DiscordProxy.ts"
import type { Script } from "../support/FakeAgent.ts"
import { withStack } from "../support/Stack.ts"

const sentence = "This is what the rows say about the orders of the last quarter, and how it differs by region. "

const words = (number: number) => `Part ${number}. ${sentence.repeat(2)}`.slice(0, 183).trim()

/** Says 1,100 characters in six messages, three of them after a step each, within 0.3 seconds. */
const script: Script = async ({ update }) => {
  const say = (number: number) => {
    const content = { type: "text", text: words(number) }
    update({ sessionUpdate: "agent_message_chunk", messageId: `m${number}`, content })
    return setTimeout(30)
  }
  const work = async (number: number) => {
    const step = { toolCallId: `t${number}`, title: `Read file ${number}`, kind: "read" }
    update({ sessionUpdate: "tool_call", ...step, status: "in_progress" })
    await setTimeout(20)
    update({ sessionUpdate: "tool_call_update", toolCallId: step.toolCallId, status: "completed" })
  }
  await say(1)
  for (const number of [1, 2, 3]) {
    await work(number)
    await say(number + 1)
  }
  await say(5)
  await say(6)
  return "end_turn"
}

describe("an answer in several messages and steps", () => {
  it("has three posts and takes five calls at Discord", () =>
    withStack(
      script,
      async ({ emulator, shows, start, startBot, stopBot }) => {
        const calls: Array<string> = []
        const proxy = await startDiscordProxy(emulator.api, (call, act) => {
          calls.push(`${call.method} ${call.path}`)
          return act()
        })
        try {
          await stopBot()
          await startBot({ discordApi: proxy.api })
          const thread = await start("look at the orders")
          await shows(thread, /Part 6[^]*done ·/, 20_000)
          const posts = emulator.messages(thread).filter(({ author, type }) => author.bot === true && type === 0)
          assert.deepEqual(
            posts.map(({ content }) => content.replace(/ · [\d.]+ s$/, "")),
            [
              words(1),
              [1, 2, 3].map((number) => `-# ✅ Read file ${number}`).join("\n"),
              `${[2, 3, 4, 5, 6].map(words).join("\n\n")}\n-# done`
            ]
          )
          const own = calls.filter((call) => !call.startsWith("GET") && call.includes(`/channels/${thread}/messages`))
          assert.isAtMost(own.length, 5, own.join("\n"))
        } finally {
          await stopBot()
          await proxy.close()
        }
      },
      { emulator: { limits: "discord" } }
    ))
})
