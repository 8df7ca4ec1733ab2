import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { startEmulator } from "@heddle/discord-emulator"
import { startFakeService } from "./support/FakeService.ts"
import { connecting, environment, mortal } from "./support/Program.ts"
import { buttonsOf, confirm } from "./support/Stack.ts"

const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 1)

describe("heddle-bot, killed right after a click", () => {
  it(
    "gives the agent one answer, independent of the moment of the kill",
    { timeout: 30_000 * (rounds + 1) },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "heddle-bot-"))
      const emulator = await startEmulator({ limits: "fast" })
      const service = await startFakeService(async (turn) => {
        const tool = { toolCallId: `t-${turn.text}`, title: "Write report.md", kind: "edit" }
        turn.update({ sessionUpdate: "tool_call", ...tool, status: "pending" })
        turn.say(`You chose ${await turn.ask(tool)}.`)
        return "end_turn"
      })
      const { kill, start } = mortal(environment(emulator, service, folder))
      const you = emulator.user()
      let clicks = 0
      try {
        await start()
        await confirm(emulator, await connecting(emulator))
        for (let round = 0; round < rounds; round++) {
          await you.command(emulator.channelId, "task new", { prompt: `round ${round}` })
          const thread = await emulator.waitFor((e) => e.threads()[round]?.id, { what: "a thread", timeoutMs: 20_000 })
          const answered = () => /Allowed: Write/.test(emulator.transcript(thread)) || undefined
          const card = () => emulator.messages(thread).find((message) => buttonsOf(message).length > 0)
          const click = async () => {
            const { components, id } = await emulator.waitFor(card, { what: "the card", timeoutMs: 20_000 })
            clicks++
            // Killed before it acknowledged, the bot has not answered the click, and Discord says so.
            return { settled: you.press(thread, id, buttonsOf({ components })[0]!.custom_id).catch(() => undefined) }
          }
          // From the click to long after the answer would have arrived.
          await emulator.waitFor(card, { what: "the card", timeoutMs: 20_000 })
          service.state.delayMs = 30 * (round % 4)
          const { settled } = await click()
          await new Promise((resolve) => setTimeout(resolve, (round * 17) % 120))
          await kill()
          await settled
          service.state.delayMs = 0
          await start()
          // A click that the bot did not receive is repeated: the card still works.
          for (let attempt = 0; attempt < 3 && answered() === undefined; attempt++) {
            await emulator.quiet(thread, 500)
            if (answered() === undefined) await (await click()).settled
          }
          const shown = (e: typeof emulator) => /done ·/.test(e.transcript(thread)) && e.transcript(thread)
          const transcript = await emulator.waitFor(shown, { what: "the end", timeoutMs: 20_000 })
          assert.strictEqual(transcript.match(/You chose allow\./g)?.length, 1)
          assert.strictEqual(transcript.match(/Write report\.md/g)?.length, 2)
          assert.strictEqual(service.answers.length, round + 1, `answers after round ${round}`)
        }
        console.info(`${rounds} kills after a click: ${service.answers.length} answers, ${clicks} clicks`)
      } finally {
        await kill()
        await service.close()
        await emulator.close()
        rmSync(folder, { recursive: true, force: true })
      }
    }
  )
})
