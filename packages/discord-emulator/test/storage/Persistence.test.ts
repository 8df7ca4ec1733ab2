import assert from "node:assert/strict"
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { Events } from "discord.js"
import { describe, it } from "vitest"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"
import { login } from "../support/Bot.ts"
import { spawnEmulator } from "../support/Cli.ts"
import { dataFolder } from "../support/DataFolder.ts"

describe("a data folder", () => {
  const folder = dataFolder()

  it("restores ids, token, commands, threads, messages and files", async () => {
    const first = await folder.start()
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

    const second = await folder.start()
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
    const first = await folder.start()
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

    const second = await folder.start()
    assert.equal(await read(second), before)
    await assert.rejects(second.user("Guest").send(channelId, "again"), /Unknown Channel/)
    await second.close()
  })

  it("lets a client resume its session after a restart", async () => {
    const first = await folder.start()
    const client = await login(first)
    const back = new Promise<void>((resolve) => client.once(Events.ShardResume, () => resolve()))
    await first.close()
    const second = await startEmulator({ data: folder.path(), limits: "fast", port: Number(new URL(first.page).port) })
    await back
    const heard = new Promise<string>((resolve) => client.once(Events.MessageCreate, ({ content }) => resolve(content)))
    await second.user().send(second.channelId, "back again")
    assert.equal(await heard, "back again")
    await client.destroy()
    await second.close()
  })

  it("keeps every acknowledged message over kill -9", async () => {
    const child = await spawnEmulator(["--data", folder.path(), "--limits", "fast"])
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
    const after = await folder.start()
    const ids = after.messages(after.channelId).map(({ id }) => id)
    assert.ok(acknowledged.length >= 100)
    assert.deepEqual(ids.slice(0, acknowledged.length), acknowledged)
    assert.ok(ids.length - acknowledged.length <= 1)
    await after.close()
  })

  it("lets a bot fill a deferred answer after a restart", async () => {
    const first = await folder.start()
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
    const second = await folder.start()
    const answer = await fetch(`${second.api}/v10${hook}`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ content: "sorry for the wait" })
    })
    assert.equal(answer.status, 200)
    assert.equal(second.transcript(second.channelId), "Bot [bot]: sorry for the wait")
    await second.close()
  })

  it("is locked while another emulator uses it", async () => {
    const first = await folder.start()
    await assert.rejects(folder.start(), /in use by another emulator \(process \d+\)/)
    await first.close()
    const child = await spawnEmulator(["--data", folder.path()])
    await assert.rejects(folder.start(), new RegExp(`in use by another emulator \\(process ${child.pid}\\)`))
    child.kill("SIGKILL")
    await child.exited
    await (await folder.start()).close()
  })

  it.skipIf(process.platform === "win32")("is readable for its owner only", async () => {
    const before = process.umask(0)
    try {
      const below = join(folder.path(), "new", "below")
      const emulator = await startEmulator({ data: below, limits: "fast" })
      await emulator.user().send(emulator.channelId, "", [{ name: "a.txt", data: Buffer.from("x") }])
      const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)
      for (const path of [join(folder.path(), "new"), below, join(below, "attachments")])
        assert.equal(await modeOf(path), "700", path)
      const files = (await readdir(below, { recursive: true })).filter((name) => name !== "attachments")
      assert.equal(files.length, 3)
      for (const name of files) assert.equal(await modeOf(join(below, name)), "600", name)
      await emulator.close()
    } finally {
      process.umask(before)
    }
  })

  it("never writes outside of the folder", async () => {
    const emulator = await folder.start()
    const sent = await emulator.user().send(emulator.channelId, "", [
      { name: "../../../escape.txt", data: Buffer.from("x") },
      { name: "..", data: Buffer.from("y") },
      { name: "a\u0000b\n.txt", data: Buffer.from("z") }
    ])
    assert.deepEqual(
      sent.attachments.map(({ filename }) => filename),
      ["escape.txt", "unknown", "ab_.txt"]
    )
    const files = await readdir(join(folder.path(), "attachments"))
    assert.ok(files.every((name) => /^\d+$/.test(name)))
    for (const path of ["/attachments/1/..%2F..%2Fevents.jsonl/x", "/attachments/1/%2e%2e/x"])
      assert.equal((await fetch(`${emulator.page.slice(0, -1)}${path}`)).status, 404)
    await emulator.close()
  })
})
