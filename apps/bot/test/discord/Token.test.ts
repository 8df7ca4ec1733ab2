import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { startEmulator } from "@heddle/discord-emulator"
import { ended } from "@heddle/test-support/Programs"
import { echo } from "../support/Agents.ts"
import { startFakeService } from "../support/FakeService.ts"
import { environment, ready, run } from "../support/Program.ts"
import { startStack, withStack } from "../support/Stack.ts"

describe("a token that Discord rejects", () => {
  it("is used again after one call that was rejected", () =>
    withStack(echo, async ({ emulator, service, shows, start, you }) => {
      const thread = await start("one")
      await shows(thread, /answer to one[^]*done ·/)
      emulator.fault({ method: "POST", route: new RegExp(`/channels/${thread}/messages`), status: 401, times: 1 })
      await you.send(thread, "two")
      await shows(thread, /answer to two[^]*done ·/)
      assert.deepEqual(service.prompts, ["one", "two"])
    }))

  it("is tried again at the login after one rejection", async () => {
    const stack = await startStack(echo)
    try {
      await stack.stopBot()
      stack.emulator.fault({ route: /^\/gateway\/bot/, status: 401, times: 1 })
      await stack.startBot()
      await stack.connect()
      await stack.shows(await stack.start("one"), /answer to one[^]*done ·/)
    } finally {
      await stack.close()
    }
  })

  it("ends the program when Discord confirms it, with the words of the start", async () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-bot-"))
    const emulator = await startEmulator({ limits: "fast" })
    const service = await startFakeService(echo)
    const child = run([], environment(emulator, service, folder))
    try {
      const end = ended(child)
      await ready(child)
      emulator.fault({ status: 401 })
      await emulator.user().send(emulator.channelId, `<@${emulator.applicationId}> one`)
      const { err, status } = await end
      assert.strictEqual(status, 2)
      assert.match(err, /^heddle-bot: DISCORD_TOKEN: Discord does not know this bot token\. Copy the bot token again/m)
    } finally {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
      await service.close()
      await emulator.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }, 30_000)
})
