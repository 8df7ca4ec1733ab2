import { fileURLToPath } from "node:url"
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
import { controls } from "./support/Controls.ts"
import { confirm } from "./support/Stack.ts"

const account = { name: "demo", password: Redacted.make("a long enough password") }

const runIn = <A, E>(scope: Scope.Scope, effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.runPromise(Effect.provideService(effect, Scope.Scope, scope).pipe(Logger.withMinimumLogLevel(LogLevel.Error)))

const agent = fileURLToPath(new URL("./support/asking-agent.mjs", import.meta.url))

describe("the bot with the real service and an agent of others", () => {
  it("puts every kind of question before the person, keeps drafts over a restart, and hands each answer back", async () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-bot-"))
    const services = Effect.runSync(Scope.make())
    const emulator = await startEmulator({ limits: "fast" })
    let bots = Effect.runSync(Scope.make())
    try {
      const server = await runIn(
        services,
        Server.start({ port: 0, dataDir: join(folder, "server"), agentCommand: [process.execPath, agent] })
      )
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
        prompt: "Ask me"
      })
      await confirm(emulator, await asked.settled(), (link) => Effect.runPromise(signIn(link, account)))
      const thread = await emulator.waitFor((e) => e.threads()[0], { what: "a thread" })
      const shows = (text: RegExp) =>
        emulator.waitFor((e) => text.test(e.transcript(thread.id)) && e.transcript(thread.id), {
          what: String(text),
          timeoutMs: 30_000
        })
      const { choose, press, told, write } = controls({ emulator, you }, thread.id)
      const restart = async () => {
        await Effect.runPromise(Scope.close(bots, Exit.void))
        bots = Effect.runSync(Scope.make())
        await startBot()
      }

      assert.match(await shows(/Permission needed: Write notes\.txt/), /-old[^]*\+new[^]*\[Allow\] \[Reject\]/)
      await press(/^p1:\w+:0/)

      await choose(/:s:0:0/, "1")
      await choose(/:s:1:0/, "0", "2")
      await shows(/> api, bot/)
      await restart()
      assert.match(await shows(/Question 2 of 2/), /> api, bot/)
      await press(/:f$/)

      await shows(/Question 1 of 6: The release[^]*Name/)
      await write(/:w:0/, "Heddle")
      await write(/:w:1/, "2")
      await told(/At most 1 is taken/)
      await write(/:w:1/, "0.5")
      await write(/:w:2/, "7")
      await choose(/:s:3:0/, "1")
      await choose(/:s:4:0/, "1")
      await choose(/:s:5:0/, "0")
      await press(/:f$/)
      await told(/At least 2 is asked for/)
      await choose(/:s:5:0/, "0", "1")
      await shows(/> a, b/)
      await press(/:f$/)

      await shows(/Another release/)
      await press(/:n$/)
      const transcript = await shows(/done ·/)
      const said = (name: string): unknown => {
        const line = transcript.split("\n").find((each) =>
          each
            .trim()
            .replace(/^Bot \[bot\][^:]*: /, "")
            .startsWith(`${name} `)
        )
        return JSON.parse(line?.slice(line.indexOf(`${name} `) + name.length + 1) ?? "null")
      }
      assert.deepEqual(said("able"), { form: {} })
      assert.deepEqual(said("permission"), { outcome: { outcome: "selected", optionId: "yes" } })
      const answers = { q_0: "PostgreSQL", q_1: ["api", "bot"] }
      assert.deepInclude(said("user"), { _meta: { answers } })
      const content = { name: "Heddle", ratio: 0.5, count: 7, sure: false, size: "l", tags: ["a", "b"] }
      assert.deepEqual(said("form"), { action: "accept", content })
      assert.deepEqual(said("again"), { action: "decline" })
    } finally {
      await Effect.runPromise(Scope.close(bots, Exit.void))
      await Effect.runPromise(Scope.close(services, Exit.void))
      await emulator.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }, 120_000)
})
