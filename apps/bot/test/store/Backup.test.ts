import { once } from "node:events"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as SqlClient from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as Effect from "effect/Effect"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"
import { ended } from "@heddle/test-support/Programs"
import { echo } from "../support/Agents.ts"
import { startFakeService } from "../support/FakeService.ts"
import { connecting, environment, ready, run } from "../support/Program.ts"
import { confirm, discordActions } from "../support/Stack.ts"

const timeout = { timeoutMs: 15_000 }

describe("a copy of the bot's data", { timeout: 90_000 }, () => {
  let folder: string
  let emulator: Emulator
  let service: Awaited<ReturnType<typeof startFakeService>>
  const children: Array<ReturnType<typeof run>> = []
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "heddle-bot-"))
    emulator = await startEmulator({ limits: "fast" })
    service = await startFakeService(echo)
  })
  afterEach(async () => {
    for (const child of children.splice(0))
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
    await service.close()
    await emulator.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const dataDir = () => join(folder, "data")
  const start = async (more: Record<string, string> = {}) => {
    const child = run([], { ...environment(emulator, service, dataDir()), ...more })
    children.push(child)
    child.stderr.resume()
    await ready(child)
    return child
  }
  const stop = async (child: ReturnType<typeof run>) => {
    const closed = once(child, "close")
    child.kill("SIGTERM")
    assert.deepEqual(await closed, [0, null])
  }
  const backup = (target: string, args: ReadonlyArray<string> = []) =>
    ended(run(["backup", target, "--data", dataDir(), ...args], {}))
  /** Starts a task with a connected person, and returns its thread. */
  const firstTask = async () => {
    await confirm(emulator, await connecting(emulator))
    const { shows, start } = discordActions(emulator, emulator.user())
    const thread = await start("one")
    await shows(thread, /answer to one[^]*done ·/, timeout.timeoutMs)
    return thread
  }
  /** Makes a database of a later version. */
  const writtenByLaterVersion = () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE bot_migrations (migration_id INTEGER)`
      yield* sql`INSERT INTO bot_migrations VALUES (1000)`
    }).pipe(Effect.provide(SqliteClient.layer({ filename: join(dataDir(), "bot.sqlite") })), Effect.runPromise)
  /** Starts a bot on a data folder with this database alone; the thread goes on. */
  const goesOn = async (database: string, thread: string) => {
    rmSync(dataDir(), { recursive: true })
    mkdirSync(dataDir(), { mode: 0o700 })
    copyFileSync(database, join(dataDir(), "bot.sqlite"))
    await start()
    await emulator.user().send(thread, "two")
    await discordActions(emulator, emulator.user()).shows(thread, /answer to two[^]*done ·/, timeout.timeoutMs)
    assert.deepEqual(service.prompts, ["one", "two"])
  }

  it("is made while the bot runs, belongs to its user alone, and is restored by putting it in an empty folder", async () => {
    const bot = await start()
    const thread = await firstTask()
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

    await stop(bot)
    await goesOn(file, thread)
  })

  it("is made of a stopped bot, as one JSON object", async () => {
    const bot = await start()
    const thread = await firstTask()
    await stop(bot)
    const target = join(folder, "copy")
    const { err, out, status } = await backup(target, ["--json"])
    assert.strictEqual(status, 0, err)
    assert.strictEqual(err, "")
    const file = join(target, "bot.sqlite")
    assert.deepEqual(JSON.parse(out), { backup: file, bytes: statSync(file).size })
    await goesOn(file, thread)
  })

  it("is the database file alone after a stop", async () => {
    const bot = await start()
    const thread = await firstTask()
    await stop(bot)
    const copy = join(folder, "alone.sqlite")
    copyFileSync(join(dataDir(), "bot.sqlite"), copy)
    await goesOn(copy, thread)
  })

  it("is the database file alone after a stop that a second signal forces", async () => {
    const bot = await start()
    const thread = await firstTask()
    // A stop waits a moment for the answer to a command.
    const repair = emulator.fault({ method: "POST", route: /\/callback$/, after: true, delayMs: 20_000 })
    await emulator.user().command(thread, "task status")
    const closed = once(bot, "close")
    bot.kill("SIGTERM")
    bot.kill("SIGINT")
    assert.include([130, 143], (await closed)[0])
    repair()
    const copy = join(folder, "alone.sqlite")
    copyFileSync(join(dataDir(), "bot.sqlite"), copy)
    await goesOn(copy, thread)
  })

  it("is refused in words without a whole database, without a folder, and where the folder cannot be made", async () => {
    const nothing = await backup(join(folder, "copy"))
    assert.strictEqual(nothing.status, 2)
    assert.match(nothing.err, /^heddle-bot: HEDDLE_DATA: there is no bot\.sqlite in .*\. Nothing was copied/)
    assert.isFalse(existsSync(join(folder, "copy")))
    const unnamed = await ended(run(["backup", "--data", dataDir()], {}))
    assert.match(unnamed.err, /^heddle-bot: DIR: it is not given\. /)
    mkdirSync(dataDir())
    writeFileSync(join(dataDir(), "bot.sqlite"), "no database, but a file that is long enough to be one".repeat(20))
    const damaged = await backup(join(folder, "copy"))
    assert.strictEqual(damaged.status, 2)
    assert.match(damaged.err, /^heddle-bot: HEDDLE_DATA: .*cannot be copied .*not a database.*No copy was left/)
    assert.deepEqual(readdirSync(join(folder, "copy")), [])
    rmSync(join(dataDir(), "bot.sqlite"))
    await writtenByLaterVersion()
    const later = await backup(join(folder, "later"))
    assert.strictEqual(later.status, 2)
    assert.match(later.err, /cannot be used \(another version of this program has written it\).*Start the version that/)
    assert.deepEqual(readdirSync(join(folder, "later")), [])
    const started = await ended(run([], environment(emulator, service, dataDir())))
    assert.strictEqual(later.err, started.err)
    const unwritable = await backup("/proc/nowhere/copy")
    assert.strictEqual(unwritable.status, 2)
    assert.match(unwritable.err, /^heddle-bot: DIR: \/proc\/nowhere\/copy cannot be written .*Nothing was copied/)
  })

  it("starts with no other encryption key, and says so, but with a new one before the old one", async () => {
    const bot = await start()
    const thread = await firstTask()
    await stop(bot)
    const newKey = Buffer.alloc(32, 2).toString("base64")
    const settings = environment(emulator, service, dataDir())
    const wrong = await ended(run([], { ...settings, HEDDLE_ENCRYPTION_KEY: newKey }))
    assert.strictEqual(wrong.status, 2)
    assert.match(
      wrong.err,
      /^heddle-bot: HEDDLE_ENCRYPTION_KEY: the database in .* was encrypted with another key\. Nothing was changed: give the key that this bot had before, behind the new one and a comma if there is a new one\.\n$/
    )
    const diagnosis = await ended(run(["doctor"], { ...settings, HEDDLE_ENCRYPTION_KEY: newKey }))
    assert.strictEqual(diagnosis.status, 1)
    assert.match(diagnosis.out, /✗ HEDDLE_ENCRYPTION_KEY: the database in .* was encrypted with another key/)
    await start({ HEDDLE_ENCRYPTION_KEY: `${newKey}, ${settings.HEDDLE_ENCRYPTION_KEY}` })
    await emulator.user().send(thread, "two")
    await discordActions(emulator, emulator.user()).shows(thread, /answer to two[^]*done ·/, timeout.timeoutMs)
  })
})
