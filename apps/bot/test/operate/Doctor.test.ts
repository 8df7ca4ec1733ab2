import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodePath from "@effect/platform-node/NodePath"
import { assert, describe, it } from "@effect/vitest"
import * as Bot from "@heddle/bot/bot/Bot"
import * as BotConfig from "@heddle/bot/operate/BotConfig"
import * as Invite from "@heddle/bot/discord/Invite"
import * as Doctor from "@heddle/bot/operate/Doctor"
import * as LockFile from "@heddle/bot/store/database/LockFile"
import { type Emulator, type EmulatorOptions, startEmulator } from "@heddle/discord-emulator"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { startFakeService } from "../support/FakeService.ts"

const secrets = { token: "", clientSecret: "client-secret-1", key: Buffer.alloc(32, 7).toString("base64") }

const examine = async (
  use: {
    readonly emulator?: EmulatorOptions
    readonly world?: (emulator: Emulator) => Promise<void>
    readonly env?: (env: Record<string, string>) => Record<string, string>
    readonly service?: (service: Awaited<ReturnType<typeof startFakeService>>) => void
  } = {}
) => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-doctor-"))
  const emulator = await startEmulator({ limits: "fast", ...use.emulator })
  const service = await startFakeService(async () => "end_turn")
  use.service?.(service)
  await use.world?.(emulator)
  try {
    const env = {
      DISCORD_TOKEN: emulator.botToken,
      DISCORD_API: emulator.api,
      HEDDLE_BASE_URL: service.url,
      HEDDLE_CLIENT_ID: "app",
      HEDDLE_CLIENT_SECRET: secrets.clientSecret,
      HEDDLE_ENCRYPTION_KEY: secrets.key,
      HEDDLE_DATA: folder,
      HEDDLE_PUBLIC_URL: "https://bot.example"
    }
    const asked = await Effect.runPromise(BotConfig.read(["doctor"], use.env?.({ ...env }) ?? env))
    if (asked._tag !== "Doctor") throw new Error("it was not asked for")
    const report = await Doctor.examine(asked.settings, asked.problems).pipe(
      Effect.provide([NodeFileSystem.layer, NodeHttpClient.layerUndici, NodePath.layer]),
      Effect.runPromise
    )
    const text = Doctor.text(report)
    for (const secret of [emulator.botToken, secrets.clientSecret, secrets.key]) {
      assert.notInclude(text + JSON.stringify(report), secret)
    }
    return { ...report, text, emulator }
  } finally {
    await service.close()
    await emulator.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the bot needs, less two things; it may manage roles, which it needs for the next step only. */
const invited = 377957239808n - (1n << 15n) - (1n << 35n) + (1n << 28n)

/** The bot has the permissions of @everyone, too; here @everyone has none, so all come from roles. */
const restrict = async ({ api, botToken, guildId }: Emulator) => {
  const { status } = await fetch(`${api}/v10/guilds/${guildId}/roles/${guildId}`, {
    method: "PATCH",
    headers: { authorization: `Bot ${botToken}`, "content-type": "application/json" },
    body: JSON.stringify({ permissions: 0 })
  })
  assert.strictEqual(status, 200)
}

const lineOf = (text: string, sign: string): string => text.split("\n").find((line) => line.startsWith(sign)) ?? ""

describe("a start", () => {
  it("logs missing permissions of a server with the fix", async () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-doctor-"))
    const emulator = await startEmulator({ limits: "fast", botPermissions: invited })
    await restrict(emulator)
    const service = await startFakeService(async () => "end_turn")
    const lines: Array<string> = []
    const log = Logger.make(({ message }) => void lines.push([message].flat().map(String).join(" ")))
    try {
      await Effect.gen(function* () {
        const bot = yield* Bot.start({
          discordToken: Redacted.make(emulator.botToken),
          discordApi: emulator.api,
          baseUrl: service.url,
          application: () => Effect.succeed({ clientId: "app", clientSecret: Redacted.make("secret") }),
          encryptionKey: Redacted.make(secrets.key),
          dataDir: folder
        })
        yield* bot.commandsRegistered
      }).pipe(Effect.scoped, Effect.provide(Logger.replace(Logger.defaultLogger, log)), Effect.runPromise)
      const [told, invite] = lines.slice(lines.findIndex((line) => line.startsWith("Permissions: ")))
      assert.match(
        told ?? "",
        /^Permissions: in “Local server” the bot may not: Create Public Threads, Attach Files\. Open the invite link/
      )
      assert.strictEqual(invite, `Invite link: ${Invite.link(emulator.applicationId)}`)
    } finally {
      await service.close()
      await emulator.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe("the doctor", () => {
  it("reports a healthy bot, and names the invite link", async () => {
    const { checks, emulator, invite, ok, text } = await examine()
    assert.deepEqual(
      checks.filter(({ status }) => status !== "ok"),
      []
    )
    assert.isTrue(ok)
    assert.strictEqual(
      invite,
      `https://discord.com/oauth2/authorize?client_id=${emulator.applicationId}&scope=bot+applications.commands&permissions=377957239808`
    )
    assert.include(text, `→ Invite link: ${invite}\nThe bot can run.\n`)
  })

  it("names missing permissions, a disabled intent, and the fixes", async () => {
    const { ok, text } = await examine({
      world: restrict,
      emulator: { refusedIntents: 1 << 15, botPermissions: invited, guildName: "A\nB" }
    })
    assert.isFalse(ok)
    assert.match(
      text,
      /✗ Permissions: in “A B” the bot may not: Create Public Threads, Attach Files\. Open the invite link/
    )
    assert.match(text, /! Message content: the message content intent is off: .* mention it or reply to it\. Turn on/)
    assert.deepEqual(Invite.missing(1n << 3n), [], "an administrator may everything")
  })

  const cases: ReadonlyArray<[string, Parameters<typeof examine>[0], RegExp]> = [
    [
      "a wrong token",
      { env: (env) => ({ ...env, DISCORD_TOKEN: "MTIz.YWJj.wrong" }) },
      /^✗ DISCORD_TOKEN: Discord does not know this bot token\. Copy/
    ],
    [
      "a Discord that is away",
      { env: (env) => ({ ...env, DISCORD_API: "http://127.0.0.1:9" }) },
      /^✗ Discord: Discord could not be reached \(\w+\)\. Look at the network/
    ],
    [
      "a missing setting",
      { env: (env) => ({ ...env, HEDDLE_CLIENT_ID: "" }) },
      /^✗ HEDDLE_CLIENT_ID: it is not set\. Register/
    ],
    [
      "a wrong secret",
      { service: ({ state }) => void (state.refuseClient = true) },
      /^✗ HEDDLE_CLIENT_SECRET: the service does not accept the client id app with this secret/
    ],
    [
      "a callback that is not registered",
      { service: ({ state }) => void (state.refuseCallback = true) },
      /^✗ Callback: the service refuses to send people back to https:\/\/bot\.example\/oauth\/callback \(status 400\)\. Register exactly/
    ],
    [
      "a service that is away",
      { env: (env) => ({ ...env, HEDDLE_BASE_URL: "http://127.0.0.1:9" }) },
      /^✗ HEDDLE_BASE_URL: the service at http:\/\/127\.0\.0\.1:9 cannot be reached/
    ],
    [
      "a wrong key",
      { env: (env) => ({ ...env, HEDDLE_ENCRYPTION_KEY: "short" }) },
      /^✗ HEDDLE_ENCRYPTION_KEY: it is not a 256-bit key\. Give 32 random bytes/
    ],
    [
      "a folder that cannot be written",
      { env: (env) => ({ ...env, HEDDLE_DATA: "/proc/nowhere/heddle" }) },
      /^✗ HEDDLE_DATA: the folder \/proc\/nowhere\/heddle cannot be written/
    ]
  ]
  for (const [name, use, expected] of cases) {
    it(`names ${name} with the fix`, async () => {
      const { checks, ok, text } = await examine(use)
      assert.isFalse(ok)
      assert.match(lineOf(text, "✗"), expected)
      assert.strictEqual(checks.filter(({ status }) => status === "failed").length, 1, text)
      assert.include(text, "see the lines with ✗")
    })
  }

  it("says nothing about the keys of a database that cannot be opened or read", async () => {
    for (const make of [
      (file: string) => mkdirSync(file),
      (file: string) => writeFileSync(file, "no database, but long enough to be one".repeat(20))
    ]) {
      const env = (given: Record<string, string>) => {
        make(join(given["HEDDLE_DATA"] ?? "", "bot.sqlite"))
        return given
      }
      const { text } = await examine({ env })
      assert.include(text, "✓ HEDDLE_ENCRYPTION_KEY: it is a 256-bit key.")
    }
  })

  it("says when only browsers on this machine reach the bot, and does not disturb a running bot", async () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-doctor-"))
    try {
      const whileItRuns = Effect.gen(function* () {
        yield* LockFile.acquire(folder)
        chmodSync(folder, 0o500)
        return yield* Effect.promise(() =>
          examine({ env: (env) => ({ ...env, HEDDLE_PUBLIC_URL: "", HEDDLE_DATA: folder, HEDDLE_PORT: "9" }) })
        )
      })
      const { text } = await Effect.runPromise(Effect.scoped(whileItRuns).pipe(Effect.provide(NodeContext.layer)))
      assert.match(
        text,
        /✗ HEDDLE_PUBLIC_URL: the running bot does not answer at http:\/\/127\.0\.0\.1:9\. Give HEDDLE_PUBLIC_URL/
      )
      assert.include(text, `✓ HEDDLE_DATA: the running bot uses it (process id ${process.pid}).`)
      const alone = await examine({ env: (env) => ({ ...env, HEDDLE_PUBLIC_URL: "" }) })
      assert.isTrue(alone.ok)
      assert.match(alone.text, /! HEDDLE_PUBLIC_URL: only browsers on this machine reach http:\/\/127\.0\.0\.1:4330\./)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
