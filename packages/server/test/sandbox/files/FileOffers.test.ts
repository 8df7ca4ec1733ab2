import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Client, type Loose } from "../support/client.ts"
import { temporary } from "../support/service.ts"
import { serviceOfSuite, serviceOfTest } from "../support/suite.ts"

/** The offers that a client heard of, in order. */
const offers = (client: Client): ReadonlyArray<Loose> =>
  client.messages.filter(({ method }) => method === "_vendor.ai/files").map(({ params }) => params)

const publish = (client: Client, ...paths: ReadonlyArray<string>) =>
  client.request("_vendor.ai/files/publish", { sessionId: client.task.taskId, paths })

const artifactUris = (client: Client): ReadonlyArray<string> =>
  client.messages.filter(({ method }) => method === "_vendor.ai/artifact").map(({ params }) => params.artifact.uri)

describe("the files of a turn", () => {
  const { opened, service } = serviceOfSuite()

  it("are offered before its end: what it created and what it changed, with sizes", async () => {
    const client = await opened()
    await client.prompt("write report.md one\nwrite src/app.ts two")
    const messageId = client.messages.find(({ params }) => params?.update?.sessionUpdate === "user_message_chunk")
      ?.params.update.messageId
    assert.deepStrictEqual(offers(client), [
      {
        sessionId: client.task.taskId,
        messageId,
        files: [
          { path: "report.md", size: 3, change: "created" },
          { path: "src/app.ts", size: 3, change: "created" }
        ],
        more: 0,
        always: false
      }
    ])
    const at = (fits: (message: Loose) => boolean) => client.messages.findIndex(fits)
    assert.isBelow(
      at(({ method }) => method === "_vendor.ai/files"),
      at(({ result }) => result?.stopReason !== undefined)
    )
    await client.prompt("write report.md changed\nwrite new.txt x")
    assert.deepStrictEqual(offers(client)[1].files, [
      { path: "new.txt", size: 1, change: "created" },
      { path: "report.md", size: 7, change: "changed" }
    ])
    await client.prompt("echo nothing")
    assert.lengthOf(offers(client), 2)
    const later = await Client.loaded(client.task)
    assert.deepStrictEqual(offers(later), offers(client))
  })

  it("are not offered when they are hidden, keys, artifacts, packages, caches, links or what a person attached", async () => {
    const client = await opened()
    const { task } = client
    const outside = temporary()
    Fs.writeFileSync(Path.join(outside, "secret.txt"), "secret")
    const paths = [
      ".env",
      ".env.local",
      ".config/a",
      ".claude/settings.json",
      "site/.git/config",
      "site/.venv/a.py",
      "server.pem",
      "keys/id_ed25519",
      "artifacts/a.txt",
      "node_modules/a/index.js",
      "web/node_modules/a.js",
      "venv/a.py",
      "__pycache__/a.pyc"
    ]
    const words = [
      ...paths.map((path) => `write ${path} x`),
      `link ${outside} linked`,
      `link ${outside}/secret.txt s.txt`
    ]
    const attached = { type: "resource", resource: { uri: "attachment:///a.csv", text: "a" } }
    const prompt = (text: string, ...files: ReadonlyArray<object>) =>
      client.request("session/prompt", { sessionId: task.taskId, prompt: [{ type: "text", text }, ...files] })
    await prompt(words.join("\n"), attached)
    await prompt("echo more", { type: "resource", resource: { uri: "attachment:///b.csv", text: "b" } })
    assert.deepStrictEqual(offers(client), [])
    await client.prompt("write attachments/a.csv changed")
    assert.deepStrictEqual(offers(client)[0].files, [{ path: "attachments/a.csv", size: 7, change: "changed" }])
  })

  it("are offered from builds and with the hidden names that projects have, and published under visible names", async () => {
    const client = await opened()
    const paths = [".env.example", ".github/workflows/ci.yml", "build/a.txt", "coverage/index.html", "dist/app.js"]
    await client.prompt(paths.map((path) => `write ${path} x`).join("\n"))
    const offered = offers(client)[0].files.map(({ path }: Loose) => path)
    assert.deepStrictEqual(offered.toSorted(), paths)
    const { result } = await publish(client, ".env.example", ".github/workflows/ci.yml")
    const uris = ["agent:///artifacts/files/dot_env.example", "agent:///artifacts/files/dot_github/workflows/ci.yml"]
    assert.deepStrictEqual(
      result.files.map(({ uri }: Loose) => uri),
      uris
    )
    assert.includeMembers([...artifactUris(client)], uris)
  })

  it("are named up to 25, the outer ones first; of the others the number is told", async () => {
    const client = await opened()
    const lines = Array.from({ length: 30 }, (_, n) => `write deep/f${n}.txt x`)
    await client.prompt([...lines, "write top.txt x"].join("\n"))
    const [{ files, more }] = offers(client)
    assert.lengthOf(files, 25)
    assert.strictEqual(files[0].path, "top.txt")
    assert.strictEqual(more, 6)
  })

  it("are offered and published from folders as deep as those of real projects; the offer tells of deeper ones", async () => {
    const client = await opened()
    const path = "backend/services/shop/src/main/java/com/acme/shop/orders/internal/Foo.java"
    await client.prompt(`write ${path} x`)
    const [offer] = offers(client)
    assert.deepStrictEqual(offer.files, [{ path, size: 1, change: "created" }])
    assert.notProperty(offer, "partial")
    const { result } = await publish(client, path)
    const uri = `agent:///artifacts/files/${path}`
    assert.deepStrictEqual(result.files, [{ path, uri }])
    assert.include(artifactUris(client), uri)
    await client.prompt(`write ${"a/".repeat(21)}b.txt x\nwrite top.txt x`)
    const { files, partial } = offers(client)[1]
    assert.deepStrictEqual([files.length, partial], [1, true])
  })

  it("are named with the newest where a folder has more than 25", async () => {
    const client = await opened()
    const lines = Array.from({ length: 40 }, (_, n) => `write a/f${n}.txt x`)
    await client.prompt([...lines, "write z/result.txt x"].join("\n"))
    Fs.utimesSync(Path.join(client.task.folder, "z/result.txt"), 2e9, 2e9)
    await client.prompt(lines.map((line) => `${line} again`).join("\n"))
    const paths = offers(client)[1].files.map(({ path }: Loose) => path)
    assert.strictEqual(paths.at(-1), "z/result.txt")
  })

  it("become artifacts of the session on request, for every client, and again after a change", async () => {
    const client = await opened()
    const other = await Client.loaded(client.task)
    await client.prompt("write src/app.ts one\nwrite gone.txt x")
    Fs.unlinkSync(Path.join(client.task.folder, "gone.txt"))
    const { result } = await publish(client, "src/app.ts", "gone.txt")
    const uri = "agent:///artifacts/files/src/app.ts"
    assert.deepStrictEqual(result.files, [
      { path: "src/app.ts", uri },
      { path: "gone.txt", problem: "gone" }
    ])
    await other.until(() => artifactUris(other).includes(uri))
    assert.include(artifactUris(client), uri)
    await client.prompt("write src/app.ts changed")
    await publish(client, "src/app.ts")
    const copy = Path.join(client.task.folder, "artifacts/files/src/app.ts")
    assert.strictEqual(Fs.readFileSync(copy, "utf8"), "changed")
    assert.deepStrictEqual(artifactUris(client), [uri, uri])
  })

  it("never publish what is outside of the task, hidden or behind a link", async () => {
    const client = await opened()
    const outside = temporary()
    Fs.writeFileSync(Path.join(outside, "secret.txt"), "secret")
    await client.prompt(`link ${outside} linked\nlink ${outside}/secret.txt s.txt\nwrite .env x\nwrite ok.txt x`)
    const paths = ["linked/secret.txt", "s.txt", ".env", "../../server.sqlite", "/etc/passwd", "", "artifacts/../.env"]
    const { result } = await publish(client, ...paths)
    assert.deepStrictEqual(
      result.files,
      paths.map((path) => ({ path, problem: "gone" }))
    )
    // An agent cannot have the copy written elsewhere.
    Fs.symlinkSync(outside, Path.join(client.task.folder, "artifacts", "files"))
    const blocked = await publish(client, "ok.txt")
    assert.deepStrictEqual(blocked.result.files, [{ path: "ok.txt", problem: "failed" }])
    assert.deepStrictEqual(Fs.readdirSync(outside), ["secret.txt"])
    for (const params of [{}, { paths: [] }, { paths: [1] }, { paths: Array.from({ length: 26 }, () => "a") }]) {
      const refused = await client.request("_vendor.ai/files/publish", { sessionId: client.task.taskId, ...params })
      assert.strictEqual(refused.error.code, -32602)
    }
    const foreign = await client.request("_vendor.ai/files/publish", { sessionId: "another", paths: ["ok.txt"] })
    assert.strictEqual(foreign.error.code, -32002)
  })

  it("are found in a folder with 100,000 others, while other tasks go on", async () => {
    const client = await opened()
    const other = await Client.loaded(await service().task())
    const many = Path.join(client.task.folder, "many")
    Fs.mkdirSync(many)
    for (let n = 0; n < 100_000; n++) Fs.closeSync(Fs.openSync(Path.join(many, String(n)), "w"))
    const turn = client.prompt("write report.md x")
    const from = performance.now()
    await other.prompt("echo quick")
    assert.isBelow(performance.now() - from, 5000)
    await turn
    const [{ files, more }] = offers(client)
    assert.deepStrictEqual([files, more], [[{ path: "report.md", size: 1, change: "created" }], 0])
  }, 60_000)
})

describe("a task that always posts the files of its turns", () => {
  const start = serviceOfTest()

  it("publishes them before the end of each turn, also after a restart, and stops when told", async () => {
    const dataDir = temporary()
    const first = await start({ dataDir })
    const client = await Client.loaded(await first.task())
    const { taskId } = client.task
    const always = (client: Client, value: unknown) =>
      client.request("_vendor.ai/files/always", { sessionId: taskId, always: value })
    assert.strictEqual((await always(client, "yes")).error.code, -32602)
    assert.deepStrictEqual((await always(client, true)).result, { always: true })
    await client.prompt("write report.md one")
    assert.deepStrictEqual(artifactUris(client), ["agent:///artifacts/files/report.md"])
    assert.deepStrictEqual(offers(client), [])
    await first.stop()
    const second = await start({ dataDir })
    const again = await Client.loaded(await second.reopen(taskId))
    await again.prompt(Array.from({ length: 27 }, (_, n) => `write f${n}.txt x`).join("\n"))
    const published = new Set(artifactUris(again).filter((uri) => /\/f\d+\.txt$/.test(uri)))
    assert.strictEqual(published.size, 25)
    assert.deepStrictEqual([offers(again)[0].files, offers(again)[0].more, offers(again)[0].always], [[], 2, true])
    await always(again, false)
    await again.prompt("write last.txt x")
    assert.deepStrictEqual(offers(again)[1].files, [{ path: "last.txt", size: 1, change: "created" }])
  })
})
