import { once } from "node:events"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodePath from "@effect/platform-node/NodePath"
import * as SqlClient from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as Backup from "@heddle/bot/operate/Backup"
import * as BotConfig from "@heddle/bot/operate/BotConfig"
import * as Doctor from "@heddle/bot/operate/Doctor"
import * as Database from "@heddle/bot/store/database/Database"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"
import { folder as temporaryFolder } from "@heddle/test-support/Folder"
import { ended } from "@heddle/test-support/Programs"
import { echo } from "../support/Agents.ts"
import { startFakeService } from "../support/FakeService.ts"
import { connecting, environment, ready, run } from "../support/Program.ts"
import { confirm, discordActions } from "../support/Stack.ts"

const platform = Layer.mergeAll(NodeFileSystem.layer, NodeHttpClient.layerUndici, NodePath.layer)

/** Each test takes over a running bot with a thread that this process of the bot began, and leaves one. */
describe("a copy of the bot's data", { timeout: 90_000 }, () => {
  let folder: string
  let emulator: Emulator
  let service: Awaited<ReturnType<typeof startFakeService>>
  let bot: ReturnType<typeof run>
  let thread: string
  const sent: Array<string> = []
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "heddle-bot-"))
    emulator = await startEmulator({ limits: "fast" })
    service = await startFakeService(echo)
    await start()
    await confirm(emulator, await connecting(emulator))
    await nextThread()
  })
  afterAll(async () => {
    bot?.kill("SIGKILL")
    await service.close()
    await emulator.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const dataDir = () => join(folder, "data")
  const settings = () => environment(emulator, service, dataDir())
  const start = async (more: Record<string, string> = {}) => {
    bot = run([], { ...settings(), ...more })
    bot.stderr.resume()
    await ready(bot)
  }
  const stop = async () => {
    const closed = once(bot, "close")
    bot.kill("SIGTERM")
    assert.deepEqual(await closed, [0, null])
  }
  const backup = (target: string, ...args: ReadonlyArray<string>) =>
    ended(run(["backup", target, "--data", dataDir(), ...args], {}))
  /** Every message so far ran once. */
  const answered = async (message: string) => {
    sent.push(message)
    const { shows } = discordActions(emulator, emulator.user())
    await shows(thread, new RegExp(`answer to ${message}[^]*done ·`), 15_000)
    assert.deepEqual(service.prompts, sent)
  }
  const nextThread = async () => {
    const message = `message ${sent.length}`
    thread = await discordActions(emulator, emulator.user()).start(message)
    await answered(message)
  }
  /** The thread of the life before goes on, and another one is begun. */
  const threadsGoOn = async () => {
    const message = `message ${sent.length}`
    await emulator.user().send(thread, message)
    await answered(message)
    await nextThread()
  }
  /** Starts a bot on a data folder with this database alone; the threads go on. */
  const goesOn = async (database: string) => {
    const copy = join(folder, "to-restore.sqlite")
    copyFileSync(database, copy)
    rmSync(dataDir(), { recursive: true })
    mkdirSync(dataDir(), { mode: 0o700 })
    copyFileSync(copy, join(dataDir(), "bot.sqlite"))
    await start()
    await threadsGoOn()
  }

  it("is made while the bot runs, belongs to its user alone, and is restored by putting it in an empty folder", async () => {
    const target = join(folder, "copy")
    const { err, out, status } = await backup(target)
    assert.strictEqual(status, 0, err)
    const file = join(target, "bot.sqlite")
    assert.include(out, file)
    assert.match(err, /To restore it, stop the bot/)
    assert.match(err, /HEDDLE_ENCRYPTION_KEY is not in the copy/)
    assert.deepEqual(readdirSync(target), ["bot.sqlite"])
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    assert.strictEqual(statSync(target).mode & 0o777, 0o700)

    // A second one overwrites nothing, and the bot goes on.
    const before = statSync(file)
    const again = await backup(target)
    assert.strictEqual(again.status, 2)
    assert.match(again.err, /^heddle-bot: DIR: .* is not empty\. Nothing was copied: name a new folder\.\n$/)
    assert.deepEqual([statSync(file).ino, statSync(file).mtimeMs], [before.ino, before.mtimeMs])
    assert.isNull(bot.exitCode)

    await stop()
    await goesOn(file)
  })

  it("is made of a stopped bot, as one JSON object", async () => {
    await stop()
    const target = join(folder, "copy of a stopped bot")
    const { err, out, status } = await backup(target, "--json")
    assert.strictEqual(status, 0, err)
    assert.strictEqual(err, "")
    const file = join(target, "bot.sqlite")
    assert.deepEqual(JSON.parse(out), { backup: file, bytes: statSync(file).size })
    await goesOn(file)
  })

  it("is the database file alone after a stop", async () => {
    await stop()
    await goesOn(join(dataDir(), "bot.sqlite"))
  })

  it("is the database file alone after a stop that a second signal forces", async () => {
    // A stop waits a moment for the answer to a command.
    const repair = emulator.fault({ method: "POST", route: /\/callback$/, after: true, delayMs: 20_000 })
    await emulator.user().command(thread, "task status")
    const closed = once(bot, "close")
    bot.kill("SIGTERM")
    bot.kill("SIGINT")
    assert.include([130, 143], (await closed)[0])
    repair()
    await goesOn(join(dataDir(), "bot.sqlite"))
  })

  // The last one: its bot has another key.
  it("starts with no other encryption key, and says so, but with a new one before the old one", async () => {
    await stop()
    const newKey = Buffer.alloc(32, 2).toString("base64")
    const withNewKey = { ...settings(), HEDDLE_ENCRYPTION_KEY: newKey }
    const wrong = await ended(run([], withNewKey))
    assert.strictEqual(wrong.status, 2)
    assert.match(
      wrong.err,
      /^heddle-bot: HEDDLE_ENCRYPTION_KEY: the database in .* was encrypted with another key\. Nothing was changed: give the key that this bot had before, behind the new one and a comma if there is a new one\.\n$/
    )
    const asked = await Effect.runPromise(BotConfig.read(["doctor"], withNewKey))
    if (asked._tag !== "Doctor") throw new Error("it was not asked for")
    const report = await Doctor.examine(asked.settings, asked.problems).pipe(
      Effect.provide(platform),
      Effect.runPromise
    )
    assert.isFalse(report.ok)
    assert.match(Doctor.text(report), /✗ HEDDLE_ENCRYPTION_KEY: the database in .* was encrypted with another key/)
    await start({ HEDDLE_ENCRYPTION_KEY: `${newKey}, ${settings().HEDDLE_ENCRYPTION_KEY}` })
    await threadsGoOn()
  })
})

describe("a copy of data", () => {
  it.scopedLive(
    "is refused in words without a whole database, without a folder, and where the folder cannot be made",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder("heddle-bot-")
        const dataDir = join(folder, "data")
        const refused = (...target: ReadonlyArray<string>) =>
          BotConfig.read(["backup", ...target, "--data", dataDir], {}).pipe(
            Effect.flatMap((command) => (command._tag === "Backup" ? Backup.run(command) : Effect.die(command))),
            Effect.flip,
            Effect.map(({ message }) => message)
          )
        assert.match(
          yield* refused(join(folder, "copy")),
          /^HEDDLE_DATA: there is no bot\.sqlite in .*\. Nothing was copied/
        )
        assert.isFalse(existsSync(join(folder, "copy")))
        assert.match(yield* refused(), /^DIR: it is not given\. /)
        mkdirSync(dataDir)
        writeFileSync(join(dataDir, "bot.sqlite"), "no database, but a file that is long enough to be one".repeat(20))
        assert.match(
          yield* refused(join(folder, "copy")),
          /^HEDDLE_DATA: .*cannot be copied .*not a database.*No copy was left/
        )
        assert.deepEqual(readdirSync(join(folder, "copy")), [])
        rmSync(join(dataDir, "bot.sqlite"))
        yield* writtenByLaterVersion(dataDir)
        const later = yield* refused(join(folder, "later"))
        assert.match(later, /cannot be used \(another version of this program has written it\).*Start the version that/)
        assert.deepEqual(readdirSync(join(folder, "later")), [])
        const started = yield* Effect.flip(Layer.build(Database.layer(dataDir)))
        assert.strictEqual(later, started.message)
        assert.match(
          yield* refused("/proc/nowhere/copy"),
          /^DIR: \/proc\/nowhere\/copy cannot be written .*Nothing was copied/
        )
      }).pipe(Effect.provide(platform))
  )
})

/** Makes a database of a later version. */
const writtenByLaterVersion = (dataDir: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE bot_migrations (migration_id INTEGER)`
    yield* sql`INSERT INTO bot_migrations VALUES (1000)`
  }).pipe(Effect.provide(SqliteClient.layer({ filename: join(dataDir, "bot.sqlite") })))
