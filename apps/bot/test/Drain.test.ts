import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ended } from "@heddle/test-support/Programs"
import { startEmulator } from "@heddle/discord-emulator"
import { startFakeService } from "./support/FakeService.ts"
import { environment, ready, run } from "./support/Program.ts"
import { rest } from "./support/Rest.ts"
import { confirm } from "./support/Stack.ts"

/** How many threads; half of the answers end when the bot is stopped, the others go on. */
const many = Number(process.env["HEDDLE_ROUNDS"] ?? 4)

describe("SIGTERM", () => {
  it(
    "ends the bot within five seconds with status 0; unfinished answers continue after the next start",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "heddle-bot-"))
      const emulator = await startEmulator({ limits: "fast" })
      const growing = new Set<string>()
      const complete = new Set<string>()
      emulator.on((event) => {
        if (event.type !== "message_create" && event.type !== "message_update") return
        if (/\d+ \d+/.test(event.message.content)) growing.add(event.channelId)
        if (event.message.content.includes("done ·")) complete.add(event.channelId)
      })
      let over = false
      let goOn = false
      const service = await startFakeService(async (turn) => {
        const mine = () => (Number(turn.text.split(" ")[1]) % 2 === 0 ? over : goOn)
        for (let word = 0; !mine(); word++) {
          turn.say(`${word} `)
          await new Promise((resolve) => setTimeout(resolve, 250))
        }
        turn.say("the end.")
        return "end_turn"
      })
      const start = () => run([], environment(emulator, service, folder))
      const first = start()
      let second: ReturnType<typeof start> | undefined
      try {
        await ready(first)
        const you = emulator.user()
        // The bot registers its commands a moment after it is ready.
        const commands = `/applications/${emulator.applicationId}/guilds/${emulator.guildId}/commands`
        while ((await rest(emulator, "GET", commands)).length === 0) await new Promise((go) => setTimeout(go, 50))
        const asked = await you.command(emulator.channelId, "task new", { prompt: "task 0" })
        await confirm(emulator, await asked.settled())
        for (let at = 1; at < many; at++) await you.command(emulator.channelId, "task new", { prompt: `task ${at}` })
        await emulator.waitFor(() => growing.size === many, {
          what: "growing answers",
          timeoutMs: 20_000 + many * 2000
        })

        over = true
        await emulator.waitFor(() => complete.size > 0, { what: "an end", timeoutMs: 20_000 })
        const before = Date.now()
        first.kill("SIGTERM")
        const { status } = await ended(first)
        const took = Date.now() - before
        const finished = complete.size
        console.info(`${many} growing answers: ended ${took} ms after SIGTERM, ${finished} of them complete`)
        assert.strictEqual(status, 0)
        assert.isBelow(took, 5000)
        assert.isAtLeast(finished, 1)
        goOn = true

        second = start()
        await ready(second)
        await emulator.waitFor(() => complete.size === many, {
          what: "every end",
          timeoutMs: 20_000 + many * 500
        })
        for (const { id } of emulator.threads()) {
          const transcript = emulator.transcript(id)
          for (const once of [/ 1 /g, /the end\./g, /done ·/g]) assert.strictEqual(transcript.match(once)?.length, 1)
        }
        assert.strictEqual(service.prompts.length, many)
      } finally {
        for (const child of [first, second]) {
          if (child === undefined || child.exitCode !== null || child.signalCode !== null) continue
          child.kill("SIGKILL")
          await once(child, "close")
        }
        await service.close()
        await emulator.close()
        rmSync(folder, { recursive: true, force: true })
      }
    },
    60_000 + many * 3000
  )
})
