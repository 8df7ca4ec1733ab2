import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import * as Http from "node:http"
import * as Path from "node:path"
import { Client, saysText, type Loose, type Message } from "../support/client.ts"
import { temporary, type Task } from "../support/service.ts"
import { serviceOfSuite } from "../support/suite.ts"

const png = "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEklEQVR4nGP8z8DAwMDAxAADAA8QAQWzO7qXAAAAAElFTkSuQmCC"

describe("artifacts", () => {
  const { opened, service } = serviceOfSuite()
  const pushes = ({ messages }: Pick<Client, "messages">) =>
    messages.filter(({ method }) => method === "_vendor.ai/artifact")
  const summary = ({ params }: Message) => [params.event, params.artifact.type, params.artifact.uri]
  const bearer = (task: Task) => ({ authorization: `Bearer ${task.token}` })
  const list = async (task: Task, query = "") => {
    const response = await fetch(`${task.sandboxUrl}/api/session/artifacts${query}`, { headers: bearer(task) })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Loose }
  }

  it("turns plans into a task list with stable ids, and files into media, before the end of the turn", async () => {
    const client = await opened()
    const { taskId } = client.task
    const entries = (...statuses: ReadonlyArray<string>) =>
      JSON.stringify(statuses.map((status, n) => ({ content: `step ${n}`, priority: "medium", status })))
    await client.prompt(
      [
        `plan ${entries("in_progress", "pending")}`,
        `plan ${entries("completed", "in_progress", "pending")}`,
        `plan ${entries("completed", "in_progress", "pending")}`,
        `write artifacts/chart.png ${png}`,
        "write artifacts/notes/read%20me.md # Hello",
        "link /etc/passwd artifacts/passwd",
        "write artifacts/.hidden no",
        "write outside.txt no"
      ].join("\n")
    )
    const told = pushes(client)
    const media = told.slice(2).sort((a, b) => (String(summary(a)) < String(summary(b)) ? -1 : 1))
    assert.deepStrictEqual(told.slice(0, 2).map(summary), [
      ["created", "tasks", `agent:///artifacts/${taskId}/tasks`],
      ["updated", "tasks", `agent:///artifacts/${taskId}/tasks`]
    ])
    assert.deepStrictEqual(media.map(summary), [
      ["created", "media", "agent:///artifacts/chart.png"],
      ["created", "media", "agent:///artifacts/notes/read%2520me.md"]
    ])
    assert.deepStrictEqual(
      told[1]?.params.artifact.tasks.map(({ id, status, order }: Loose) => [id, status, order]),
      [
        ["task-1", "completed", 0],
        ["task-2", "in_progress", 1],
        ["task-3", "pending", 2]
      ]
    )
    assert.isAbove(told[1]?.params.artifact.updatedAt, told[0]?.params.artifact.updatedAt)
    const bytes = Buffer.from(png, "base64")
    const { width, height, mimeType, contentType, size } = media[0]!.params!.artifact
    assert.deepStrictEqual([width, height, mimeType, contentType, size], [3, 2, "image/png", "image", bytes.length])
    // Files of the folder that were still being written are offered again later.
    const end = client.messages.findIndex(({ result }) => result?.stopReason === "end_turn")
    assert.deepStrictEqual(pushes({ messages: client.messages.slice(0, end) }), told)

    const { body } = await list(client.task)
    const entry = body.data.artifacts.find(({ artifact }: Loose) => artifact.uri === "agent:///artifacts/chart.png")
    assert.deepStrictEqual(entry.artifact, media[0]?.params.artifact)
    assert.strictEqual(entry.md5, createHash("md5").update(bytes).digest("hex"))
    const direct = await fetch(entry.url)
    assert.strictEqual(direct.headers.get("content-type"), "image/png")
    assert.deepStrictEqual(Buffer.from(await direct.arrayBuffer()), bytes)
    const byUri = entry.artifact.uri.replace("agent:///", `${client.task.sandboxUrl}/`)
    assert.strictEqual((await fetch(byUri)).status, 401)
    const withTicket = await fetch(byUri, { headers: bearer(client.task) })
    assert.deepStrictEqual(Buffer.from(await withTicket.arrayBuffer()), bytes)
    for (const broken of [
      entry.url.replace("chart", "chart2"),
      entry.url.slice(0, -1),
      entry.url.replace(/expires=\d+/, "expires=99999999999999")
    ]) {
      assert.strictEqual((await fetch(broken)).status, 401)
    }
  })

  it("cancels the open entries of the task list before the end of an interrupted turn", async () => {
    const steps = `plan ${JSON.stringify(
      ["completed", "in_progress", "pending"].map((status, n) => ({ content: `step ${n}`, status }))
    )}`
    const statuses = (artifact: Loose) => artifact.tasks.map(({ status }: Loose) => status)
    const stopped = ["completed", "cancelled", "cancelled"]

    const client = await opened()
    const turn = client.prompt(`${steps}\ncount 2000 5`)
    await client.message(saysText("3 "))
    await client.notify("session/cancel", { sessionId: client.task.taskId })
    await turn
    const last = client.messages.slice(-2)
    assert.deepStrictEqual(statuses(last[0]?.params.artifact), stopped)
    assert.strictEqual(last[0]?.params.event, "updated")
    assert.strictEqual(last[1]?.result?.stopReason, "cancelled")
    const { body } = await list(client.task, "?type=tasks")
    assert.deepStrictEqual(statuses(body.data.artifacts[0].artifact), stopped)

    const orphan = await opened()
    await orphan.prompt(`${steps}\ndie`)
    assert.deepStrictEqual(statuses(pushes(orphan).at(-1)?.params.artifact), stopped)
    await orphan.prompt(steps)
    assert.deepStrictEqual(statuses(pushes(orphan).at(-1)?.params.artifact), ["completed", "in_progress", "pending"])
  })

  it("announces changed and deleted files, also outside of a turn", async () => {
    const client = await opened()
    const file = Path.join(client.task.folder, "artifacts", "a.txt")
    const seen = (count: number) => client.until(() => pushes(client).length >= count, `${count} pushes`)
    Fs.writeFileSync(file, "one")
    await seen(1)
    Fs.writeFileSync(file, "two!")
    await seen(2)
    await client.prompt("remove artifacts/a.txt")
    assert.deepStrictEqual(
      pushes(client).map(({ params }) => params.event),
      ["created", "updated", "deleted"]
    )
    const times = pushes(client).map(({ params }) => params.artifact.updatedAt)
    assert.isTrue(times[0] < times[1] && times[1] < times[2])
    assert.deepStrictEqual((await list(client.task)).body.data.artifacts, [])
    assert.deepStrictEqual((await list(client.task, "?includeDeleted=false")).body.data.artifacts, [])
    const { artifacts, pagination } = (await list(client.task, "?includeDeleted=true&limit=5")).body.data
    const uri = "agent:///artifacts/a.txt"
    assert.deepStrictEqual(artifacts, [
      { sessionId: client.task.taskId, event: "deleted", artifact: { type: "media", uri } }
    ])
    assert.strictEqual(pagination.total, 1)
    assert.strictEqual((await list(client.task, "?includeDeleted=yes")).status, 400)
    await service().rows(`UPDATE sandbox_artifacts SET updated_at = updated_at - 86400001 WHERE uri = '${uri}'`)
    assert.deepStrictEqual((await list(client.task, "?includeDeleted=true")).body.data.artifacts, [])
    await client.prompt("write artifacts/a.txt again")
    assert.strictEqual(pushes(client).at(-1)?.params.event, "created")
  })

  it("accepts the agent's own artifacts, and replays them on load", async () => {
    const client = await opened()
    const uri = "agent:///artifacts/agent-session/plan"
    const own = (text: string) =>
      JSON.stringify({ event: "created", artifact: { type: "plan", uri, title: "Plan", text } })
    await client.prompt(
      `artifact ${own("one")}\nartifact ${own("two")}\nartifact {"event":"created","artifact":{"title":"no uri"}}`
    )
    const told = pushes(client)
    assert.deepStrictEqual(
      told.map(({ params }) => [params.sessionId, params.event, params.artifact.version, params.artifact.text]),
      [
        [client.task.taskId, "created", 1, "one"],
        [client.task.taskId, "updated", 2, "two"]
      ]
    )
    const late = await Client.open(client.task)
    await late.load()
    assert.deepStrictEqual(pushes(late), told)
    const { body } = await list(client.task, "?type=plan")
    assert.strictEqual(body.data.artifacts[0].md5, createHash("md5").update("two").digest("hex"))
    assert.isUndefined(body.data.artifacts[0].url)
  })

  it("lists with filters and pages as in the contract", async () => {
    const client = await opened()
    await client.prompt(
      Array.from(
        { length: 7 },
        (_, n) =>
          `artifact ${JSON.stringify({ event: "created", artifact: { type: n < 5 ? "overview" : "plan", uri: `agent:///artifacts/x/${n}`, text: "" } })}`
      ).join("\n")
    )
    const all = await list(client.task)
    assert.strictEqual(all.headers.get("x-api-version"), "1")
    assert.strictEqual(all.body.code, 0)
    assert.strictEqual(all.body.msg, "success")
    assert.deepStrictEqual(all.body.data.pagination, { total: 7, returned: 7, limit: 0, offset: 0, hasMore: false })
    assert.deepStrictEqual(all.body.data.filter, { type: null, startMs: null, endMs: null })
    const page = await list(client.task, `?type=overview&limit=2&offset=2&sessionId=${client.task.taskId}`)
    assert.deepStrictEqual(page.body.data.pagination, { total: 5, returned: 2, limit: 2, offset: 2, hasMore: true })
    assert.deepStrictEqual(
      page.body.data.artifacts.map(({ artifact }: Loose) => artifact.uri),
      ["agent:///artifacts/x/2", "agent:///artifacts/x/3"]
    )
    const last = all.body.data.artifacts.at(-1).artifact.updatedAt
    assert.strictEqual(
      (await list(client.task, `?startMs=${last}`)).body.data.artifacts.at(-1).artifact.updatedAt,
      last
    )
    assert.deepStrictEqual((await list(client.task, `?startMs=${last + 1}`)).body.data.artifacts, [])
    assert.deepStrictEqual((await list(client.task, `?startMs=5&endMs=4`)).body.data.artifacts, [])
    assert.strictEqual((await list(client.task, "?offset=3")).body.data.pagination.returned, 7)
    for (const query of ["type=files", "limit=501", "limit=-1", "limit=x", "offset=-1", "startMs=1.5", "endMs="]) {
      const { status, body } = await list(client.task, `?${query}`)
      assert.deepStrictEqual([status, body.code], [400, 1], query)
    }
    assert.strictEqual((await list(client.task, "?type=files")).body.msg, "invalid type")
    assert.strictEqual((await list(client.task, "?sessionId=other")).status, 404)
    assert.strictEqual((await list(client.task, "?sessionId=&limit=1")).body.data.sessionId, client.task.taskId)
    const foreign = await service().task()
    assert.strictEqual((await list({ ...client.task, token: foreign.token })).status, 401)
    const bare = await fetch(`${client.task.sandboxUrl}/api/session/artifacts`)
    assert.strictEqual(bare.status, 401)
    assert.match(bare.headers.get("www-authenticate") ?? "", /^Bearer/)
    assert.deepStrictEqual(Object.keys((await bare.json()) as Loose), ["msg"])
    const media = await fetch(`${client.task.sandboxUrl}/artifacts/a.txt`)
    assert.deepStrictEqual([media.status, Object.keys((await media.json()) as Loose)], [401, ["msg"]])
  })

  it("serves ranges, conditional requests and safe headers", async () => {
    const client = await opened()
    await client.prompt("write artifacts/page.html <script>alert(1)</script>\nwrite artifacts/ten.txt 0123456789")
    const get = (name: string, headers: Record<string, string> = {}, method = "GET") =>
      fetch(`${client.task.sandboxUrl}/artifacts/${name}`, { method, headers: { ...bearer(client.task), ...headers } })
    const page = await get("page.html")
    assert.strictEqual(page.headers.get("content-security-policy"), "default-src 'none'; sandbox")
    assert.strictEqual(page.headers.get("x-content-type-options"), "nosniff")
    assert.match(page.headers.get("content-disposition") ?? "", /^attachment/)
    const whole = await get("ten.txt")
    assert.match(whole.headers.get("content-disposition") ?? "", /^inline/)
    const etag = whole.headers.get("etag") ?? ""
    assert.strictEqual(await whole.text(), "0123456789")
    assert.strictEqual((await get("ten.txt", { "if-none-match": etag })).status, 304)
    const parts: ReadonlyArray<readonly [string, number, string]> = [
      ["bytes=2-4", 206, "234"],
      ["bytes=7-", 206, "789"],
      ["bytes=-3", 206, "789"],
      ["bytes=5-99", 206, "56789"],
      ["bytes=10-", 416, ""],
      ["lines=1-2", 200, "0123456789"]
    ]
    for (const [range, status, text] of parts) {
      const response = await get("ten.txt", { range })
      assert.deepStrictEqual([response.status, await response.text()], [status, text], range)
    }
    assert.strictEqual((await get("ten.txt", { range: "bytes=0-1", "if-range": '"old"' })).status, 200)
    const head = await get("ten.txt", {}, "HEAD")
    assert.deepStrictEqual([head.status, head.headers.get("content-length")], [200, "10"])
  })

  it("refuses invalid media types of an agent, and leaves no file open", async () => {
    const client = await opened()
    const { taskId, folder, sandboxUrl } = client.task
    const uri = "agent:///artifacts/a.svg"
    const own = (mimeType: unknown) =>
      `artifact ${JSON.stringify({ event: "created", artifact: { type: "media", uri, mimeType } })}`
    await client.prompt("write artifacts/a.svg <svg/>")
    const get = () => fetch(`${sandboxUrl}/artifacts/a.svg`, { headers: bearer(client.task) })
    for (const declared of ["image/png\r\nx-evil: 1", "image", { a: 1 }, "Image/SVG+XML", "text/plain", "image/png"]) {
      await client.prompt(own(declared))
      const response = await get()
      assert.strictEqual(response.headers.get("content-type"), "image/svg+xml")
      assert.match(response.headers.get("content-disposition") ?? "", /^attachment/)
      assert.strictEqual(await response.text(), "<svg/>")
    }
    // A value from before it was checked.
    await service().rows(
      `UPDATE sandbox_artifacts SET artifact = json_set(artifact, '$.mimeType', 'a' || char(10) || 'b') WHERE task_id = '${taskId}'`
    )
    for (let times = 0; times < 5; times++) assert.strictEqual(await (await get()).text(), "<svg/>")
    const openFiles = () =>
      Fs.readdirSync("/proc/self/fd").filter((fd) => {
        try {
          return Fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder)
        } catch {
          return false
        }
      })
    if (Fs.existsSync("/proc/self/fd")) {
      const deadline = Date.now() + 5000
      while (openFiles().length > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
      assert.deepStrictEqual(openFiles(), [])
    }
  })

  it("serves only the listed files of its own folder", async () => {
    const client = await opened()
    const secret = Path.join(temporary(), "secret.txt")
    Fs.writeFileSync(secret, "secret")
    await client.prompt("write artifacts/ok.txt ok\nwrite artifacts/sub/in.txt in\nwrite private.txt secret")
    const folder = Path.join(client.task.folder, "artifacts")
    // After they were listed, files and folders are replaced by links that lead outside.
    Fs.rmSync(Path.join(folder, "ok.txt"))
    Fs.symlinkSync(secret, Path.join(folder, "ok.txt"))
    Fs.rmSync(Path.join(folder, "sub"), { recursive: true })
    Fs.mkdirSync(Path.join(Path.dirname(secret), "sub"))
    Fs.writeFileSync(Path.join(Path.dirname(secret), "sub", "in.txt"), "secret")
    Fs.symlinkSync(Path.join(Path.dirname(secret), "sub"), Path.join(folder, "sub"))
    const port = Number(new URL(client.task.link).port)
    const prefix = new URL(client.task.sandboxUrl).pathname
    const raw = (path: string) =>
      new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
        Http.get({ port, host: "127.0.0.1", path, headers: bearer(client.task) }, (response) => {
          let text = ""
          response.on("data", (piece) => (text += piece))
          response.on("end", () => resolve({ status: response.statusCode, text }))
        }).on("error", reject)
      })
    const attacks = [
      "artifacts/ok.txt",
      "artifacts/sub/in.txt",
      "artifacts/../private.txt",
      "artifacts/%2e%2e/private.txt",
      "artifacts/..%2fprivate.txt",
      "artifacts/%2e%2e%2fprivate.txt",
      "artifacts/..%5cprivate.txt",
      "artifacts/%252e%252e/private.txt",
      "artifacts/sub/../../private.txt",
      "artifacts//etc/passwd",
      "artifacts/%2fetc%2fpasswd",
      `artifacts/${encodeURIComponent(secret)}`,
      "artifacts/ok.txt%00.png",
      "artifacts/%",
      "artifacts/.session-agent",
      "artifacts/",
      "artifacts",
      "private.txt"
    ]
    for (const attack of attacks) {
      const { status, text } = await raw(`${prefix}/${attack}`)
      assert.strictEqual(status, 404, attack)
      assert.notInclude(text, "secret", attack)
    }
  })
})
