import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { startEmulator } from "@heddle/discord-emulator"
import { startFakeService } from "../support/FakeService.ts"
import { connecting, environment, mortal } from "../support/Program.ts"
import { confirm } from "../support/Stack.ts"

const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 1)

const base = "agent:///artifacts/"

/** What a reader finds of each card. */
const cards = [/^📋 Plan$/, /^☑️ Tasks$/, /^🖼️ a\.png$/, /^🖼️ \*\*b\.png\*\*/, /^🏁 Summary$/]

describe("heddle-bot, killed while artifacts arrive", () => {
  it("has one card per artifact in its last state", { timeout: 40_000 * (rounds + 1) }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-bot-"))
    const emulator = await startEmulator({ limits: "fast" })
    let goOn = () => {}
    const service = await startFakeService(async (turn) => {
      let updatedAt = Date.now()
      const tell = (name: string, artifact: object, event: "created" | "updated" = "created") =>
        turn.artifact(event, { uri: `${base}${name}`, name, createdAt: 1, updatedAt: ++updatedAt, ...artifact })
      const plan = (text: string, version: number, previousText?: string) =>
        tell(
          "plan.md",
          { type: "plan", title: "Plan", text, version, previousText },
          version > 1 ? "updated" : "created"
        )
      plan("look", 1)
      tell("tasks.json", { type: "tasks", title: "Tasks", tasks: [{ content: "look", status: "in_progress" }] })
      for (const name of ["a.png", "b.png"]) {
        service.files.set(`${base}${name}`, Buffer.from("one picture"))
        tell(name, { type: "media", mimeType: "image/png", size: 11 })
      }
      turn.say("I looked.")
      await new Promise<void>((resolve) => (goOn = resolve))
      plan("look and see", 2, "look")
      tell(
        "tasks.json",
        { type: "tasks", title: "Tasks", tasks: [{ content: "look", status: "completed" }] },
        "updated"
      )
      tell("summary.md", { type: "overview", title: "Summary", text: "All is well." })
      return "end_turn"
    })
    const { kill, start } = mortal(environment(emulator, service, folder))
    const you = emulator.user()
    try {
      await start()
      await confirm(emulator, await connecting(emulator))
      for (let round = 0; round < rounds; round++) {
        const threads = emulator.threads().length
        await you.command(emulator.channelId, "task new", { prompt: `round ${round}` })
        const thread = await emulator.waitFor((e) => e.threads()[threads]?.id, {
          what: "a thread",
          timeoutMs: 20_000
        })
        const shows = (words: RegExp) =>
          emulator.waitFor((e) => words.test(e.transcript(thread)) || undefined, {
            what: String(words),
            timeoutMs: 30_000
          })
        // At once when Discord has one call more than before, so that nothing of it is known to the bot.
        const point = 1 + ((round * 5 + 5) % 12)
        let calls = 0
        let stop = () => {}
        const counted = new Promise<void>((resolve) => {
          stop = emulator.on(() => {
            if (++calls === point) resolve()
          })
        })
        if (point > 4) await shows(/I looked/).then(() => goOn())
        await Promise.race([counted, shows(/done ·/)])
        stop()
        await kill()
        await start()
        await Promise.race([shows(/I looked/), shows(/done ·/)])
        goOn()
        await shows(/done ·/)
        const titles = emulator.messages(thread).map(({ content, embeds }) => embeds[0]?.title ?? content)
        for (const card of cards) {
          assert.strictEqual(
            titles.filter((title) => card.test(title)).length,
            1,
            `${card} in round ${round}: ${titles}`
          )
        }
        const transcript = emulator.transcript(thread)
        assert.match(transcript, /look and see[^]*version 2/)
        assert.match(transcript, /1 of 1 done/)
      }
      console.info(`${rounds} kills while artifacts came: one card each`)
    } finally {
      await kill()
      await service.close()
      await emulator.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
