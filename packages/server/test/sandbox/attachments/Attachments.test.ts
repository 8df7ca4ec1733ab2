import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { Client, type Loose } from "../support/client.ts"
import { agent, temporary, type Task } from "../support/service.ts"
import { serviceOfSuite, serviceOfTest } from "../support/suite.ts"

const text = (words: string) => ({ type: "text", text: words })
const resource = (name: string, content: { readonly text: string } | { readonly blob: string }, mimeType?: string) => ({
  type: "resource",
  resource: {
    uri: `attachment:///${encodeURIComponent(name)}`,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...content
  }
})
const base64 = (bytes: string) => Buffer.from(bytes).toString("base64")
const sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

const send = (client: Client, ...prompt: ReadonlyArray<object>) =>
  client.request("session/prompt", { sessionId: client.task.taskId, prompt })

/** Sends the files with a prompt; gives the blocks that the agent got, without the one about the folders. */
const received = async (client: Client, ...files: ReadonlyArray<object>): Promise<ReadonlyArray<Loose>> => {
  const blocks = await receivedAll(client, ...files)
  return blocks.filter((block) => !tellsFolders(block))
}

const receivedAll = async (client: Client, ...files: ReadonlyArray<object>): Promise<ReadonlyArray<Loose>> => {
  const { error } = await send(client, text("blocks"), ...files)
  assert.isUndefined(error)
  return JSON.parse(Fs.readFileSync(Path.join(client.task.folder, ".blocks.json"), "utf8"))
}

const tellsFolders = (block: Loose) => block.text?.includes('the folder "artifacts"') === true

const inTask = (task: Task, name = "") => Path.join(task.folder, "attachments", name)
const stored = (task: Task) => Fs.readdirSync(inTask(task)).toSorted()
const note = (...names: ReadonlyArray<string>) => ({
  type: "text",
  text: `\n[Attached files, stored in the working directory: ${names.map((name) => `"attachments/${name}"`).join(", ")}]`,
  annotations: { audience: ["assistant"] }
})
const link = (task: Task, name: string, size: number, mimeType?: string) => ({
  type: "resource_link",
  uri: pathToFileURL(inTask(task, name)).href,
  name,
  ...(mimeType === undefined ? {} : { mimeType }),
  size
})

describe("the files of a prompt", () => {
  const { opened } = serviceOfSuite()

  it("are stored in the task, and the agent gets links, the line that names them, and small text", async () => {
    const client = await opened()
    const { task } = client
    const blocks = await received(
      client,
      resource("orders.xlsx", { blob: base64("PK sheet") }, sheet),
      resource("data.csv", { text: "a,b\n1,2" }, "text/csv"),
      { type: "image", data: base64("picture"), mimeType: "image/png" }
    )
    assert.deepStrictEqual(blocks, [
      text("blocks"),
      link(task, "orders.xlsx", 8, sheet),
      link(task, "data.csv", 7, "text/csv"),
      {
        type: "resource",
        resource: { uri: pathToFileURL(inTask(task, "data.csv")).href, mimeType: "text/csv", text: "a,b\n1,2" }
      },
      link(task, "image.png", 7, "image/png"),
      note("orders.xlsx", "data.csv", "image.png")
    ])
    assert.strictEqual(Fs.readFileSync(inTask(task, "orders.xlsx"), "utf8"), "PK sheet")
    assert.deepStrictEqual(stored(task), ["data.csv", "image.png", "orders.xlsx"])
    // The history has the names, not the bytes and not the line for the agent.
    const prompts = client.updates.filter((update) => update.includes("user_message_chunk"))
    assert.lengthOf(prompts, 4)
    assert.isFalse(prompts.some((update) => update.includes("Attached files") || update.includes(base64("picture"))))
  })

  it("are not in the prompt when they are large: a text above 32 KiB is only linked", async () => {
    const client = await opened()
    const large = "x".repeat(32 * 1024 + 1)
    const blocks = await received(client, resource("large.csv", { text: large }, "text/csv"))
    assert.deepStrictEqual(blocks.slice(1), [
      link(client.task, "large.csv", large.length, "text/csv"),
      note("large.csv")
    ])
  })

  it("keep apart by number what has the same name; the same bytes are stored once", async () => {
    const client = await opened()
    const { task } = client
    const one = resource("orders.xlsx", { blob: base64("one") })
    const two = resource("orders.xlsx", { blob: base64("two") })
    assert.deepStrictEqual((await received(client, one, two)).at(-1), note("orders.xlsx", "orders-2.xlsx"))
    assert.deepStrictEqual((await received(client, two)).at(-1), note("orders-2.xlsx"))
    Fs.writeFileSync(inTask(task, "orders.xlsx"), "changed by the agent")
    assert.deepStrictEqual((await received(client, one)).at(-1), note("orders-3.xlsx"))
    assert.strictEqual(Fs.readFileSync(inTask(task, "orders.xlsx"), "utf8"), "changed by the agent")
  })

  it("never become hidden files or configuration of the agent", async () => {
    const client = await opened()
    await received(client, resource("../.mcp.json", { text: "{}" }), resource("../../CLAUDE.md", { text: "obey" }))
    assert.deepStrictEqual(stored(client.task), ["CLAUDE.md", "mcp.json"])
    assert.isFalse(Fs.existsSync(Path.join(client.task.folder, ".mcp.json")))
    assert.isFalse(Fs.existsSync(Path.join(client.task.folder, "CLAUDE.md")))
  })

  it("are not written through a link that an agent put in the folder's place, nor through one in it", async () => {
    const client = await opened()
    const { task } = client
    const elsewhere = temporary()
    Fs.writeFileSync(Path.join(elsewhere, "secret.txt"), "untouched")
    Fs.symlinkSync(elsewhere, inTask(task))
    const { error } = await send(client, text("blocks"), resource("a.txt", { text: "a" }))
    assert.match(error.message, /something else than a folder.*Nothing was sent to the agent and nothing was charged/)
    assert.deepStrictEqual(Fs.readdirSync(elsewhere), ["secret.txt"])

    Fs.unlinkSync(inTask(task))
    Fs.mkdirSync(inTask(task))
    Fs.symlinkSync(Path.join(elsewhere, "secret.txt"), inTask(task, "a.txt"))
    Fs.symlinkSync(Path.join(elsewhere, "new.txt"), inTask(task, "b.txt"))
    const blocks = await received(client, resource("a.txt", { text: "a" }), resource("b.txt", { text: "b" }))
    assert.deepStrictEqual(blocks.at(-1), note("a-2.txt", "b-2.txt"))
    assert.deepStrictEqual(Fs.readdirSync(elsewhere), ["secret.txt"])
    assert.strictEqual(Fs.readFileSync(Path.join(elsewhere, "secret.txt"), "utf8"), "untouched")
  })

  it("are stored before a prompt begins that waited behind another", async () => {
    const client = await opened()
    await client.askPrompt("wait 50")
    const blocks = await received(client, resource("later.bin", { blob: base64("later") }))
    assert.deepStrictEqual(blocks.at(-1), note("later.bin"))
    assert.deepStrictEqual(stored(client.task), ["later.bin"])
  })

  it("for people have a folder of which the agent hears once, and no history tells it as words of a person", async () => {
    const client = await opened()
    const first = await receivedAll(client)
    assert.deepStrictEqual(first[0], text("blocks"))
    assert.deepStrictEqual(
      first.slice(1).map(({ annotations, text }) => [annotations, tellsFolders({ text })]),
      [[{ audience: ["assistant"] }, true]]
    )
    assert.lengthOf(await receivedAll(client), 1)
    const again = await Client.loaded(client.task)
    assert.lengthOf(
      again.updates.filter((update) => update.includes("user_message_chunk")),
      2
    )
    assert.isFalse(
      again.updates.some((update) => update.includes("user_message_chunk") && update.includes("artifacts"))
    )
  })

  it("that cannot be read are refused, and the agent hears nothing", async () => {
    const client = await opened()
    const { error } = await send(client, text("echo heard"), { type: "image", data: "", mimeType: "image/png" })
    assert.strictEqual(error.code, -32602)
    assert.match(error.message, /"image" has no content.*Nothing was sent/)
    assert.strictEqual(client.text, "")
  })
})

describe("the files of a prompt, with other agents", () => {
  const start = serviceOfTest()

  it("are pictures and audio for an agent that takes them, also when they came as resources", async () => {
    const service = await start({ agentCommand: agent("media") })
    const client = await Client.loaded(await service.task())
    const [, one, picture, two, fromResource, three, sound, four, five, ...rest] = await received(
      client,
      { type: "image", data: base64("png"), mimeType: "image/png", uri: "attachment:///cat.png" },
      resource("dog.jpg", { blob: base64("jpg") }, "image/jpeg"),
      { type: "audio", data: base64("wav"), mimeType: "audio/wav" },
      resource("plan.svg", { blob: base64("<svg/>") }, "image/svg+xml"),
      resource("huge.png", { blob: Buffer.alloc(3_750_001).toString("base64") }, "image/png")
    )
    assert.deepStrictEqual(
      [one, two, three, four, five].map(({ type, name }) => [type, name]),
      ["cat.png", "dog.jpg", "audio.wav", "plan.svg", "huge.png"].map((name) => ["resource_link", name])
    )
    assert.deepStrictEqual(picture, { type: "image", mimeType: "image/png", data: base64("png") })
    assert.deepStrictEqual(fromResource, { type: "image", mimeType: "image/jpeg", data: base64("jpg") })
    assert.deepStrictEqual(sound, { type: "audio", mimeType: "audio/wav", data: base64("wav") })
    assert.deepStrictEqual(rest, [note("cat.png", "dog.jpg", "audio.wav", "plan.svg", "huge.png")])
  })

  it("are links for an agent that takes no files", async () => {
    const service = await start({ agentCommand: agent("plain") })
    const client = await Client.loaded(await service.task())
    const blocks = await received(client, resource("a.csv", { text: "a" }, "text/csv"))
    assert.deepStrictEqual(blocks.slice(1), [link(client.task, "a.csv", 1, "text/csv"), note("a.csv")])
  })

  it("are no links for OpenCode when they are binary, and have no type of other text: every later prompt would fail", async () => {
    const service = await start({ agentCommand: agent("OpenCode") })
    const client = await Client.loaded(await service.task())
    const files = [
      resource("orders.xlsx", { blob: base64("PK") }, sheet),
      resource("large.csv", { text: "x".repeat(33_000) }, "text/csv"),
      resource("cat.png", { blob: base64("png") }, "image/png"),
      resource("a.json", { blob: base64("{}") }, "application/json")
    ]
    assert.deepStrictEqual((await received(client, ...files)).slice(1), [
      link(client.task, "cat.png", 3, "image/png"),
      link(client.task, "a.json", 2),
      note("orders.xlsx", "large.csv", "cat.png", "a.json")
    ])
  })

  it("are in OpenCode's prompt once and within the limits, since it reads what is linked with every request", async () => {
    const service = await start({ agentCommand: agent("OpenCode", "media") })
    const client = await Client.loaded(await service.task())
    const uri = pathToFileURL(inTask(client.task, "small.csv")).href
    const files = [
      resource("large.json", { blob: base64("x".repeat(33_000)) }, "application/json"),
      resource("small.csv", { text: "a,b" }, "text/csv"),
      resource("cat.png", { blob: base64("png") }, "image/png"),
      resource("huge.png", { blob: Buffer.alloc(3_750_001).toString("base64") }, "image/png")
    ]
    assert.deepStrictEqual((await received(client, ...files)).slice(1), [
      { type: "resource", resource: { uri, mimeType: "text/csv", text: "a,b" } },
      { type: "image", mimeType: "image/png", data: base64("png") },
      note("large.json", "small.csv", "cat.png", "huge.png")
    ])
  })

  it("are linked for Gemini CLI within the limits only, since it reads what is linked with every request", async () => {
    const service = await start({ agentCommand: agent("gemini-cli", "media") })
    const client = await Client.loaded(await service.task())
    const uri = pathToFileURL(inTask(client.task, "small.csv")).href
    const files = [
      resource("large.json", { blob: base64("x".repeat(33_000)) }, "application/json"),
      resource("small.csv", { text: "a,b" }, "text/csv"),
      resource("cat.png", { blob: base64("png") }, "image/png"),
      resource("huge.png", { blob: Buffer.alloc(3_750_001).toString("base64") }, "image/png"),
      resource("doc.pdf", { blob: base64("pdf") }, "application/pdf")
    ]
    assert.deepStrictEqual((await received(client, ...files)).slice(1), [
      link(client.task, "small.csv", 3, "text/csv"),
      { type: "resource", resource: { uri, mimeType: "text/csv", text: "a,b" } },
      link(client.task, "cat.png", 3, "image/png"),
      { type: "image", mimeType: "image/png", data: base64("png") },
      note("large.json", "small.csv", "cat.png", "huge.png", "doc.pdf")
    ])
  })

  it("are refused in words above the limits of a task, and none of them stays", async () => {
    const service = await start({ sandbox: { attachmentBytes: 10 } })
    const client = await Client.loaded(await service.task())
    const { error } = await send(
      client,
      text("echo heard"),
      resource("a.txt", { text: "12345" }),
      resource("b.txt", { text: "123456" })
    )
    assert.match(
      error.message,
      /as many attached files as it may.*Nothing was sent to the agent and nothing was charged/
    )
    assert.strictEqual(error.data.reason, "agent_attachments")
    assert.deepStrictEqual(stored(client.task), [])
    assert.strictEqual(client.text, "")
    await received(client, resource("a.txt", { text: "12345" }))
    assert.deepStrictEqual(stored(client.task), ["a.txt"])
  })

  it("are at most 1000, and at most 512 MiB, in one task", async () => {
    const service = await start({})
    const fills: ReadonlyArray<(task: Task) => void> = [
      (task) => Array.from({ length: 999 }, (_, n) => Fs.writeFileSync(inTask(task, String(n)), "")),
      (task) => {
        Fs.writeFileSync(inTask(task, "sparse"), "")
        Fs.truncateSync(inTask(task, "sparse"), 512 * 1024 * 1024 - 1)
      }
    ]
    for (const fill of fills) {
      const client = await Client.loaded(await service.task())
      Fs.mkdirSync(inTask(client.task), { recursive: true })
      fill(client.task)
      await received(client, resource("last.txt", { text: "1" }))
      const { error } = await send(client, text("blocks"), resource("more.txt", { text: "2" }))
      assert.strictEqual(error.data.reason, "agent_attachments")
    }
  })

  it("stay with the task after a restart, and what a killed service left half-written goes", async () => {
    const dataDir = temporary()
    const first = await start({ dataDir })
    const client = await Client.loaded(await first.task())
    await received(client, resource("a.txt", { text: "a" }))
    await first.stop()
    Fs.writeFileSync(inTask(client.task, ".2b7f6d1e-0000-4000-8000-000000000000.part"), "half")
    const second = await start({ dataDir })
    const again = await Client.loaded(await second.reopen(client.task.taskId))
    assert.deepStrictEqual((await received(again, resource("a.txt", { text: "a" }))).at(-1), note("a.txt"))
    assert.deepStrictEqual(stored(client.task), ["a.txt"])
  })
})
