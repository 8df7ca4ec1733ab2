import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as TokenCheck from "@heddle/bot/discord/TokenCheck"
import { startEmulator } from "@heddle/discord-emulator"
import { ended } from "@heddle/test-support/Programs"
import { Client, Events, Routes } from "discord.js"
import * as Effect from "effect/Effect"
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

  it("is sent no more once Discord has confirmed it, after the gateway refused it", async () => {
    const emulator = await startEmulator({ limits: "fast" })
    const client = new Client({ intents: [], rest: { api: emulator.api } })
    const calls: Array<unknown> = []
    const note = (told: unknown) => calls.push(told)
    try {
      client.rest.setToken(emulator.botToken)
      emulator.fault({ status: 401 })
      await Effect.gen(function* () {
        const rejected = yield* TokenCheck.make(client)
        client.emit(Events.ShardDisconnect, { code: 4004, reason: "", wasClean: true }, 0)
        yield* rejected
        subscribe("discord-emulator:request", note)
        yield* Effect.flip(Effect.tryPromise(() => client.rest.get(Routes.user())))
      }).pipe(Effect.scoped, Effect.runPromise)
      assert.deepEqual(calls, [])
    } finally {
      unsubscribe("discord-emulator:request", note)
      await emulator.close()
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
