import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { HealthReport } from "@heddle/bot/operate/Health"
import Database from "better-sqlite3"
import { rest } from "../support/Rest.ts"
import { type Stack, withStack } from "../support/Stack.ts"
import { echo } from "../support/Agents.ts"

/** Discord fails to tell what was written in some channels, until that is repaired; `tried` counts how often. */
const unreadable = (emulator: Stack["emulator"], channels: ReadonlyArray<string>) => {
  const state = { tried: 0 }
  const route = /^\/channels\/\d+\/messages$/
  route.test = (path) => {
    const [, id] = /^\/channels\/(\d+)\/messages$/.exec(path) ?? []
    const fits = id !== undefined && channels.includes(id)
    if (fits) state.tried++
    return fits
  }
  return { state, repair: emulator.fault({ method: "GET", route, status: 503 }) }
}

/** So often discord.js tries one call. */
const perCall = 4

const health = async ({ health }: Stack["bot"]) =>
  (await (await fetch(health.replace("healthz", "readyz"))).json()) as HealthReport

const becomes = async (bot: Stack["bot"], ready: boolean, why: RegExp) => {
  const end = Date.now() + 15_000
  for (;;) {
    const report = await health(bot)
    if (report.ready === ready && why.test(report.why.join(" "))) return report
    if (Date.now() > end) assert.fail(`${why} is not ${JSON.stringify(report)}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

const once = (transcript: string, ...words: ReadonlyArray<string>) => {
  for (const word of words) assert.strictEqual(transcript.split(word).length - 1, 1, `${word} in\n${transcript}`)
}

describe.concurrent("missed messages that cannot be read at first", () => {
  it(
    "are read as soon as possible, before newer ones, also after another stop",
    () =>
      withStack(
        echo,
        async ({ emulator, service, shows, start, startBot, stopBot, you }) => {
          const thread = await start("one")
          const archived = await start("two")
          await shows(thread, /done ·/)
          await shows(archived, /done ·/)
          await stopBot()
          await you.send(thread, "a")
          await you.send(archived, "c")
          await rest(emulator, "PATCH", `/channels/${archived}`, { archived: true })
          await you.send(emulator.channelId, `<@${emulator.applicationId}> three`)
          const { repair, state } = unreadable(emulator, [thread, archived, emulator.channelId])
          const first = await startBot()
          await emulator.waitFor(() => state.tried > 3 * perCall, { what: "tries" })
          // Told by the gateway, and no newer than what cannot be read.
          await you.send(thread, "b")
          await you.send(archived, "d")
          await you.send(emulator.channelId, `<@${emulator.applicationId}> four`)
          const { backlog, gateway } = await becomes(first, false, /Reading what was written in channel \d+ does not/)
          assert.deepEqual([gateway, backlog], [true, false])
          assert.deepEqual(service.prompts, ["one", "two"])
          await stopBot()
          const before = state.tried
          const bot = await startBot()
          await emulator.waitFor(() => state.tried > before + 3 * perCall, { what: "tries after another start" })
          assert.deepEqual(service.prompts, ["one", "two"])
          repair()
          once(await shows(thread, /answer to b[^]*done ·/, 15_000), "I was away", "answer to a\n", "answer to b\n")
          once(await shows(archived, /answer to d[^]*done ·/, 15_000), "I was away", "answer to c\n", "answer to d\n")
          await emulator.waitFor(
            (e) =>
              ["three", "four"].every((word) => e.threads().some(({ id }) => e.transcript(id).includes(`to ${word}`))),
            { what: "the tasks that were asked for", timeoutMs: 15_000 }
          )
          await becomes(bot, true, /^$/)
          await you.send(thread, "live")
          await shows(thread, /answer to live[^]*done ·/)
          assert.deepEqual([...service.prompts].sort(), ["a", "b", "c", "d", "four", "live", "one", "three", "two"])
          const inOrder = (...words: ReadonlyArray<string>) =>
            assert.deepEqual(
              service.prompts.filter((prompt) => words.includes(prompt)),
              words
            )
          inOrder("one", "a", "b", "live")
          inOrder("two", "c", "d")
        },
        { stuckAfterMs: 1000 }
      ),
    60_000
  )

  it("are read in the same way after a lost gateway session; a request to stop counts once", () => {
    let ended = () => {}
    return withStack(
      async (turn) => {
        turn.say(`answer to ${turn.text}`)
        if (turn.text !== "c") return "end_turn"
        await Promise.race([turn.cancelled, new Promise<void>((resolve) => (ended = resolve))])
        return "end_turn"
      },
      async ({ emulator, service, shows, start, you }) => {
        const thread = await start("one")
        await shows(thread, /done ·/)
        const { repair, state } = unreadable(emulator, [thread])
        emulator.dropGateway({ resume: false })
        await you.send(thread, "a")
        await emulator.waitFor(() => state.tried > perCall, { what: "tries" })
        await you.send(thread, "b")
        // Nothing ran when it was written, so it means the first message that waits; a second report means no other.
        await you.send(thread, "stop")
        await you.send(thread, "c")
        repair()
        await shows(thread, /answer to c/, 15_000)
        await emulator.quiet(thread, 500)
        ended()
        const transcript = await shows(thread, /answer to c[^]*done ·/)
        assert.deepEqual(service.prompts, ["one", "b", "c"])
        once(transcript, "I was away", "→ You: Nothing was running, so the message that was next", "stopped ·")
      }
    )
  }, 60_000)

  it("do not delay a request to stop; a late one stops no newer turn", () => {
    const ends = new Map<string, () => void>()
    return withStack(
      async (turn) => {
        turn.say(`answer to ${turn.text}`)
        if (turn.text === "later") return "end_turn"
        await Promise.race([turn.cancelled, new Promise<void>((resolve) => ends.set(turn.text, resolve))])
        return "end_turn"
      },
      async ({ dataDir, emulator, service, shows, start, startBot, stopBot, you }) => {
        const [told, read, over] = [await start("told"), await start("read"), await start("over")] as const
        for (const thread of [told, read, over]) await shows(thread, /answer to/)
        await you.send(over, "next")
        await shows(over, /1\. next/)
        await stopBot()
        await you.send(told, "later")
        await you.send(read, "stop")
        await you.send(over, "stop")
        // As it is when the clock of this machine was ahead: readers saw the answer all the same.
        const database = new Database(join(dataDir, "bot.sqlite"))
        database.prepare("UPDATE turns SET started_at = started_at + 3600000 WHERE thread_id = ?").run(read)
        database.close()
        ends.get("over")?.()
        const { repair, state } = unreadable(emulator, [told, over])
        await startBot()
        await shows(read, /-# stopped$/m, 15_000)
        await emulator.waitFor(() => state.tried > 2 * perCall, { what: "tries" })
        await you.send(told, "stop")
        await shows(told, /stopped ·/)
        await shows(over, /answer to next/, 15_000)
        assert.notInclude(service.prompts, "later")
        repair()
        once(await shows(told, /answer to later[^]*done ·/, 15_000), "asked to stop")
        await shows(over, /Everything that ran when you wrote this has ended/, 15_000)
        ends.get("next")?.()
        assert.notMatch(await shows(over, /answer to next[^]*done ·/), /stopped ·|asked to stop/)
        once(await shows(read, /asked to stop/), "asked to stop")
      }
    )
  }, 60_000)
})
