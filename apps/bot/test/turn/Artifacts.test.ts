import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import sharp from "sharp"
import type { FakeTurn } from "../support/FakeAgent.ts"
import { buttonsOf, type Stack, withStack } from "../support/Stack.ts"

const base = "agent:///artifacts/"

/** Tells artifacts with times that go on, as a service does. */
const teller = () => {
  let clock = Date.now()
  const created = new Map<string, number>()
  return (turn: FakeTurn, name: string, artifact: Readonly<Record<string, unknown>>) => {
    const updatedAt = ++clock
    const createdAt = created.get(name) ?? updatedAt
    turn.artifact(created.has(name) ? "updated" : "created", {
      uri: `${base}${name}`,
      name,
      createdAt,
      updatedAt,
      ...artifact
    })
    created.set(name, createdAt)
  }
}

const png = (size: number) => ({ type: "media", mimeType: "image/png", contentType: "image", size })

const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)

const fetches = ({ service }: Stack, name: string) =>
  service.requests.filter((request) => request.startsWith("GET /sandboxes/") && request.endsWith(`/artifacts/${name}`))
    .length

const messagesWith = ({ emulator }: Stack, thread: string, words: RegExp) =>
  emulator.messages(thread).filter((message) => words.test(JSON.stringify([message.content, message.embeds])))

/** The private answer to a command. */
const asked = async (
  { you }: Stack,
  thread: string,
  path: string,
  options: Readonly<Record<string, string>> = {},
  who = you
) => (await who.command(thread, path, options)).settled()

describe("the artifacts of a thread", () => {
  it("have one card each, edited over turns and restarts; files with the same content are sent once", () => {
    const tell = teller()
    return withStack(
      async (turn) => {
        const first = turn.text.endsWith("draw")
        const v1 = "# The way\n\n1. look\n2. write"
        const v2 = "# The way\n\n1. look\n2. write\n3. check"
        tell(turn, "plan.md", {
          type: "plan",
          title: "The way",
          ...(first ? { text: v1, version: 1 } : { text: v2, version: 2, previousText: v1 })
        })
        tell(turn, "tasks.json", {
          type: "tasks",
          title: "Steps",
          tasks: ["completed", first ? "in_progress" : "completed", first ? "pending" : "completed", "cancelled"].map(
            (status, n) => ({ id: `${n}`, content: `step ${n}`, status, order: n })
          )
        })
        if (first) {
          tell(turn, "summary.md", { type: "overview", title: "Summary", text: "All is well." })
          tell(turn, "a.png", png(dot.length))
          tell(turn, "b.png", png(dot.length))
          tell(turn, "notes.txt", { type: "media", mimeType: "text/plain", contentType: "document", size: 5 })
        } else {
          // Written again with the same content.
          tell(turn, "notes.txt", { type: "media", mimeType: "text/plain", contentType: "document", size: 5 })
          turn.artifact("deleted", { type: "overview", uri: `${base}summary.md` })
        }
        turn.say("Here it is.")
        return "end_turn"
      },
      async (stack) => {
        const { emulator, service, shows, start, startBot, stopBot, you } = stack
        for (const name of ["a.png", "b.png"]) service.files.set(`${base}${name}`, dot)
        service.files.set(`${base}notes.txt`, Buffer.from("notes"))
        const thread = await start("draw")
        const before = await shows(thread, /done ·/, 20_000)
        assert.match(before, /■■■□□□□□□□ \*\*1 of 3 done\*\* · 1 cancelled/)
        assert.match(
          before,
          /✅ step 0 — \*done\*\n[^]*▶️ \*\*step 1\*\* — \*in progress\*\n[^]*✖️ ~~step 3~~ — \*cancelled\*/
        )
        assert.match(before, /b\.png\*\* · 70 B — the same content as a\.png/)
        const cards = emulator
          .messages(thread)
          .slice(1)
          .filter(({ content }) => !content.startsWith("Here it is."))
        assert.deepEqual(
          cards.map(({ content, embeds }) => embeds[0]?.title ?? content.split(" — ")[0]),
          ["📋 The way", "☑️ Steps", "🖼️ a.png", "🖼️ **b.png** · 70 B", "📄 notes.txt", "🏁 Summary"]
        )
        assert.deepEqual(
          ["a.png", "b.png", "notes.txt"].map((name) => fetches(stack, name)),
          [1, 0, 1]
        )
        const ids = cards.map(({ id }) => id)

        await stopBot()
        await startBot()
        await you.send(thread, "go on")
        const after = await shows(thread, /Changed above[^]*done ·/, 20_000)
        assert.match(after, /3 of 3 done/)
        assert.match(after, /🗑️ Deleted: 🏁 Summary/)
        const now = emulator.messages(thread)
        assert.deepEqual(
          now.map(({ id }) => id).filter((id) => ids.includes(id)),
          ids
        )
        const isCard = /^(📋|☑️|🖼️|📄|🗑️|🏁)/u
        assert.strictEqual(
          now.filter(({ content, embeds }) => isCard.test(embeds[0]?.title ?? content)).length,
          ids.length
        )
        const plan = now.find(({ id }) => id === ids[0])!
        assert.match(plan.embeds[0]!.footer!.text, /^version 2 · 1 line added, 0 removed$/)
        assert.deepEqual(
          plan.attachments.map(({ filename }) => filename),
          ["plan-v2.diff"]
        )
        assert.match(await (await fetch(plan.attachments[0]!.url)).text(), /^@@ [^]*\n\+3\. check$/m)
        const [shownPlan, shownTasks, shownSummary] = [ids[0], ids[1], ids.at(-1)].map(
          (id) => `https://discord.com/channels/${emulator.guildId}/${thread}/${id}`
        )
        assert.include(after, `[The way](${shownPlan}), [Steps](${shownTasks}), [Summary](${shownSummary})\n`)
        assert.deepEqual(
          ["a.png", "b.png", "notes.txt"].map((name) => fetches(stack, name)),
          [1, 0, 1]
        )
      }
    )
  }, 90_000)

  it("show a preview and a private link when a file is too large; the link gives only that file and expires", () => {
    const tell = teller()
    const csv = Buffer.from(`name,value\n${"row,1\n".repeat(2_000_000)}`)
    return withStack(
      async (turn) => {
        tell(turn, "rows.csv", { type: "media", mimeType: "text/csv", contentType: "document", size: csv.length })
        return "end_turn"
      },
      async (stack) => {
        const { bot, emulator, service, shows, start, you } = stack
        service.files.set(`${base}rows.csv`, csv)
        const thread = await start("export")
        await shows(thread, /done ·/, 30_000)
        const [card] = messagesWith(stack, thread, /rows\.csv/)
        assert.match(card!.embeds[0]!.description!, /^12 MB · text\/csv\nToo large to attach here: the limit is 10 MB/)
        const [preview] = card!.attachments
        assert.strictEqual(preview!.filename, "rows-first-lines.txt")
        assert.match(await (await fetch(preview!.url)).text(), /^name,value\n(row,1\n)+$/)

        const press = emulator.user("Sam").press(thread, card!.id, buttonsOf(card!)[0]!.custom_id)
        assert.match((await (await press).settled()).content, /^This task belongs to/)
        const answer = await (await you.press(thread, card!.id, buttonsOf(card!)[0]!.custom_id)).settled()
        assert.match(answer.content, /^Your private link to \*\*rows\.csv\*\* works until <t:\d+:t>/)
        const link = buttonsOf(answer)[0]!.url!
        assert.isTrue(link.startsWith(`${new URL(bot.callback).origin}/artifacts/`))
        assert.notInclude(JSON.stringify(emulator.messages(thread)), link)
        const file = await fetch(link)
        assert.strictEqual(file.status, 200)
        assert.isTrue(Buffer.from(await file.arrayBuffer()).equals(csv))
        const headers = ["content-type", "content-disposition", "content-length", "content-security-policy"]
        assert.deepEqual(
          headers.map((name) => file.headers.get(name)),
          [
            "text/csv",
            `attachment; filename="rows.csv"; filename*=UTF-8''rows.csv`,
            String(csv.length),
            "sandbox; default-src 'none'; frame-ancestors 'none'"
          ]
        )
        assert.strictEqual(file.headers.get("x-content-type-options"), "nosniff")
        for (const wrong of [`${link}x`, link.slice(0, -1), `${link.slice(0, link.lastIndexOf("/"))}/..%2f`]) {
          assert.strictEqual((await fetch(wrong)).status, 404)
        }
        // It ends with the access of its person; none of their links works then.
        const sam = emulator.user("Sam")
        const statusFor = async (end?: () => Promise<unknown>) => {
          const theirs = await (await sam.press(thread, card!.id, buttonsOf(card!)[0]!.custom_id)).settled()
          await end?.()
          const response = await fetch(buttonsOf(theirs)[0]!.url!)
          await response.body?.cancel()
          return response.status
        }
        await (await you.command(thread, "task share", { member: "Sam" })).settled()
        assert.strictEqual(await statusFor(), 200)
        assert.strictEqual(await statusFor(sam.leave), 404)
        await sam.join()
        const unshare = async () => (await you.command(thread, "task unshare", { member: "Sam" })).settled()
        assert.strictEqual(await statusFor(unshare), 404)
        // A file that changes on the way is not taken for the whole one.
        service.files.set(`${base}rows.csv`, Buffer.concat([csv.subarray(1), Buffer.from("!")]))
        const changed = await fetch(link)
          .then((response) => response.arrayBuffer())
          .then((body) => body.byteLength)
          .catch(() => 0)
        assert.strictEqual(changed, 0)
        service.files.delete(`${base}rows.csv`)
        const away = await fetch(link, { headers: { "accept-language": "zh-CN" } })
        assert.strictEqual(away.status, 502)
        assert.match(await away.text(), /暂时无法获取这个文件/)
      }
    )
  }, 90_000)

  it("show pictures beyond the upload limit in a smaller size", async () => {
    const side = 2000
    const noise = await sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
      .png({ compressionLevel: 0 })
      .toBuffer()
    const tell = teller()
    await withStack(
      async (turn) => {
        tell(turn, "noise.png", { ...png(noise.length), width: side, height: side })
        tell(turn, "broken.png", png(11_000_000))
        return "end_turn"
      },
      async (stack) => {
        const { emulator, service, shows, start } = stack
        service.files.set(`${base}noise.png`, noise)
        service.files.set(`${base}broken.png`, Buffer.alloc(11_000_000, 7))
        const thread = await start("draw")
        await shows(thread, /done ·/, 40_000)
        const [card] = messagesWith(stack, thread, /🖼️ noise/)
        const response = await fetch(card!.embeds[0]!.image!.url)
        const shown = await sharp(Buffer.from(await response.arrayBuffer())).metadata()
        assert.deepEqual([shown.format, shown.width, shown.height], ["webp", 1280, 1280])
        const [broken] = messagesWith(stack, thread, /🖼️ broken/)
        assert.strictEqual(broken!.attachments.length, 0)
        assert.notInclude(emulator.transcript(thread), "could not be fetched")
      }
    )
  }, 90_000)

  it("can be listed, found, downloaded and compared by commands, also after a restart", () => {
    const tell = teller()
    return withStack(
      async (turn) => {
        for (let version = 1; version <= 4; version++) {
          const lines = Array.from({ length: version }, (_, n) => `${n + 1}. step`)
          tell(turn, "plan.md", { type: "plan", title: "The way", text: lines.join("\n"), version })
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
        for (let n = 1; n <= 12; n++) {
          tell(turn, `file-${n}.txt`, { type: "media", mimeType: "text/plain", contentType: "document", size: 6 })
        }
        return "end_turn"
      },
      async (stack) => {
        const { emulator, service, shows, start, startBot, stopBot, you } = stack
        for (let n = 1; n <= 12; n++) service.files.set(`${base}file-${n}.txt`, Buffer.from(`text${n}`.padEnd(6)))
        const thread = await start("write")
        await shows(thread, /done ·/, 40_000)
        const sam = emulator.user("Sam")
        assert.match((await asked(stack, thread, "artifacts list", {}, sam)).content, /^This task belongs to <@\d+>/)

        const list = await asked(stack, thread, "artifacts list")
        assert.match(
          list.embeds[0]!.description!,
          /^1\. 📋 \*\*The way\*\* · plan · version 4 · \[card\]\(https:[^]*\n10\. 📄/
        )
        assert.strictEqual(list.embeds[0]!.footer!.text, "Page 1 of 2 · 13 in all")
        await stopBot()
        await startBot()
        await you.press(thread, list.id, buttonsOf(list)[0]!.custom_id)
        const turned = await emulator.waitFor(
          () =>
            you.ephemerals(thread).find(({ embeds, id }) => id === list.id && /Page 2/.test(JSON.stringify(embeds))),
          { what: "the second page", timeoutMs: 10_000 }
        )
        assert.match(turned.embeds[0]!.description!, /^11\. 📄 \*\*file-10\.txt\*\*/)

        const offered = await you.autocomplete(thread, "artifacts open", { name: "FILE-1" }, "name")
        assert.deepEqual(
          offered.map(({ name, value }) => [name, value]),
          ["12", "11", "10", "1"].map((n) => [`file-${n}.txt · file`, `#${Number(n) + 1}`])
        )
        assert.deepEqual(await sam.autocomplete(thread, "artifacts open", { name: "" }, "name"), [])
        const opened = await asked(stack, thread, "artifacts open", { name: "#13" })
        const [card] = messagesWith(stack, thread, /file-12\.txt/)
        assert.match(opened.content, /^\*\*file-12\.txt\*\* is further up/)
        assert.strictEqual(
          buttonsOf(opened)[0]!.url,
          `https://discord.com/channels/${emulator.guildId}/${thread}/${card!.id}`
        )
        const unknown = await asked(stack, thread, "artifacts open", { name: "no *such*" })
        assert.match(unknown.content, /nothing called \*\*no \\\*such\\\*\*\*/)

        const got = await asked(stack, thread, "artifacts download", { name: "file-3.txt" })
        assert.strictEqual(await (await fetch(got.attachments[0]!.url)).text(), "text3 ")
        const text = await asked(stack, thread, "artifacts download", { name: "the WAY" })
        assert.strictEqual(await (await fetch(text.attachments[0]!.url)).text(), "1. step\n2. step\n3. step\n4. step")

        const versions = await asked(stack, thread, "artifacts plan")
        assert.match(versions.embeds[0]!.description!, /^version 3 <t:\d+:f> → version 4[^]*\+4\. step/)
        const fromList = buttonsOf(versions)[0]!.custom_id
        await you.select(thread, versions.id, fromList, ["1"])
        const compared = await emulator.waitFor(
          () =>
            you.ephemerals(thread).find(({ embeds }) => /version 1 .*→ version 4/.test(embeds[0]?.description ?? "")),
          { what: "the other version", timeoutMs: 10_000 }
        )
        assert.match(compared.embeds[0]!.description!, /\+2\. step\n\+3\. step\n\+4\. step/)
        assert.deepEqual(
          compared.attachments.map(({ filename }) => filename),
          ["plan-1-to-4.diff"]
        )
      }
    )
  }, 90_000)
})
