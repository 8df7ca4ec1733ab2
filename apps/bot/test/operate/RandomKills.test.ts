import { appendFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { scriptedAgent } from "@heddle/test-support/Agents"
import * as Bundle from "@heddle/test-support/Bundle"
import { freePort } from "@heddle/test-support/FreePort"
import * as Programs from "@heddle/test-support/Programs"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { PCGRandom } from "effect/Utils"
import { mortal } from "../support/kills/Mortal.ts"
import { account } from "../support/RealStack.ts"

/** How many kills: one of each program, then of a random one. HEDDLE_ROUNDS=100 by hand. */
const kills = Number(process.env["HEDDLE_ROUNDS"] ?? 3)
const seed = Number(process.env["HEDDLE_SEED"] ?? Date.now() % 1_000_000)
const threadCount = 3

const serverProgram = fileURLToPath(new URL("../../../../packages/server/bin/heddle-server.js", import.meta.url))
const botProgram = fileURLToPath(new URL("../../bin/heddle-bot.js", import.meta.url))

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

/** Repeats an act until it passes. */
const until = async <A>(what: string, act: () => Promise<A | undefined | false>, timeoutMs: number): Promise<A> => {
  const from = performance.now()
  for (let last: unknown; ; await pause(250)) {
    try {
      const found = await act()
      if (found !== undefined && found !== false) return found
    } catch (error) {
      last = error
    }
    if (performance.now() - from > timeoutMs) throw new Error(`${what}: not in time; ${String(last)}`)
  }
}

/** Starts the three programs, each on a fixed port with a folder of its own, and connects a person. */
const startAll = async (folder: string, discordProgram: string) => {
  const [discordPort, servicePort, botPort] = [await freePort(), await freePort(), await freePort()]
  const data = join(folder, "server")
  const discord = mortal<{ readonly api: string; readonly botToken: string }>(discordProgram, [], {
    HEDDLE_TEST_DISCORD: JSON.stringify({ port: discordPort, data: join(folder, "discord"), limits: "fast" })
  })
  const agent = ["--agent", `${process.execPath} ${scriptedAgent}`, "--isolation", "none"]
  const service = mortal<{ readonly url: string }>(
    serverProgram,
    ["serve", "--port", String(servicePort), "--data", data, "--rate-limits", "off", ...agent],
    {}
  )
  const { url } = await service.start()
  const administer = async (...args: ReadonlyArray<string>) => {
    const { err, out, status } = await Effect.runPromise(
      Programs.run(serverProgram, [...args, "--data", data, "--json"])
    )
    assert.strictEqual(status, 0, err)
    return JSON.parse(out) as Record<string, string>
  }
  const callback = `http://127.0.0.1:${botPort}/oauth/callback`
  const app = await administer("app", "create", "--name", "Bot", "--redirect-uri", callback)
  await administer("user", "create", "--name", account.name, "--password", Redacted.value(account.password))
  const { api, botToken } = await discord.start()
  const bot = mortal<unknown>(botProgram, [], {
    DISCORD_TOKEN: botToken,
    DISCORD_API: api,
    HEDDLE_BASE_URL: url,
    HEDDLE_CLIENT_ID: app["client_id"] ?? "",
    HEDDLE_CLIENT_SECRET: app["client_secret"] ?? "",
    HEDDLE_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
    HEDDLE_DATA: join(folder, "bot"),
    HEDDLE_PORT: String(botPort),
    HEDDLE_PUBLIC_URL: `http://127.0.0.1:${botPort}`
  })
  await bot.start()
  await until("connecting", () => discord.act("connect").then(() => true), 60_000)
  return { bot, discord, service }
}

const note = (line: string) => {
  console.info(line)
  const file = process.env["HEDDLE_LOG"]
  if (file !== undefined) appendFileSync(file, `${line}\n`)
}

describe("service, bot and emulator, killed at random with traffic", () => {
  it(`lose no message and say none twice in ${kills} kills`, { timeout: 240_000 + kills * 60_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-kills-"))
    const random = new PCGRandom(seed)
    const bundle = await Bundle.bundle(
      new URL("../support/kills/MortalDiscord.ts", import.meta.url),
      fileURLToPath(new URL("../../node_modules/.mortal-", import.meta.url)),
      { external: ["better-sqlite3", "@resvg/resvg-js", "bufferutil", "utf-8-validate", "zlib-sync", "erlpack"] }
    )
    const programs = await startAll(folder, bundle.file)
    const { discord } = programs
    try {
      for (let n = 0; n < threadCount; n++) await discord.act("start", `echo first ${n}`)
      const threads = await until(
        "threads",
        async () => {
          const found = await discord.act<ReadonlyArray<string>>("threads")
          return found.length >= threadCount && found
        },
        60_000
      )
      const sent = new Map<string, Array<number>>(threads.map((threadId) => [threadId, []]))
      let number = 0
      const over = new AbortController()
      const traffic = (async () => {
        while (!over.signal.aborted) {
          const threadId = threads[random.integer(threads.length)] ?? ""
          const current = number++
          await discord.act("send", threadId, `wait 300\necho word${current}end`).then(
            () => sent.get(threadId)?.push(current),
            // The emulator is dead; the message may be stored or not.
            () => undefined
          )
          await pause(1500)
        }
      })()
      const killed: Record<string, number> = { bot: 0, discord: 0, service: 0 }
      for (let kill = 0; kill < kills; kill++) {
        await pause(500 + random.integer(3000))
        const name = (["bot", "discord", "service"] as const)[kill < 3 ? kill : random.integer(3)] ?? "bot"
        killed[name] = (killed[name] ?? 0) + 1
        await programs[name].kill()
        await programs[name].start()
      }
      over.abort()
      await traffic
      const counts = async () => {
        const found = { messages: 0, answered: 0, lost: 0, twice: 0, text: "" }
        for (const [threadId, numbers] of sent) {
          const text = await discord.act<string>("transcript", threadId)
          for (const each of numbers) {
            const times = [...text.matchAll(new RegExp(`(: |^  )word${each}end$`, "gm"))].length
            // The end of a turn that a kill of the service interrupted names its message.
            const isTold = new RegExp(`answer to: “[^”]*word${each}end”`).test(text)
            found.messages++
            if (times > 0) found.answered++
            else if (!isTold) found.lost++
            if (times > 1) found.twice++
          }
          found.text += `${text}\n`
        }
        return found
      }
      await until("every message is answered or told of", async () => (await counts()).lost === 0, 120_000).catch(
        () => undefined
      )
      // What would be said twice may come later.
      await pause(2000)
      const { text, ...result } = await counts()
      note(`seed ${seed}: kills ${JSON.stringify(killed)}, ${JSON.stringify(result)}`)
      assert.deepEqual([result.lost, result.twice], [0, 0], `seed ${seed}\n${text}`)
      assert.isAbove(result.answered, 0)
    } finally {
      for (const program of Object.values(programs)) await program.kill()
      await bundle.remove()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
