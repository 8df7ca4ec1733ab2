import assert from "node:assert/strict"
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Events } from "discord.js"
import { afterEach, beforeEach, describe, it } from "vitest"
import { type Emulator, SettingsError, startEmulator } from "@heddle/discord-emulator"
import { login } from "../support/Bot.ts"
import { spawnEmulator } from "../support/Cli.ts"

describe("a data folder", () => {
  let data: string
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), "discord-emulator-"))
  })
  afterEach(() => rm(data, { recursive: true, force: true }))

  const start = (): Promise<Emulator> => startEmulator({ data, limits: "fast" })
  const log = (): string => join(data, "events.jsonl")

  it("restores ids, token, commands, threads, messages and files", async () => {
    const first = await start()
    const client = await login(first)
    await client.application.commands.set([{ name: "task", description: "Tasks" }], first.guildId)
    const asked = await first.user("Sam").send(first.channelId, "look", [{ name: "a.csv", data: Buffer.from("a,b\n") }])
    const message = await (
      await client.channels.fetch(first.channelId).then((one) => (one?.isSendable() ? one : undefined))
    )?.send("ok")
    const thread = await message?.startThread({ name: "Work" })
    await thread?.send("done")
    await first.user().react(first.channelId, asked.id, "👍")
    await client.destroy()
    await first.close()

    const second = await start()
    const again = await login(second)
    assert.deepEqual(
      [second.botToken, second.guildId, second.channelId, second.applicationId],
      [first.botToken, first.guildId, first.channelId, first.applicationId]
    )
    assert.deepEqual(
      second.threads().map(({ name }) => name),
      ["Work"]
    )
    assert.equal(second.transcript(second.channelId), first.transcript(first.channelId))
    assert.match(second.transcript(thread?.id ?? ""), /Bot \[bot]: done$/)
    const file = second.messages(second.channelId)[0]?.attachments[0]
    assert.equal(await (await fetch(file?.url ?? "")).text(), "a,b\n")
    const commands = await again.application.commands.fetch({ guildId: second.guildId })
    assert.deepEqual(
      commands.map(({ name }) => name),
      ["task"]
    )
    const next = await second.user().send(second.channelId, "next")
    assert.ok(BigInt(next.id) > BigInt(thread?.lastMessageId ?? 0))
    await again.destroy()
    await second.close()
  })

  it("restores roles, members, overwrites, webhooks and pins", async () => {
    const first = await start()
    const { channelId, guildId } = first
    const you = first.user("You")
    const sam = first.user("Sam").id
    const role = (await you.request("POST", `/guilds/${guildId}/roles`, { name: "Crew" })) as { readonly id: string }
    await you.request("PATCH", `/guilds/${guildId}/members/${sam}`, { nick: "Zed", roles: [role.id] })
    await you.request("PUT", `/channels/${channelId}/permissions/${role.id}`, { type: 0, deny: "64" })
    await you.request("POST", `/channels/${channelId}/webhooks`, { name: "News" })
    const guest = first.addUser("Guest")
    const said = await guest.send(channelId, "bye")
    await you.request("PUT", `/channels/${channelId}/messages/pins/${said.id}`)
    await guest.leave()
    const paths = [
      `/guilds/${guildId}/roles`,
      `/guilds/${guildId}/members?limit=10`,
      `/channels/${channelId}`,
      `/channels/${channelId}/webhooks`,
      `/channels/${channelId}/messages/pins`
    ]
    const read = (emulator: Emulator) =>
      Promise.all(paths.map((path) => emulator.user("You").request("GET", path))).then((all) =>
        JSON.stringify(all).replaceAll(/127\.0\.0\.1:\d+/g, "here")
      )
    const before = await read(first)
    assert.match(before, /Crew.*Zed/)
    assert.doesNotMatch(before, /"username":"Guest".*"joined_at"/)
    await first.close()

    const second = await start()
    assert.equal(await read(second), before)
    await assert.rejects(second.user("Guest").send(channelId, "again"), /Unknown Channel/)
    await second.close()
  })

  it("lets a client resume its session after a restart", async () => {
    const first = await start()
    const client = await login(first)
    const back = new Promise<void>((resolve) => client.once(Events.ShardResume, () => resolve()))
    await first.close()
    const second = await startEmulator({ data, limits: "fast", port: Number(new URL(first.page).port) })
    await back
    const heard = new Promise<string>((resolve) => client.once(Events.MessageCreate, ({ content }) => resolve(content)))
    await second.user().send(second.channelId, "back again")
    assert.equal(await heard, "back again")
    await client.destroy()
    await second.close()
  })

  it("keeps every acknowledged message over kill -9", async () => {
    const child = await spawnEmulator(["--data", data, "--limits", "fast"])
    const post = async (path: string, body: object): Promise<Response> =>
      fetch(`${child.ready.api}/v10${path}`, {
        method: "POST",
        headers: { authorization: `Bot ${child.ready.botToken}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
    const acknowledged: Array<string> = []
    const writing = (async () => {
      for (let index = 0; index < 10_000; index++) {
        const answer = await post(`/channels/${child.ready.channelId}/messages`, { content: `m${index}` })
        if (!answer.ok) return
        acknowledged.push(((await answer.json()) as { id: string }).id)
        if (acknowledged.length === 100) child.kill("SIGKILL")
      }
    })().catch(() => "the process is gone")
    await child.exited
    await writing
    const after = await start()
    const ids = after.messages(after.channelId).map(({ id }) => id)
    assert.ok(acknowledged.length >= 100)
    assert.deepEqual(ids.slice(0, acknowledged.length), acknowledged)
    assert.ok(ids.length - acknowledged.length <= 1)
    await after.close()
  })

  it("lets a bot fill a deferred answer after a restart", async () => {
    const first = await start()
    const client = await login(first)
    await client.application.commands.set([{ name: "task", description: "Tasks" }], first.guildId)
    let hook = ""
    client.once(Events.InteractionCreate, async (interaction) => {
      if (!interaction.isChatInputCommand()) return
      hook = `/webhooks/${interaction.applicationId}/${interaction.token}/messages/@original`
      await interaction.deferReply()
    })
    const asked = await first.user().command(first.channelId, "task")
    assert.equal(asked.type, "deferred")
    await client.destroy()
    await first.close()
    const second = await start()
    const answer = await fetch(`${second.api}/v10${hook}`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ content: "sorry for the wait" })
    })
    assert.equal(answer.status, 200)
    assert.equal(second.transcript(second.channelId), "Bot [bot]: sorry for the wait")
    await second.close()
  })

  it("ignores an incomplete last line and continues after it", async () => {
    const first = await start()
    await first.user().send(first.channelId, "whole")
    await first.close()
    await appendFile(log(), '{"kind":"message","value":{"id":"15')
    const second = await start()
    assert.equal(second.transcript(second.channelId), "You: whole")
    await second.user().send(second.channelId, "next")
    await second.close()
    const third = await start()
    assert.equal(third.transcript(third.channelId), "You: whole\nYou: next")
    await third.close()
  })

  it("reports the damaged line of a log and leaves the log unchanged", async () => {
    const first = await start()
    await first.close()
    const damaged = `oops\n${await readFile(log(), "utf8")}`
    await writeFile(log(), damaged)
    await assert.rejects(
      start(),
      (error: unknown) =>
        error instanceof SettingsError &&
        /events\.jsonl, line 1: this is no entry of a log; nothing was changed/.test(error.message)
    )
    assert.equal(await readFile(log(), "utf8"), damaged)
    assert.equal((await readdir(data)).includes("lock"), false)
  })

  const channel = { id: "1", type: 0, name: "x", position: 0, slowmode: 0 }
  it.each([
    ["of a kind that it does not know", { kind: "sticker", value: {} }, /this version knows no "sticker".* Update/],
    ["without a kind", { value: {} }, /this version knows no "undefined"/],
    ["of a kind that every object has", { kind: "constructor", value: {} }, /knows no "constructor"/],
    ["without a record", { kind: "message" }, /the message does not fit: its value is missing.* Restore/],
    [
      "with half a record",
      { kind: "message", value: { id: "1", channelId: "2" } },
      /its authorId is not a text of digits/
    ],
    ["with an id that is none", { kind: "channel", value: { ...channel, id: "x" } }, /its id is not a text of digits/],
    ["with another kind of list", { kind: "commands", guildId: null, value: {} }, /its value is not a list/],
    ["with a second beginning", { kind: "log", format: 1, changes: 0, lines: 0 }, /knows no "log"/]
  ])("names the line of a log that does not fit, and leaves it alone: %s", async (_name, entry, words) => {
    const first = await start()
    await first.user().send(first.channelId, "hello")
    await first.close()
    const whole = await readFile(log(), "utf8")
    const lines = whole.split("\n")
    const damaged = [...lines.slice(0, -2), JSON.stringify(entry), ...lines.slice(-2)].join("\n")
    await writeFile(log(), damaged)
    await assert.rejects(start(), (error: unknown) => {
      assert.ok(error instanceof SettingsError)
      assert.ok(error.message.startsWith(`${log()}, line ${lines.length - 1}: `), error.message)
      assert.match(error.message, /nothing was changed\./)
      assert.match(error.message, words)
      return true
    })
    assert.equal(await readFile(log(), "utf8"), damaged)
    await writeFile(log(), whole)
    const again = await start()
    assert.equal(again.transcript(again.channelId), "You: hello")
    await again.close()
  })

  it("starts over when the first start was killed", async () => {
    const first = await start()
    await first.close()
    const lines = (await readFile(log(), "utf8")).trim().split("\n")
    assert.ok(lines.length > 5)
    // As earlier versions wrote it, one line after the other.
    for (let count = 0; count < lines.length; count++) {
      await writeFile(
        log(),
        lines
          .slice(0, count)
          .map((line) => `${line}\n`)
          .join("")
      )
      const again = await start()
      assert.deepEqual(
        again.users.map(({ username }) => username),
        ["You", "Sam"]
      )
      await again.user().send(again.channelId, "hello")
      await again.close()
    }
  })

  it("is locked while another emulator uses it", async () => {
    const first = await start()
    await assert.rejects(start(), /in use by another emulator \(process \d+\)/)
    await first.close()
    const child = await spawnEmulator(["--data", data])
    await assert.rejects(start(), new RegExp(`in use by another emulator \\(process ${child.pid}\\)`))
    child.kill("SIGKILL")
    await child.exited
    await (await start()).close()
  })

  it("compacts the log on start", async () => {
    const first = await start()
    const you = first.user()
    const { id } = await you.send(first.channelId, "v0")
    for (let version = 1; version <= 3000; version++) await you.edit(first.channelId, id, `v${version}`)
    await first.close()
    const before = (await stat(log())).size
    const second = await start()
    assert.equal(second.messages(second.channelId)[0]?.content, "v3000")
    await second.user().send(second.channelId, "after")
    await second.close()
    assert.ok((await stat(log())).size < before / 100)
    const third = await start()
    assert.deepEqual(
      third.messages(third.channelId).map(({ content }) => content),
      ["v3000", "after"]
    )
    await third.close()
  })

  it("keeps the message counts of threads through a compaction", async () => {
    let emulator = await start()
    const you = emulator.user("You")
    const asked = await you.send(emulator.channelId, "start")
    const path = `/channels/${emulator.channelId}/messages/${asked.id}/threads`
    const { id } = (await you.request("POST", path, { name: "Work" })) as { readonly id: string }
    for (let count = 0; count < 600; count++) await you.delete(id, (await you.send(id, "gone")).id)
    await you.send(id, "stays")
    // The first start reads the whole log and rewrites it, the second reads what is left.
    for (const _ of [1, 2]) {
      await emulator.close()
      emulator = await start()
    }
    const thread = (await emulator.user("You").request("GET", `/channels/${id}`)) as Record<string, unknown>
    assert.deepEqual([thread["message_count"], thread["total_message_sent"]], [1, 601])
    assert.ok((await readFile(log(), "utf8")).split("\n").length < 100)
    await emulator.close()
  })

  it("compacts the log while it runs", async () => {
    const emulator = await start()
    const you = emulator.user()
    const kept = await you.send(emulator.channelId, "kept")
    const { id } = await you.send(emulator.channelId, "v0")
    let largest = 0
    for (let version = 1; version <= 6000; version++) {
      await you.edit(emulator.channelId, id, `v${version} ${"x".repeat(1900)}`)
      if (version % 100 === 0) largest = Math.max(largest, (await stat(log())).size)
    }
    assert.ok(largest > 4e6 && largest < 4.5e6, `${largest} bytes`)
    await emulator.close()
    const after = await start()
    assert.deepEqual(
      after.messages(after.channelId).map((message) => [message.id, message.content.split(" ")[0]]),
      [
        [kept.id, "kept"],
        [id, "v6000"]
      ]
    )
    await after.close()
  })

  const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 2)
  it(`loses nothing when it is killed around a compaction, ${rounds} times`, { timeout: 20_000 * rounds }, async () => {
    const embeds = [{ description: "x".repeat(4000) }, { title: "y", description: "z".repeat(1900) }]
    let version = 0
    for (let round = 0; round < rounds; round++) {
      const child = await spawnEmulator(["--data", data, "--limits", "fast"])
      const { api, botToken, channelId } = child.ready
      const call = (method: string, path: string, body?: object): Promise<Response> =>
        fetch(`${api}/v10/channels/${channelId}/messages${path}`, {
          method,
          headers: { authorization: `Bot ${botToken}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
      const found = (await (await call("GET", "?limit=1")).json()) as ReadonlyArray<{ id: string; content: string }>
      const stored = Number(found[0]?.content ?? 0)
      assert.ok(stored === version || stored === version + 1, `${stored}, acknowledged was ${version}`)
      version = stored
      const id = found[0]?.id ?? ((await (await call("POST", "", { content: "0" })).json()) as { id: string }).id
      const size = async (): Promise<number> => (await stat(log())).size
      const writing = (async () => {
        for (;;) {
          const answer = await call("PATCH", `/${id}`, { content: String(version + 1), embeds })
          if (!answer.ok) return
          version++
        }
      })().catch(() => "the process is gone")
      // From just before the log is replaced to shortly after.
      while ((await size()) < 4.1e6) await new Promise((resolve) => setTimeout(resolve, 2))
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 40))
      child.kill("SIGKILL")
      await child.exited
      await writing
    }
    const after = await start()
    const stored = Number(after.messages(after.channelId)[0]?.content)
    assert.ok(stored === version || stored === version + 1, `${stored}, acknowledged was ${version}`)
    await after.close()
  })

  it("refuses a log of a newer version and reads one of the first version", async () => {
    const first = await start()
    await first.user().send(first.channelId, "hello")
    await first.close()
    const [header = "", ...changes] = (await readFile(log(), "utf8")).split("\n")
    assert.match(header, /^\{"kind":"log","format":1,/)
    const newer = [header.replace('"format":1', '"format":7'), ...changes].join("\n")
    await writeFile(log(), newer)
    await assert.rejects(
      start(),
      (error: unknown) =>
        error instanceof SettingsError &&
        /newer version \(log format 7, this version reads up to 1\); nothing was changed\. Update/.test(error.message)
    )
    assert.equal(await readFile(log(), "utf8"), newer)
    await writeFile(log(), changes.join("\n"))
    const again = await start()
    assert.equal(again.transcript(again.channelId), "You: hello")
    await again.close()
  })

  it.skipIf(process.platform === "win32")("is readable for its owner only", async () => {
    const before = process.umask(0)
    try {
      const folder = join(data, "new", "below")
      const emulator = await startEmulator({ data: folder, limits: "fast" })
      await emulator.user().send(emulator.channelId, "", [{ name: "a.txt", data: Buffer.from("x") }])
      const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)
      for (const path of [join(data, "new"), folder, join(folder, "attachments")])
        assert.equal(await modeOf(path), "700", path)
      const files = (await readdir(folder, { recursive: true })).filter((name) => name !== "attachments")
      assert.equal(files.length, 3)
      for (const name of files) assert.equal(await modeOf(join(folder, name)), "600", name)
      await emulator.close()
    } finally {
      process.umask(before)
    }
  })

  it("never writes outside of the folder", async () => {
    const emulator = await start()
    const sent = await emulator.user().send(emulator.channelId, "", [
      { name: "../../../escape.txt", data: Buffer.from("x") },
      { name: "..", data: Buffer.from("y") },
      { name: "a\u0000b\n.txt", data: Buffer.from("z") }
    ])
    assert.deepEqual(
      sent.attachments.map(({ filename }) => filename),
      ["escape.txt", "unknown", "ab_.txt"]
    )
    const files = await readdir(join(data, "attachments"))
    assert.ok(files.every((name) => /^\d+$/.test(name)))
    for (const path of ["/attachments/1/..%2F..%2Fevents.jsonl/x", "/attachments/1/%2e%2e/x"])
      assert.equal((await fetch(`${emulator.page.slice(0, -1)}${path}`)).status, 404)
    await emulator.close()
  })
})
