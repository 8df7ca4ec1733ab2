import { closeSync, openSync, renameSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import type { SqlError } from "@effect/sql/SqlError"
import { assert, describe, it } from "@effect/vitest"
import type { HealthReport } from "@heddle/bot/operate/Health"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { startStack, type Stack, withStack } from "../support/Stack.ts"

const read = async ({ bot }: Pick<Stack, "bot">) => {
  const response = await fetch(bot.health.replace("healthz", "readyz"))
  return { status: response.status, report: (await response.json()) as HealthReport }
}

/** Waits until the bot reports the expected health, and returns the report. */
const becomes = async (stack: Pick<Stack, "bot">, ready: boolean, why = /^$/, patienceMs = 10_000) => {
  const before = Date.now()
  for (;;) {
    const { report, status } = await read(stack)
    assert.strictEqual(status, report.ready ? 200 : 503)
    if (report.ready === ready && why.test(report.why.join(" "))) {
      assert.strictEqual((await fetch(stack.bot.health)).status, 200)
      return report
    }
    if (Date.now() - before > patienceMs) assert.fail(`${why} is not ${JSON.stringify(report)}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

const answer = async (turn: { readonly say: (text: string) => void }) => {
  turn.say("hello")
  return "end_turn"
}

/** The database as another program opens it. */
const withDatabase = (dataDir: string, use: (sql: SqliteClient.SqliteClient) => Effect.Effect<unknown, SqlError>) =>
  SqliteClient.make({ filename: join(dataDir, "bot.sqlite") }).pipe(
    // The bot is in this process: a statement that waited for its lock would keep the bot from ending its transaction.
    Effect.tap((sql) => sql`PRAGMA busy_timeout=0`),
    Effect.flatMap((sql) => use(sql).pipe(Effect.retry({ while: isBusy, schedule: Schedule.spaced("5 millis") }))),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.runPromise
  )

const isBusy = ({ cause }: SqlError) =>
  cause instanceof Error && "code" in cause && String(cause.code).startsWith("SQLITE_BUSY")

describe("GET /readyz", () => {
  it("reports a silent, closed or unavailable gateway until it recovers", async () => {
    const stack = await startStack(answer, { emulator: { heartbeatMs: 1000 }, silentAfterMs: 1400 })
    try {
      await becomes(stack, true)
      stack.emulator.silenceGateway()
      const silent = await becomes(stack, false, /has shown no life for \d+ s|is lost; it is being made again/)
      assert.deepEqual([silent.gateway, silent.store, silent.backlog], [false, true, true])
      await becomes(stack, true)
      stack.emulator.dropGateway({ resume: false })
      await becomes(stack, false, /^The connection to Discord's gateway is lost; it is being made again\.$/)
      await becomes(stack, true)
      stack.emulator.dropGateway({ code: 4004 })
      await becomes(stack, false, /ended the login with code 4004 \(the bot token is not good any more\)/)
    } finally {
      await stack.close()
    }
  })

  it("reports a locked, missing, replaced or damaged store until it recovers", () =>
    withStack(
      answer,
      async (stack) => {
        await becomes(stack, true)
        const file = join(stack.dataDir, "bot.sqlite")
        await withDatabase(stack.dataDir, (sql) =>
          Effect.gen(function* () {
            yield* sql`BEGIN IMMEDIATE`
            const { gateway, store } = yield* Effect.promise(() => becomes(stack, false, /it is locked/))
            assert.deepEqual([gateway, store], [true, false])
            yield* sql`ROLLBACK`
          })
        )
        await becomes(stack, true)
        renameSync(stack.dataDir, `${stack.dataDir}-away`)
        await becomes(stack, false, /bot\.sqlite is gone or cannot be read/)
        renameSync(`${stack.dataDir}-away`, stack.dataDir)
        await becomes(stack, true)
        renameSync(file, `${file}-away`)
        writeFileSync(file, "")
        await becomes(stack, false, /was replaced while the bot runs; start the bot again/)
        renameSync(`${file}-away`, file)
        await becomes(stack, true)
        const opened = openSync(file, "r+")
        writeSync(opened, "no longer SQLite")
        closeSync(opened)
        await becomes(stack, false, /is damaged: it is no database any more/)
      },
      { stuckAfterMs: 1000 }
    ))

  it("reports a post or a message without progress until it recovers", () =>
    withStack(
      answer,
      async (stack) => {
        const thread = await stack.start("one")
        await stack.shows(thread, /done ·/)
        const refuse = stack.emulator.fault({
          method: "POST",
          route: new RegExp(`/channels/${thread}/messages`),
          status: 500
        })
        await stack.you.send(thread, "two")
        const { backlog } = await becomes(
          stack,
          false,
          new RegExp(`A post in thread ${thread} does not get on for \\d+ s`)
        )
        assert.isFalse(backlog)
        refuse()
        await becomes(stack, true)
        await stack.shows(thread, /done ·[^]*done ·/)

        // A service that is away is not the bot's failure, but nothing gets on.
        stack.service.state.down = true
        await stack.you.send(thread, "three")
        const waits = new RegExp(`The answer in thread ${thread}, which waits for the service, does not get on`)
        // The calls of a channel that is still open are tried again for about eight seconds first.
        assert.isFalse((await becomes(stack, false, waits, 25_000)).backlog)
        stack.service.state.down = false
        await becomes(stack, true)
        await stack.shows(thread, /(done ·[^]*){3}/)

        await withDatabase(
          stack.dataDir,
          (sql) =>
            sql`INSERT INTO inbox ${sql.insert({ event_id: "1", thread_id: thread, kind: "message", author_id: "2", author_name: "", content: "lost", attachments: "[]", first: 0, late: 0, state: "queued", received_at: 0 })}`
        )
        await becomes(stack, false, new RegExp(`A message waits in thread ${thread} and no turn takes it`))
        await withDatabase(stack.dataDir, (sql) => sql`UPDATE inbox SET state = 'done' WHERE event_id = '1'`)
        await becomes(stack, true)
      },
      { stuckAfterMs: 1000 }
    ))
})
