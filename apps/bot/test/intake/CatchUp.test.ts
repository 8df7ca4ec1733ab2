import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { join } from "node:path"
import Database from "better-sqlite3"
import { assert, describe, it } from "@effect/vitest"
import { among } from "../support/People.ts"
import { rest } from "../support/Rest.ts"
import { setRule } from "../support/Settings.ts"
import { withStack } from "../support/Stack.ts"
import { echo } from "../support/Agents.ts"

/** How many threads; each gets three messages while the bot is away. */
const threadCount = Number(process.env["HEDDLE_ROUNDS"] ?? 2)
const patience = { timeoutMs: 10_000 + threadCount * 3000 }

/** What was taken, as another program sees it. */
interface Rows {
  readonly inbox: () => number
  readonly lastSeen: (threadId: string) => string
}

const withRows = async <A>(dataDir: string, use: (rows: Rows) => Promise<A>): Promise<A> => {
  const database = new Database(join(dataDir, "bot.sqlite"), { readonly: true })
  const inbox = database.prepare("SELECT count(*) AS n FROM inbox")
  const seen = database.prepare("SELECT last_seen_id AS id FROM threads WHERE thread_id = ?")
  try {
    return await use({
      inbox: () => (inbox.get() as { n: number }).n,
      lastSeen: (threadId) => (seen.get(threadId) as { id: string }).id
    })
  } finally {
    database.close()
  }
}

describe("messages during an absence of the bot", () => {
  it(
    "are read once and in order, also after a stop during the backfill",
    () =>
      withStack(echo, async ({ dataDir, emulator, service, startBot, stopBot, you }) => {
        const ends = new Set<string>()
        let read = 0
        let allRead = 0
        emulator.on((event) => {
          if (event.type === "message_create" && event.message.content.includes("I was away")) {
            if (++read === threadCount) allRead = Date.now()
          }
          const isPost = event.type === "message_create" || event.type === "message_update"
          if (isPost && /done ·/.test(event.message.content)) ends.add(event.message.id)
        })
        const ended = (count: number) =>
          emulator.waitFor(() => ends.size >= count, { ...patience, what: `${count} answers` })
        for (let at = 0; at < threadCount; at++) {
          await you.command(emulator.channelId, "task new", { prompt: `task ${at}` })
          await ended(at - 3)
        }
        await ended(threadCount)
        const threads = emulator.threads().map(({ id }) => id)
        await stopBot()
        for (const word of ["a", "b", "c"]) {
          for (const [at, id] of threads.entries()) await you.send(id, `${at} ${word}`)
        }
        const before = Date.now()
        // As many calls as at Discord, so that what is measured is what people see.
        await startBot({ requestsPerSecond: 45 })
        const asked = service.prompts.length
        const live = Date.now()
        await you.command(emulator.channelId, "task new", { prompt: "live" })
        const answered = emulator.waitFor(
          (e) => e.threads().some(({ id }) => e.transcript(id).includes("answer to live")) && Date.now() - live,
          { ...patience, what: "an answer to what was asked while it reads" }
        )
        const taken = withRows(dataDir, ({ inbox }) =>
          emulator.waitFor(() => inbox() === threadCount * 4 + 1 && Date.now() - before, {
            ...patience,
            what: "every message"
          })
        )
        console.info(
          `${threadCount * 3} messages were taken after ${await taken} ms; what was asked meanwhile was answered after ${await answered} ms`
        )
        await emulator.waitFor(() => service.prompts.length > asked + threadCount, {
          ...patience,
          what: "some prompts"
        })
        await stopBot()
        await startBot()
        await ended(threadCount * 4 + 1)
        const took = Date.now() - before
        console.info(
          `${threadCount} threads, ${threadCount * 3} messages: every thread read after ${allRead - before} ms, all answered after ${took} ms`
        )
        assert.strictEqual(service.prompts.length, threadCount * 4 + 1)
        for (const [at, id] of threads.entries()) {
          const own = service.prompts.filter((prompt) => prompt.startsWith(`${at} `))
          assert.deepEqual(own, [`${at} a`, `${at} b`, `${at} c`])
          const transcript = emulator.transcript(id)
          assert.match(transcript, new RegExp(`I was away[^]*to ${at} a[^]*to ${at} b[^]*to ${at} c`))
          for (const once of [/I was away/g, /answer to \d+ a/g, /answer to \d+ b/g, /answer to \d+ c/g]) {
            assert.strictEqual(transcript.match(once)?.length, 1, String(once))
          }
          assert.strictEqual(transcript.match(/done ·/g)?.length, 4, transcript)
          assert.notInclude(transcript, "Waiting for the current answer")
        }

        // Where nothing was written, nothing is read.
        await withRows(dataDir, ({ lastSeen }) =>
          emulator.waitFor((e) => threads.every((id) => lastSeen(id) === e.messages(id).at(-1)?.id), {
            ...patience,
            what: "the bot to have seen its own last words"
          })
        )
        await stopBot()
        const reads: Array<string> = []
        const route = /^\/channels\/\d+\/messages$/
        route.test = (path) => {
          reads.push(path)
          return false
        }
        emulator.fault({ method: "GET", route, delayMs: 0 })
        await you.send(threads[0]!, "d")
        await startBot()
        await ended(threadCount * 4 + 2)
        assert.deepEqual(
          reads.filter((path) => path.endsWith("/messages")),
          [`/channels/${threads[0]}/messages`]
        )
      }),
    60_000 + threadCount * 6000
  )

  it(
    "cost one call per thread with new messages, before other calls",
    () =>
      among(async (stack, { Admin: admin, Owner: owner }) => {
        const { emulator, service, shows, startBot, stopBot } = stack
        const guild = `/guilds/${emulator.guildId}`
        const { id: role } = await rest(emulator, "POST", `${guild}/roles`, { name: "Staff" })
        await setRule(emulator, admin, "allow", "reply", { role })
        for (let at = 0; at < 20; at++) await owner.command(emulator.channelId, "task new", { prompt: `task ${at}` })
        const threads = await emulator.waitFor(
          (e) => {
            const ids = e.threads().map(({ id }) => id)
            return ids.length === 20 && ids.every((id) => /done ·/.test(e.transcript(id))) && ids
          },
          { what: "20 answers", timeoutMs: 60_000 }
        )
        const withNews = threads.slice(0, 15)
        const people = withNews.map((_, at) => emulator.addUser(`Person ${at}`))
        for (const { id } of people) await rest(emulator, "PUT", `${guild}/members/${id}/roles/${role}`)
        await stopBot()
        for (const word of ["a", "b"])
          for (const [at, id] of withNews.entries()) await people[at]!.send(id, `${at} ${word}`)
        await people[0]!.leave()

        const calls: Array<{ readonly method: string; readonly path: string; readonly at: number }> = []
        const note = (told: unknown) =>
          calls.push({ ...(told as { method: string; path: string }), at: performance.now() })
        const delayMs = 1500
        emulator.fault({ method: "GET", route: /^\/channels\/\d+\/messages$/, delayMs })
        subscribe("discord-emulator:request", note)
        try {
          await startBot({ requestsPerSecond: 45 })
          const words = () => service.prompts.slice(20).map((prompt) => prompt.split("\n").at(-1)!)
          await emulator.waitFor(() => words().length === 28, { what: "28 prompts", timeoutMs: 60_000 })
          for (const at of people.keys()) {
            const own = words().filter((each) => each.startsWith(`${at} `))
            assert.deepEqual(own, at === 0 ? [] : [`${at} a`, `${at} b`])
          }
          await shows(threads[0]!, new RegExp(`→ Person 0: This task belongs to <@${owner.id}>`))

          const reads = calls.filter(({ method }) => method === "GET")
          assert.deepEqual(
            reads.map(({ path }) => path).toSorted(),
            ["/gateway/bot", ...withNews.map((id) => `/channels/${id}/messages`)].toSorted()
          )
          assert.strictEqual(
            calls.findIndex(({ method }) => method !== "GET"),
            reads.length
          )
          // No read waits for the response of another.
          assert.isBelow(reads.at(-1)!.at - reads[1]!.at, delayMs)
        } finally {
          unsubscribe("discord-emulator:request", note)
        }
      }),
    150_000
  )
})
