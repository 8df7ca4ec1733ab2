import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as GroupCommit from "@heddle/bot/store/database/GroupCommit"
import { type Horizon, prune } from "@heddle/bot/store/database/Pruning"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { withStack } from "../support/Stack.ts"

const messages = Number(process.env["HEDDLE_ROUNDS"] ?? 6)
const tables = ["cluster_messages", "cluster_replies", "inbox", "turns", "posts", "requests", "threads"] as const

describe("finished rows", () => {
  it(
    "are deleted, open rows stay, and no work is repeated",
    () =>
      withStack(
        async (turn) => {
          if (turn.text === "wait") await turn.cancelled
          turn.say(`answer to ${turn.text}`)
          return "end_turn"
        },
        async ({ dataDir, emulator, service, shows, start, startBot, stopBot, you }) => {
          const ends = new Set<string>()
          emulator.on((event) => {
            const isPost = event.type === "message_create" || event.type === "message_update"
            if (isPost && /done ·/.test(event.message.content)) ends.add(event.message.id)
          })
          const file = join(dataDir, "bot.sqlite")
          const rows = () => {
            const database = new Database(file, { readonly: true })
            const count = (table: string) =>
              (database.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { readonly n: number }).n
            const counted = Object.fromEntries(tables.map((table) => [table, count(table)]))
            database.close()
            return counted as Record<(typeof tables)[number], number>
          }
          const forget = (until: Horizon) =>
            prune(until).pipe(Effect.provide(GroupCommit.layer(file)), Effect.runPromise)

          const threads: Array<string> = []
          for (let at = 0; at < Math.min(20, messages / 3); at++) threads.push(await start(`task ${at}`))
          for (let at = 0; at < messages; at++) await you.send(threads[at % threads.length]!, `message ${at}`)
          const all = messages + threads.length
          await emulator.waitFor(() => ends.size === all, { what: "every answer", timeoutMs: 20_000 + messages * 500 })
          await you.send(threads[0]!, "wait")
          await you.send(threads[0]!, "and this")
          await emulator.waitFor(() => service.prompts.includes("wait"), { what: "a prompt" })
          await shows(threads[0]!, /1\. and this/)

          const before = rows()
          assert.isAtLeast(before.cluster_messages, all)
          await forget({ deliveries: Date.now() + 1000, answers: 0, history: 0 })
          const after = rows()
          console.info(`${messages} messages: ${JSON.stringify(before)}, then ${JSON.stringify(after)}`)
          assert.deepEqual([after.cluster_messages, after.cluster_replies], [2, 0])
          assert.strictEqual(after.inbox, all + 2)

          // The messages are known from their own rows: nothing is said twice.
          await stopBot()
          await startBot()
          await you.send(threads[0]!, "stop")
          await shows(threads[0]!, /answer to and this/, 30_000)
          await emulator.waitFor(() => ends.size >= all + 1, { what: "an end" })
          assert.strictEqual(service.prompts.length, all + 2)

          for (let tries = 0; tries < 100 && rows().inbox > 0; tries++) {
            await new Promise((resolve) => setTimeout(resolve, 50))
            await forget({ deliveries: Date.now() + 1000, answers: 0, history: Date.now() + 1000 })
          }
          assert.deepEqual(rows(), { ...after, cluster_messages: 0, inbox: 0, turns: 0, posts: 0, requests: 0 })
        }
      ),
    60_000 + messages * 600
  )
})
