import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { list, pushes, update } from "../support/artifacts.ts"
import { Client, type Loose, type Message } from "../support/client.ts"
import { start, temporary } from "../support/service.ts"
import { serviceOfSuite } from "../support/suite.ts"

/** How many artifacts are paged through: HEDDLE_ROUNDS=2000 by hand. */
const many = Number(process.env["HEDDLE_ROUNDS"] ?? 200)

describe("the sources of artifacts", () => {
  const { opened } = serviceOfSuite()
  const notices = (client: Client) =>
    client.messages.filter(({ params }: Message) => params?.update?._meta?.["heddle/notice"] === true)

  it("uses an agent's artifact for a file as its description, and accepts only uris of the agent's own", async () => {
    const client = await opened()
    const { folder } = client.task
    const say = (artifact: object) => `artifact ${JSON.stringify({ event: "created", artifact })}`
    const file = pathToFileURL(Path.join(folder, "artifacts", "a b.txt")).href
    await client.prompt("write artifacts/a%20b.txt hello\nwrite artifacts/c.txt c".replace("%20", "-"))
    Fs.renameSync(Path.join(folder, "artifacts", "a-b.txt"), Path.join(folder, "artifacts", "a b.txt"))
    await client.until(() => pushes(client).some(({ artifact }) => artifact.name === "a b.txt"), "the file")
    await client.prompt(
      [
        say({ type: "media", uri: file, title: "A letter", description: "To B", size: 999 }),
        say({ type: "media", uri: "file:///etc/passwd" }),
        say({ type: "overview", uri: "agent:///elsewhere", text: "x" }),
        say({ type: "plan", uri: "agent:///artifacts/p" }),
        say({ type: "tasks", uri: "agent:///artifacts/t", tasks: [{ id: 1 }] }),
        say({ type: "overview", uri: "agent:///artifacts/o", text: "x".repeat(1_100_000) }),
        say({ type: "hologram", uri: "agent:///artifacts/h", depth: 3 })
      ].join("\n")
    )
    Fs.writeFileSync(Path.join(folder, "artifacts", "a b.txt"), "hello again")
    await client.until(() => pushes(client).at(-1).artifact.size === 11, "the changed file")
    const { artifacts } = await list(client.task)
    assert.deepStrictEqual(
      artifacts.map(({ artifact }: Loose) => [artifact.uri, artifact.title, artifact.description, artifact.size]),
      [
        ["agent:///artifacts/c.txt", "c.txt", undefined, 1],
        ["agent:///artifacts/a%20b.txt", "A letter", "To B", 11],
        ["agent:///artifacts/h", undefined, undefined, undefined]
      ]
    )
  })

  it("keeps an agent's description of a file that is found later, and the file's own facts", async () => {
    const client = await opened()
    const say = (event: string, artifact: object) => `artifact ${JSON.stringify({ event, artifact })}`
    const words = { title: "My letter", description: "To B" }
    const lies = { size: 999, mimeType: "image/png", contentType: "image", width: 5, height: 5, createdAt: 1 }
    const uri = "agent:///artifacts/letter.txt"
    const began = Date.now() - 1000
    await client.prompt(
      [
        say("created", { type: "media", uri: "agent:///artifacts/no file.txt", ...lies }),
        "write artifacts/letter.txt hello",
        say("created", { type: "media", uri, ...words, ...lies }),
        "write artifacts/plan.md # Heading",
        say("created", { type: "plan", uri: "agent:///artifacts/plan.md", text: "# Heading", title: "The plan" })
      ].join("\n")
    )
    const entryOf = async (uri: string) =>
      (await list(client.task)).artifacts.find(({ artifact }: Loose) => artifact.uri === uri)
    const facts = ({ artifact }: Loose) => [
      artifact.type,
      artifact.title,
      artifact.description,
      artifact.size,
      artifact.mimeType,
      artifact.contentType,
      artifact.width
    ]
    const expected = ["media", "My letter", "To B", 5, "text/plain", "document", undefined]
    const letter = await entryOf(uri)
    assert.deepStrictEqual(facts(letter), expected)
    assert.match(letter.md5, /^[0-9a-f]{32}$/)
    assert.isAbove(letter.artifact.createdAt, began)
    assert.isString(letter.url)
    // The same file, reported again: it keeps its type, even if the report names another.
    const count = pushes(client).length
    await client.prompt(say("updated", { type: "overview", uri, text: "x", ...words, ...lies }))
    await client.prompt(say("deleted", { type: "media", uri }))
    assert.deepStrictEqual(facts(await entryOf(uri)), expected)
    assert.lengthOf(pushes(client), count)

    const plan = await entryOf("agent:///artifacts/plan.md")
    assert.deepStrictEqual([plan.artifact.title, plan.artifact.version, plan.artifact.size], ["The plan", 1, 9])
    await client.prompt("write artifacts/plan.md # Another heading")
    assert.strictEqual(pushes(client).at(-1).artifact.title, "The plan")

    // What is no file has no address; when it comes, it has one.
    const missing = await entryOf("agent:///artifacts/no%20file.txt")
    assert.isUndefined(missing.url)
    Fs.writeFileSync(Path.join(client.task.folder, "artifacts", "no file.txt"), "here")
    await client.until(() => pushes(client).at(-1).artifact.name === "no file.txt", "the file")
    const there = await entryOf("agent:///artifacts/no%20file.txt")
    assert.strictEqual(await (await fetch(there.url)).text(), "here")
  })

  it("refuses foreign uris, normalizes uris, and completes task lists", async () => {
    const client = await opened()
    const say = (artifact: object) => `artifact ${JSON.stringify({ event: "created", artifact })}`
    const bad = ["../x", "a/../../x", "a/%2e%2e/x", "..%2fx", "a%0Ab", "a\u0001b", "a//b", "", "%", "a%5c..%5cb", "."]
    const tasks = [
      { content: "one", status: "completed" },
      { id: "own", content: "two", order: 7 },
      { content: "three" }
    ]
    await client.prompt(
      [
        ...bad.map((path) => say({ type: "overview", uri: `agent:///artifacts/${path}`, text: "x" })),
        say({ type: "overview", uri: "agent:///artifacts/a b%63", text: "x" }),
        say({ type: "overview", uri: "agent:///artifacts/a%20bc", text: "y" }),
        say({ type: "tasks", uri: "agent:///artifacts/t", tasks }),
        say({
          type: "tasks",
          uri: "agent:///artifacts/t",
          tasks: [{ content: "three", status: "odd" }, ...tasks.slice(0, 2)]
        })
      ].join("\n")
    )
    assert.deepStrictEqual(
      pushes(client).map(({ artifact, event }) => [event, artifact.uri]),
      [
        ["created", "agent:///artifacts/a%20bc"],
        ["updated", "agent:///artifacts/a%20bc"],
        ["created", "agent:///artifacts/t"],
        ["updated", "agent:///artifacts/t"]
      ]
    )
    const lines = (push: Loose) => push.artifact.tasks.map(({ id, order, status }: Loose) => [id, status, order])
    assert.deepStrictEqual(lines(pushes(client)[2]), [
      ["task-1", "completed", 0],
      ["own", "pending", 7],
      ["task-3", "pending", 2]
    ])
    assert.deepStrictEqual(lines(pushes(client)[3]), [
      ["task-3", "pending", 0],
      ["task-1", "completed", 1],
      ["own", "pending", 7]
    ])
  })

  it("reports omitted files once per task and kind, also after a restart", async () => {
    const dataDir = temporary()
    const first = await start({ dataDir })
    const client = await Client.loaded(await first.task())
    const { folder, taskId } = client.task
    const odd = (n: number) => {
      Fs.symlinkSync("nowhere", Path.join(folder, "artifacts", `link ${n}`))
      Fs.writeFileSync(Path.join(folder, "artifacts", `a\n${n}`), "")
      Fs.mkdirSync(Path.join(folder, "artifacts", `${n}/${"deep/".repeat(24)}`), { recursive: true })
    }
    odd(1)
    await client.until(() => notices(client).length === 3, "the notices")
    odd(2)
    await client.prompt("echo done")
    const words = notices(client).map(({ params }) => params?.update.content.text)
    assert.lengthOf(words, 3)
    assert.match(words.join(" "), /24 folders deep/)
    assert.match(words.join(" "), /[Ll]inks/)
    assert.match(words.join(" "), /control characters/)
    await first.stop()
    const second = await start({ dataDir })
    const again = await Client.loaded(await second.reopen(taskId))
    Fs.writeFileSync(Path.join(folder, "artifacts", "new.txt"), "")
    await again.prompt("echo done")
    await again.prompt("wait 300")
    assert.lengthOf(notices(again), 3)
    await second.stop()
  })

  it("remembers announced artifacts after a restart, and survives a replaced folder", async () => {
    const dataDir = temporary()
    const first = await start({ dataDir })
    const client = await Client.loaded(await first.task())
    const { folder, taskId } = client.task
    await client.prompt("write artifacts/a.txt a\nwrite artifacts/plan.md # Plan\nwrite artifacts/b.txt b")
    assert.lengthOf(pushes(client), 3)
    await first.stop()
    Fs.writeFileSync(Path.join(folder, "artifacts", "b.txt"), "changed meanwhile")

    const second = await start({ dataDir })
    const again = await Client.loaded(await second.reopen(taskId))
    await again.prompt("echo done")
    assert.deepStrictEqual(
      pushes(again)
        .map(({ artifact, event }) => [event, artifact.name])
        .toSorted(),
      [
        ["created", "a.txt"],
        ["created", "b.txt"],
        ["created", "plan.md"],
        ["updated", "b.txt"]
      ]
    )
    await second.stop()
    Fs.rmSync(Path.join(folder, "artifacts"), { recursive: true })
    Fs.symlinkSync("/nowhere", Path.join(folder, "artifacts"))

    const third = await start({ dataDir })
    const last = await Client.loaded(await third.reopen(taskId))
    assert.strictEqual((await last.prompt("echo done")).result?.stopReason, "end_turn")
    assert.lengthOf(
      pushes(last).filter(({ event }) => event === "deleted"),
      3
    )
    await third.stop()
  })

  it("announces a file during a turn, soon after it was written", async () => {
    const client = await opened()
    const turn = client.prompt("write artifacts/now.txt now\ncount 100000 5")
    await client.until(() => pushes(client).length === 1, "the file")
    const seen = Date.now()
    const { mtimeMs } = Fs.statSync(Path.join(client.task.folder, "artifacts", "now.txt"))
    const times = [seen - mtimeMs]
    for (let n = 1; n < 5; n++) {
      const began = Date.now()
      Fs.writeFileSync(Path.join(client.task.folder, "artifacts", `${n}.txt`), "now")
      await client.until(() => pushes(client).length === n + 1, "the next file")
      times.push(Date.now() - began)
    }
    console.log(`files were told ${times.map(Math.round).join(", ")} ms after they were written`)
    // A fifth of a second on a machine with nothing else to do.
    assert.isBelow(Math.min(...times), 1000)
    assert.isBelow(Math.max(...times), 5000)
    assert.isFalse(client.messages.some(({ result }) => result?.stopReason !== undefined))
    await client.notify("session/cancel", { sessionId: client.task.taskId })
    await turn
  })

  it("reports once that there are more files than it shows", async () => {
    const small = await start({ sandbox: { artifactFiles: 50 } })
    const client = await Client.loaded(await small.task())
    const folder = Path.join(client.task.folder, "artifacts", "many")
    Fs.mkdirSync(folder)
    for (let n = 0; n < 60; n++) Fs.writeFileSync(Path.join(folder, String(n)), "")
    await client.until(() => notices(client).length > 0, "the notice")
    await client.until(() => pushes(client).length === 50, "the files")
    const { pagination } = await list(client.task, "?limit=1")
    assert.strictEqual(pagination.total, 50)
    assert.match(notices(client)[0]!.params!.update.content.text, /at most 50 of its files are shown/)
    await client.prompt("echo done")
    assert.lengthOf(notices(client), 1)
    const late = await Client.open(client.task)
    await late.load()
    assert.lengthOf(pushes(late), 50)
    await small.stop()
  })

  it("makes a summary from the last message when configured, unless the agent sends one", async () => {
    const summing = await start({ sandbox: { overview: true } })
    const client = await Client.loaded(await summing.task())
    const tool = update({ sessionUpdate: "tool_call", toolCallId: "t", title: "t" })
    await client.prompt(`echo I will look.\n${tool}\necho It is\necho  done.`)
    assert.deepStrictEqual(
      pushes(client).map(({ artifact }) => [artifact.type, artifact.uri, artifact.text]),
      [["overview", `agent:///artifacts/${client.task.taskId}/overview`, "It is done."]]
    )
    const order = client.messages.map(({ params, result }) => params?.artifact?.type ?? result?.stopReason)
    assert.isBelow(order.indexOf("overview"), order.indexOf("end_turn"))
    const own = { event: "created", artifact: { type: "overview", uri: "agent:///artifacts/own", text: "Mine" } }
    await client.prompt(`echo hello\nartifact ${JSON.stringify(own)}`)
    assert.deepStrictEqual(
      pushes(client).map(({ artifact }) => artifact.text),
      ["It is done.", "Mine"]
    )
    await summing.stop()

    const plain = await opened()
    await plain.prompt("echo hello")
    assert.lengthOf(pushes(plain), 0)
  })

  it("pages through changing artifacts without missing an unchanged one", { timeout: 60_000 }, async () => {
    const client = await opened()
    const { task } = client
    const folder = Path.join(task.folder, "artifacts")
    const name = (n: number) => `${String(n).padStart(5, "0")}.txt`
    const write = (n: number, text: string) => Fs.writeFileSync(Path.join(folder, name(n)), text)
    for (let n = 0; n < many; n++) write(n, String(n))
    const written = Date.now()
    await client.until(() => pushes(client).length === many, "the files")

    console.log(`${many} files: all pushed ${Date.now() - written} ms after the last was written`)

    const page = Math.max(20, many / 20)
    let next = many
    let rounds = 0
    const walk = async () => {
      const found = new Map<string, Loose>()
      for (let offset = 0; ; offset += page) {
        // New ones appear and old ones change between any two pages.
        for (let more = 0; more < 10; more++) write(next++, "new")
        for (let changed = 0; changed < 10; changed++) write((offset * 7 + changed * 13) % many, `changed ${next}`)
        const { artifacts, pagination } = await list(task, `?limit=${page}&offset=${offset}`)
        for (const entry of artifacts) {
          assert.isFalse(found.has(entry.artifact.uri), "no artifact comes twice")
          found.set(entry.artifact.uri, entry)
        }
        assert.isAtLeast(pagination.total, many)
        if (!pagination.hasMore) return found
      }
    }
    for (; rounds < 2; rounds++) {
      const found = await walk()
      for (let n = 0; n < many; n++) assert.isTrue(found.has(`agent:///artifacts/${name(n)}`), name(n))
    }
    // At rest the list is what was pushed.
    await client.until(() => new Set(pushes(client).map(({ artifact }) => artifact.uri)).size === next, "all files")
    await client.prompt("echo done")
    const pushed = new Map(pushes(client).map(({ artifact }) => [artifact.uri, artifact]))
    const { artifacts } = await list(task)
    assert.lengthOf(artifacts, next)
    for (const { artifact } of artifacts) assert.deepStrictEqual(artifact, pushed.get(artifact.uri))
    const times = artifacts.map(({ artifact }: Loose) => `${artifact.createdAt} ${artifact.uri}`)
    assert.deepStrictEqual(times, times.toSorted())
  })
})
