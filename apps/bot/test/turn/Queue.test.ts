import { subscribe } from "node:diagnostics_channel"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import { type Stack, withStack } from "../support/Stack.ts"

/** An agent that ends a turn when the gate of its prompt is opened. */
const gated = () => {
  const gates = new Map<string, () => void>()
  const opened = new Set<string>()
  return {
    open: (text: string) => {
      opened.add(text)
      gates.get(text)?.()
    },
    script: async (turn: Parameters<Parameters<typeof withStack>[0]>[0]) => {
      turn.say(`working on ${turn.text}`)
      await Promise.race([
        turn.cancelled,
        new Promise<void>((resolve) => {
          gates.set(turn.text, resolve)
          if (opened.has(turn.text)) resolve()
        })
      ])
      return "end_turn"
    }
  }
}

const queueIn = ({ emulator }: Stack, thread: string) =>
  emulator.messages(thread).find((message) => message.content.startsWith("-# ⏳ Waiting"))?.content

/** How many messages are written at once. */
const many = Number(process.env["HEDDLE_ROUNDS"] ?? 25)

/** A thread whose agent works on "one". */
const workOnOne = async ({ shows, start }: Stack) => {
  const thread = await start("one")
  await shows(thread, /working on one/)
  return thread
}

/** Stops the bot while two messages wait behind the first one. */
const stopWithTwoWaiting = async (stack: Stack) => {
  const { shows, stopBot, you } = stack
  const thread = await workOnOne(stack)
  const two = await you.send(thread, "two")
  const three = await you.send(thread, "three")
  await shows(thread, /1\. two\s+-# 2\. three/)
  await stopBot()
  return { thread, two, three }
}

describe("messages during a turn", () => {
  it("leave no notice behind that Discord made although its creation failed", () => {
    const agent = gated()
    return withStack(agent.script, async (stack) => {
      const { botLog, emulator, shows, you } = stack
      const thread = await workOnOne(stack)
      const posts = { method: "POST", route: new RegExp(`/channels/${thread}/messages$`) }
      emulator.fault({ ...posts, after: true, dropSocket: true, times: 1 })
      const endFailures = emulator.fault({ ...posts, status: 502 })
      await you.send(thread, "two")
      await shows(thread, /1\. two/)
      // Tries that fail have another content than the message.
      await you.send(thread, "three")
      await emulator.waitFor(() => botLog.lines.filter((line) => line.includes("A post waits")).length > 2, {
        what: "failed tries"
      })
      agent.open("two")
      agent.open("three")
      agent.open("one")
      endFailures()
      await shows(thread, /working on three[^]*done ·/, 30_000)
      assert.isUndefined(queueIn(stack, thread), emulator.transcript(thread))
    })
  })

  it(
    "are answered in order in any number; a request to stop does not wait behind them",
    () => {
      const agent = gated()
      return withStack(agent.script, async (stack) => {
        const { emulator, service, shows, you } = stack
        const thread = await workOnOne(stack)
        const words = Array.from({ length: many }, (_, at) => `message ${at}`)
        for (const word of words) agent.open(word)
        const before = Date.now()
        await Promise.all(words.map((word) => you.send(thread, word)))
        await you.send(thread, "stop")
        await shows(thread, /stopped ·/, 30_000)
        const stopped = Date.now() - before
        await emulator.waitFor(() => service.prompts.length > many, {
          what: "every prompt",
          timeoutMs: 20_000 + many * 500
        })
        console.info(`${many} messages at once: stopped after ${stopped}, all after ${Date.now() - before} ms`)
        assert.deepEqual(service.prompts, ["one", ...words])
        const said = emulator.messages(thread).filter(({ content }) => content.includes("asked to stop"))
        assert.strictEqual(said.length, 1)
      })
    },
    60_000 + many * 500
  )

  it("wait in a public queue, which follows edits and deletions", () => {
    const agent = gated()
    return withStack(agent.script, async (stack) => {
      const { emulator, service, shows, you } = stack
      const thread = await workOnOne(stack)
      const two = await you.send(thread, "two")
      const three = await you.send(thread, "three")
      const four = await you.send(thread, "four")
      await shows(thread, /1\. two\s+-# 2\. three\s+-# 3\. four/)
      await you.edit(thread, four.id, "4")
      await you.delete(thread, three.id)
      await shows(thread, /1\. two\s+-# 2\. 4/)
      agent.open("one")
      await shows(thread, /working on two/)
      await shows(thread, /1\. 4/)
      await you.send(thread, "Stop")
      await shows(thread, /asked to stop\. Its answer says when it has\. One more message waits and is next/)
      await shows(thread, /working on 4/)
      await emulator.waitFor(() => queueIn(stack, thread) === undefined, { what: "an empty queue to go" })
      await you.edit(thread, four.id, "four after all")
      await shows(thread, /already has this message as it was/)
      agent.open("4")
      await emulator.waitFor((e) => e.transcript(thread).match(/(done|stopped) ·/g)?.length === 3, {
        what: "three ends"
      })
      assert.deepEqual(service.prompts, ["one", "two", "4"])
      // An answer further down shows its prompt, and pings no one.
      await you.send(thread, "five")
      agent.open("five")
      await shows(thread, /working on five/)
      const begins = (text: string) =>
        emulator.messages(thread).find(({ content }) => content.startsWith(`working on ${text}`))
      assert.deepEqual(
        ["one", "two", "4", "five"].map((text) => begins(text)?.message_reference?.message_id),
        [undefined, two.id, four.id, undefined]
      )
      assert.deepEqual(begins("two")?.mentions, [])
    })
  })

  it("wait for an open request, in the server's current language; a text command does not wait", () => {
    const ask = async (turn: Parameters<Parameters<typeof withStack>[0]>[0]) => {
      const chosen = await turn.ask({ toolCallId: "call-1", title: "Write README.md", kind: "edit" })
      return chosen === "cancelled" ? chosen : "end_turn"
    }
    return withStack(ask, async ({ emulator, service, shows, start, you }) => {
      const thread = await start("one")
      await shows(thread, /Write README\.md/)
      await you.send(thread, "two")
      await shows(thread, /waits for an answer to its question[^]*1\. two/)
      await you.command(emulator.channelId, "settings language", { language: "zh-CN" })
      const transcript = await shows(thread, /\[允许一次\] \[拒绝\][^]*正在等待有人回答这个子区里的提问[^]*1\. two/)
      assert.notMatch(transcript, /waits for an answer/)
      await shows(emulator.channelId, /发起了任务：\*\*one\*\*[^]*只有/)
      await you.send(thread, "/task stop")
      await shows(thread, /没有发给智能体[^]*<\/task stop:\d+>/)
      await you.send(thread, "停")
      await shows(thread, /-# 已停止[^]*需要许可：Write README\.md/)
      await you.send(thread, "停")
      await shows(thread, /-# 已停止[^]*-# 已停止/)
      assert.deepEqual(service.prompts, ["one", "two"])
    })
  })

  it("are read again after an absence of the bot: edits, deletions and new messages count", () => {
    const agent = gated()
    return withStack(agent.script, async (stack) => {
      const { emulator, service, shows, startBot, you } = stack
      const { thread, three, two } = await stopWithTwoWaiting(stack)
      await you.edit(thread, two.id, "second")
      await you.delete(thread, three.id)
      await you.send(thread, "four")
      await you.send(thread, "five")
      // Not to know is not to know of no change: two calls for each fail, and each is tried four times.
      for (const { id } of [two, three]) {
        emulator.fault({ method: "GET", route: new RegExp(`/messages/${id}$`), status: 503, times: 8 })
      }
      await startBot()
      for (const word of ["one", "second", "four", "five"]) agent.open(word)
      const transcript = await shows(thread, /working on five[^]*done ·/)
      await emulator.waitFor(() => queueIn(stack, thread) === undefined, { what: "an empty queue to go" })
      assert.deepEqual(service.prompts, ["one", "second", "four", "five"])
      assert.strictEqual(transcript.match(/I was away/g)?.length, 1)
      assert.match(transcript, /working on second[^]*I was away[^]*working on four/)
    })
  })

  it("show an edit even when an older REST response arrives later", () => {
    const agent = gated()
    return withStack(agent.script, async (stack) => {
      const { emulator, service, shows, startBot, you } = stack
      const { thread, three, two } = await stopWithTwoWaiting(stack)
      // Discord answers with the message as it is when it is asked, and the answer is long under way.
      const route = new RegExp(`^/channels/${thread}/messages/${two.id}$`)
      emulator.fault({ route, method: "GET", times: 1, after: true, delayMs: 1500 })
      const asked = asking(two.id)
      const askedNext = asking(three.id)
      await startBot()
      await asked
      await you.edit(thread, two.id, "second")
      await shows(thread, /1\. second/)
      await askedNext
      await you.send(thread, "four")
      await shows(thread, /1\. second\s+-# 2\. three\s+-# 3\. four/)
      agent.open("one")
      for (const word of ["second", "three", "four"]) agent.open(word)
      await shows(thread, /working on four[^]*done ·/)
      assert.deepEqual(service.prompts, ["one", "second", "three", "four"])
    })
  })

  it("keep Discord's order even when this machine's clock was set back", () => {
    const agent = gated()
    return withStack(agent.script, async (stack) => {
      const { dataDir, service, shows, startBot, stopBot, you } = stack
      const thread = await workOnOne(stack)
      await you.send(thread, "A first")
      await shows(thread, /1\. A first/)
      // As it is for all that comes after the clock is set back by an hour.
      const database = new Database(join(dataDir, "bot.sqlite"))
      database.prepare("UPDATE inbox SET received_at = received_at + 3600000").run()
      database.prepare("UPDATE turns SET started_at = started_at + 3600000").run()
      database.close()
      await you.send(thread, "B second")
      await shows(thread, /1\. A first\s+-# 2\. B second/)
      await stopBot()
      await startBot()
      agent.open("one")
      await shows(thread, /-# done\n[^]*working on A first/)
      await shows(thread, /1\. B second/)
      agent.open("A first")
      agent.open("B second")
      await shows(thread, /working on B second[^]*done ·/)
      assert.deepEqual(service.prompts, ["one", "A first", "B second"])
    })
  })
})

/** Waits until Discord has received the request for a message; the response may still be under way. */
const asking = (messageId: string) =>
  new Promise<void>((done) =>
    subscribe("discord-emulator:request", (exchange) => {
      if (JSON.stringify(exchange).includes(`/messages/${messageId}"`)) done()
    })
  )
