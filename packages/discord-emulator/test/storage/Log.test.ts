import assert from "node:assert/strict"
import { appendFile, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { describe, it } from "vitest"
import { SettingsError } from "@heddle/discord-emulator"
import { spawnEmulator } from "../support/Cli.ts"
import { dataFolder } from "../support/DataFolder.ts"

describe("the log of a data folder", () => {
  const folder = dataFolder()

  it("ignores an incomplete last line and continues after it", async () => {
    const first = await folder.start()
    await first.user().send(first.channelId, "whole")
    await first.close()
    await appendFile(folder.log(), '{"kind":"message","value":{"id":"15')
    const second = await folder.start()
    assert.equal(second.transcript(second.channelId), "You: whole")
    await second.user().send(second.channelId, "next")
    await second.close()
    const third = await folder.start()
    assert.equal(third.transcript(third.channelId), "You: whole\nYou: next")
    await third.close()
  })

  it("reports the damaged line of a log and leaves the log unchanged", async () => {
    const first = await folder.start()
    await first.close()
    const damaged = `oops\n${await readFile(folder.log(), "utf8")}`
    await writeFile(folder.log(), damaged)
    await assert.rejects(
      folder.start(),
      (error: unknown) =>
        error instanceof SettingsError &&
        /events\.jsonl, line 1: this is no entry of a log; nothing was changed/.test(error.message)
    )
    assert.equal(await readFile(folder.log(), "utf8"), damaged)
    assert.equal((await readdir(folder.path())).includes("lock"), false)
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
    const first = await folder.start()
    await first.user().send(first.channelId, "hello")
    await first.close()
    const whole = await readFile(folder.log(), "utf8")
    const lines = whole.split("\n")
    const damaged = [...lines.slice(0, -2), JSON.stringify(entry), ...lines.slice(-2)].join("\n")
    await writeFile(folder.log(), damaged)
    await assert.rejects(folder.start(), (error: unknown) => {
      assert.ok(error instanceof SettingsError)
      assert.ok(error.message.startsWith(`${folder.log()}, line ${lines.length - 1}: `), error.message)
      assert.match(error.message, /nothing was changed\./)
      assert.match(error.message, words)
      return true
    })
    assert.equal(await readFile(folder.log(), "utf8"), damaged)
    await writeFile(folder.log(), whole)
    const again = await folder.start()
    assert.equal(again.transcript(again.channelId), "You: hello")
    await again.close()
  })

  it("refuses a log of a newer version and reads one of the first version", async () => {
    const first = await folder.start()
    await first.user().send(first.channelId, "hello")
    await first.close()
    const [header = "", ...changes] = (await readFile(folder.log(), "utf8")).split("\n")
    assert.match(header, /^\{"kind":"log","format":1,/)
    const newer = [header.replace('"format":1', '"format":7'), ...changes].join("\n")
    await writeFile(folder.log(), newer)
    await assert.rejects(
      folder.start(),
      (error: unknown) =>
        error instanceof SettingsError &&
        /newer version \(log format 7, this version reads up to 1\); nothing was changed\. Update/.test(error.message)
    )
    assert.equal(await readFile(folder.log(), "utf8"), newer)
    await writeFile(folder.log(), changes.join("\n"))
    const again = await folder.start()
    assert.equal(again.transcript(again.channelId), "You: hello")
    await again.close()
  })

  it("starts over when the first start was killed", async () => {
    const first = await folder.start()
    await first.close()
    const lines = (await readFile(folder.log(), "utf8")).trim().split("\n")
    assert.ok(lines.length > 5)
    // As earlier versions wrote it, one line after the other.
    for (let count = 0; count < lines.length; count++) {
      await writeFile(
        folder.log(),
        lines
          .slice(0, count)
          .map((line) => `${line}\n`)
          .join("")
      )
      const again = await folder.start()
      assert.deepEqual(
        again.users.map(({ username }) => username),
        ["You", "Sam"]
      )
      await again.user().send(again.channelId, "hello")
      await again.close()
    }
  })

  it("compacts the log on start", async () => {
    const first = await folder.start()
    const you = first.user()
    const { id } = await you.send(first.channelId, "v0")
    for (let version = 1; version <= 3000; version++) await you.edit(first.channelId, id, `v${version}`)
    await first.close()
    const before = (await stat(folder.log())).size
    const second = await folder.start()
    assert.equal(second.messages(second.channelId)[0]?.content, "v3000")
    await second.user().send(second.channelId, "after")
    await second.close()
    assert.ok((await stat(folder.log())).size < before / 100)
    const third = await folder.start()
    assert.deepEqual(
      third.messages(third.channelId).map(({ content }) => content),
      ["v3000", "after"]
    )
    await third.close()
  })

  it("keeps the message counts of threads through a compaction", async () => {
    let emulator = await folder.start()
    const you = emulator.user("You")
    const asked = await you.send(emulator.channelId, "start")
    const path = `/channels/${emulator.channelId}/messages/${asked.id}/threads`
    const { id } = (await you.request("POST", path, { name: "Work" })) as { readonly id: string }
    for (let count = 0; count < 600; count++) await you.delete(id, (await you.send(id, "gone")).id)
    await you.send(id, "stays")
    // The first start reads the whole log and rewrites it, the second reads what is left.
    for (const _ of [1, 2]) {
      await emulator.close()
      emulator = await folder.start()
    }
    const thread = (await emulator.user("You").request("GET", `/channels/${id}`)) as Record<string, unknown>
    assert.deepEqual([thread["message_count"], thread["total_message_sent"]], [1, 601])
    assert.ok((await readFile(folder.log(), "utf8")).split("\n").length < 100)
    await emulator.close()
  })

  it("compacts the log while it runs", async () => {
    const emulator = await folder.start()
    const you = emulator.user()
    const kept = await you.send(emulator.channelId, "kept")
    const { id } = await you.send(emulator.channelId, "v0")
    let largest = 0
    for (let version = 1; version <= 6000; version++) {
      await you.edit(emulator.channelId, id, `v${version} ${"x".repeat(1900)}`)
      if (version % 100 === 0) largest = Math.max(largest, (await stat(folder.log())).size)
    }
    assert.ok(largest > 4e6 && largest < 4.5e6, `${largest} bytes`)
    await emulator.close()
    const after = await folder.start()
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
      const child = await spawnEmulator(["--data", folder.path(), "--limits", "fast"])
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
      const size = async (): Promise<number> => (await stat(folder.log())).size
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
    const after = await folder.start()
    const stored = Number(after.messages(after.channelId)[0]?.content)
    assert.ok(stored === version || stored === version + 1, `${stored}, acknowledged was ${version}`)
    await after.close()
  })
})
