import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isStoreFailure } from "@heddle/bot/store/database/RetryPolicy"
import { SqlError } from "@effect/sql/SqlError"
import * as Cause from "effect/Cause"
import Database from "better-sqlite3"
import { type Stack, patience, withStack } from "../support/Stack.ts"
import { echo } from "../support/Agents.ts"

/** Lets every write to a table fail until it is called off. */
const refusing = async ({ dataDir }: Stack, table: string) => {
  const exec = async (statement: (event: string) => string) => {
    const db = new Database(join(dataDir, "bot.sqlite"))
    for (const event of ["INSERT", "UPDATE"]) {
      // The bot, in the same process, may be in the middle of a transaction.
      for (let done = false; !done;) {
        try {
          db.exec(statement(event))
          done = true
        } catch (error) {
          if (!/locked/.test(String(error))) throw error
          await new Promise((go) => setTimeout(go, 5))
        }
      }
    }
    db.close()
  }
  await exec(
    (on) => `CREATE TRIGGER no_${on} BEFORE ${on} ON ${table} BEGIN SELECT RAISE(ABORT, 'the store is full'); END`
  )
  return () => exec((on) => `DROP TRIGGER no_${on}`)
}

const count = (text: string, what: RegExp) => text.match(what)?.length ?? 0

describe.concurrent("a store that fails for a while", { timeout: 60_000 }, () => {
  it(
    "delays writes and keeps their order",
    () =>
      withStack(
        echo,
        async (stack) => {
          const { bot, service, shows, start, you } = stack
          const thread = await start("go")
          await shows(thread, /done ·/, patience)
          const back = await refusing(stack, "inbox")
          for (const word of ["one", "two"]) await you.send(thread, word)
          const ready = () => fetch(bot.health.replace("healthz", "readyz")).then((response) => response.text())
          while (!(await ready()).includes(`What happens in channel ${thread}`))
            await new Promise((go) => setTimeout(go, 50))
          // Longer than what fails for another reason is tried again.
          await new Promise((go) => setTimeout(go, 8_500))
          await back()
          await you.send(thread, "three")
          await shows(thread, /answer to three[^]*done ·/, 20_000)
          assert.deepStrictEqual(service.prompts, ["go", "one", "two", "three"])
          while (!(await ready()).includes('"backlog":true')) await new Promise((go) => setTimeout(go, 50))
        },
        { stuckAfterMs: 1000 }
      ),
    60_000
  )

  for (const table of ["turns", "inbox", "posts"]) {
    it(`delays the end of a turn while ${table} is not writable, and leaves no partial write`, () => {
      let release = () => {}
      return withStack(
        async (turn) => {
          turn.say(`answer to ${turn.text}`)
          if (turn.text === "go") await new Promise<void>((resolve) => (release = resolve))
          return "end_turn"
        },
        async (stack) => {
          const { emulator, service, shows, start, startBot, stopBot, you } = stack
          const thread = await start("go")
          await shows(thread, /answer to go/, patience)
          const back = await refusing(stack, table)
          release()
          await you.send(thread, "next")
          await new Promise((go) => setTimeout(go, 1000))
          assert.deepStrictEqual(service.prompts, ["go"])
          await back()
          await shows(thread, /answer to go[^]*done ·[^]*answer to next[^]*done ·/, 20_000)
          await stopBot()
          await startBot()
          await you.send(thread, "last")
          await shows(thread, /answer to last[^]*done ·/, 20_000)
          const transcript = emulator.transcript(thread)
          for (const word of ["go", "next", "last"]) {
            assert.strictEqual(count(transcript, new RegExp(`answer to ${word}`, "g")), 1, transcript)
          }
          assert.strictEqual(count(transcript, /done ·/g), 3, transcript)
          assert.notMatch(transcript, /went wrong/)
        }
      )
    }, 60_000)
  }

  it("is distinguished from an invalid statement", () => {
    const failed = (code: string) =>
      Cause.die(new SqlError({ message: "x", cause: Object.assign(new Error("x"), { code }) }))
    for (const code of ["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_BUSY", "SQLITE_READONLY"]) {
      assert.isTrue(isStoreFailure(failed(code)), code)
    }
    assert.isFalse(isStoreFailure(failed("SQLITE_CONSTRAINT_NOTNULL")))
    assert.isFalse(isStoreFailure(Cause.die(new Error("x"))))
  })
})
