import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ended } from "@heddle/test-support/Programs"
import { startEmulator } from "@heddle/discord-emulator"
import { startFakeService } from "./support/FakeService.ts"
import { environment, ready, run } from "./support/Program.ts"
import { startProxy } from "./support/Proxy.ts"
import { confirm } from "./support/Stack.ts"

describe("heddle-bot", () => {
  it("checks itself: one line per check with the fix, or one JSON object; exits with 0 or 1", async () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-bot-"))
    const emulator = await startEmulator({ limits: "fast", refusedIntents: 1 << 15 })
    const service = await startFakeService(async () => "end_turn")
    const env = {
      DISCORD_TOKEN: emulator.botToken,
      DISCORD_API: emulator.api,
      HEDDLE_BASE_URL: service.url,
      HEDDLE_CLIENT_ID: "app",
      HEDDLE_CLIENT_SECRET: "s",
      HEDDLE_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
      HEDDLE_DATA: folder
    }
    try {
      const [well, ill] = await Promise.all([
        ended(run(["doctor", "--json"], env)),
        ended(run(["doctor"], { ...env, HEDDLE_ENCRYPTION_KEY: "" }))
      ])
      assert.strictEqual(well.status, 0, well.err)
      const report = JSON.parse(well.out)
      assert.isTrue(report.ok)
      assert.include(report.invite, `client_id=${emulator.applicationId}`)
      assert.deepEqual(
        report.checks.flatMap(({ check, status }: { check: string; status: string }) =>
          status === "note" ? [check] : []
        ),
        ["Message content", "HEDDLE_PUBLIC_URL"]
      )
      assert.strictEqual(ill.status, 1, ill.err)
      assert.match(ill.out, /^✗ HEDDLE_ENCRYPTION_KEY: it is not set\. Make one: openssl rand -base64 32$/m)
    } finally {
      await service.close()
      await emulator.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("refuses what is wrong, waits for its service, survives kill -9 during an answer, and exits with 0 on SIGTERM", async () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-bot-"))
    const emulator = await startEmulator({ limits: "fast" })
    let go = () => {}
    const service = await startFakeService(async (turn) => {
      turn.say("First half,")
      await new Promise<void>((resolve) => {
        go = resolve
      })
      turn.say(" second half.")
      return "end_turn"
    })
    const proxy = await startProxy()
    proxy.state.target = service.url
    const env = environment(emulator, proxy, folder)
    const children: Array<ChildProcess> = []
    const start = (more: Record<string, string> = {}) => {
      const child = run([], { ...env, ...more })
      children.push(child)
      return child
    }
    try {
      const wrong = await ended(start({ DISCORD_TOKEN: "MTIz.YWJj.wrong" }))
      assert.strictEqual(wrong.status, 2)
      assert.match(wrong.err, /DISCORD_TOKEN: Discord does not know this bot token/)

      const nowhere = await ended(start({ HEDDLE_DATA: "/proc/nowhere/heddle" }))
      assert.strictEqual(nowhere.status, 2)
      assert.match(nowhere.err, /^heddle-bot: HEDDLE_DATA: the folder \/proc\/nowhere\/heddle cannot be written .*\n$/)
      assert.strictEqual(nowhere.out, "")

      proxy.state.fate = () => "refuse"
      const first = start()
      const logged: Array<string> = []
      first.stderr.on("data", (bytes) => logged.push(String(bytes)))
      while (!/the service at .* cannot be reached \(/.test(logged.join(""))) await once(first.stderr, "data")
      proxy.state.fate = () => "pass"
      const { callback, health } = await ready(first)
      assert.match(callback, /^http:\/\/127\.0\.0\.1:\d+\/oauth\/callback$/)
      assert.strictEqual((await fetch(health)).status, 200)
      assert.strictEqual((await fetch(health.replace("healthz", "readyz"))).status, 200)
      const second = await ended(start())
      assert.strictEqual(second.status, 2)
      assert.match(second.err, new RegExp(`in use by the bot with process id ${first.pid}`))

      const asked = await emulator.user().command(emulator.channelId, "task new", { prompt: "go" })
      await confirm(emulator, await asked.settled())
      const thread = await emulator.waitFor((e) => e.threads()[0], { what: "a thread" })
      await emulator.waitFor((e) => /First half/.test(e.transcript(thread.id)), { what: "the first half" })
      const message = emulator.messages(thread.id).find(({ content }) => content.includes("First half"))!
      first.kill("SIGKILL")
      await once(first, "close")
      go()
      const third = start()
      await ready(third)
      await emulator.waitFor((e) => /done ·/.test(e.transcript(thread.id)), { what: "the end", timeoutMs: 10_000 })
      const after = emulator.messages(thread.id).find(({ id }) => id === message.id)!
      assert.match(after.content, /^First half, second half\.\n-# done · .*$/)
      assert.strictEqual(emulator.transcript(thread.id).match(/First half/g)?.length, 1)
      assert.deepEqual(service.prompts, ["go"])

      const stopped = ended(third)
      const since = Date.now()
      third.kill("SIGTERM")
      assert.strictEqual((await stopped).status, 0)
      assert.isBelow(Date.now() - since, 5000)
    } finally {
      for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
      await proxy.close()
      await service.close()
      await emulator.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }, 60_000)
})
