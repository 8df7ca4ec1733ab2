import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Bot from "@heddle/bot/Bot"
import { signIn } from "@heddle/bot/local/SignIn"
import { startEmulator } from "@heddle/discord-emulator"
import * as Server from "@heddle/server/Server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { buttonsOf, confirm } from "./support/Stack.ts"

const account = { name: "demo", password: Redacted.make("a long enough password") }

const csv = new TextEncoder().encode(
  [
    "date,region,price",
    ...Array.from(
      { length: 500 },
      (_, n) => `2025-01-${String((n % 28) + 1).padStart(2, "0")},${n % 2 === 0 ? "EU" : "US"},${n}.50`
    )
  ].join("\n")
)

const runIn = <A, E>(scope: Scope.Scope, effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.runPromise(Effect.provideService(effect, Scope.Scope, scope).pipe(Logger.withMinimumLogLevel(LogLevel.Error)))

describe("the bot with the real service and its built-in agent", () => {
  it("connects by the real pages, works on a file, survives a restart while it asks, and goes on with the same data", async () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-bot-"))
    const services = Effect.runSync(Scope.make())
    const emulator = await startEmulator({ limits: "fast" })
    let bots = Effect.runSync(Scope.make())
    try {
      const server = await runIn(services, Server.start({ port: 0, dataDir: join(folder, "server") }))
      await runIn(services, Effect.orDie(server.accounts.ensure({ ...account, credits: 100 })))
      const startBot = async () => {
        const bot = await runIn(
          bots,
          Bot.start({
            discordToken: Redacted.make(emulator.botToken),
            discordApi: emulator.api,
            baseUrl: server.url,
            application: (callback) =>
              Effect.orDie(
                server.applications.ensure({
                  name: "Bot",
                  redirectUris: [callback],
                  scopes: ["user.profile.readable", "user.credit.readable", "user.task.readable", "user.task.invokable"]
                })
              ),
            encryptionKey: Redacted.make(Buffer.alloc(32, 7).toString("base64")),
            dataDir: join(folder, "bot"),
            editIntervalMs: 50
          })
        )
        await Effect.runPromise(bot.commandsRegistered)
      }
      await startBot()

      const you = emulator.user()
      const asked = await you.command(emulator.channelId, "task new", {
        prompt: "What is in this file?",
        file: { name: "orders.csv", data: csv, contentType: "text/csv" }
      })
      await confirm(emulator, await asked.settled(), (link) => Effect.runPromise(signIn(link, account)))
      const thread = await emulator.waitFor((e) => e.threads()[0], { what: "a thread" })
      const shows = (text: RegExp) =>
        emulator.waitFor((e) => text.test(e.transcript(thread.id)) && e.transcript(thread.id), {
          what: String(text),
          timeoutMs: 20_000
        })
      await shows(/Permission needed/)

      await Effect.runPromise(Scope.close(bots, Exit.void))
      bots = Effect.runSync(Scope.make())
      await startBot()
      const card = emulator.messages(thread.id).find((message) => buttonsOf(message).length > 0)!
      await you.press(thread.id, card.id, buttonsOf(card)[0]!.custom_id)
      const first = await shows(/done ·/)
      assert.match(first, /500 rows/)
      assert.match(first, /Allowed:/)
      assert.match(first, /report\.md/)
      assert.isTrue(emulator.messages(thread.id).some(({ embeds }) => embeds.some(({ image }) => image !== undefined)))
      assert.strictEqual(first.match(/Permission needed/g), null)

      await you.send(thread.id, "only rows where region is EU")
      const second = await shows(/done ·[^]*done ·/)
      assert.match(second.slice(first.length - 200), /250/)
      assert.strictEqual(emulator.threads().length, 1)
    } finally {
      await Effect.runPromise(Scope.close(bots, Exit.void))
      await Effect.runPromise(Scope.close(services, Exit.void))
      await emulator.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }, 60_000)
})
