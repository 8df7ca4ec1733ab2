import { assert, describe, it } from "@effect/vitest"
import { Accounts } from "@heddle/server/accounts/Accounts"
import * as Administration from "@heddle/server/Administration"
import { Applications } from "@heddle/server/oauth/Applications"
import * as AcpSession from "@heddle/acp/AcpSession"
import * as PermissionOutcome from "@heddle/acp/Permission"
import * as Ticket from "@heddle/acp/Ticket"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { execFile, spawn, type ChildProcess } from "node:child_process"
import * as Fs from "node:fs"
import * as Net from "node:net"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterEach, beforeAll } from "vitest"
import * as TestServer from "../support/TestServer.ts"
import { Client, saysText, type Loose } from "./support/client.ts"
import { agent, temporary } from "./support/service.ts"

const program = fileURLToPath(new URL("../../bin/heddle-server.js", import.meta.url))

const immortal = fileURLToPath(new URL("./support/immortal.mjs", import.meta.url))
const soon = () => new Promise((resolve) => setTimeout(resolve, 20))
/**
 * How many milliseconds a supervisor waits at least before it kills; it takes three seconds where nothing else runs.
 */
const supervisorPatience = 10_000

describe("the program with real sandboxes", { timeout: 60_000 }, () => {
  const children = new Set<ChildProcess>()
  afterEach(() => {
    for (const child of children) child.kill("SIGKILL")
    children.clear()
  })

  const data = temporary()
  let token: string
  beforeAll(async () => {
    token = await grant()
  }, 60_000)

  /** The objects that a command prints. */
  const command = async (...args: ReadonlyArray<string>): Promise<Array<Loose>> => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args, "--data", data, "--json"])
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
  }

  /** An access token of a new application and account. */
  const grant = () =>
    Effect.gen(function* () {
      const { clientId } = yield* (yield* Applications).create({
        name: "Loom",
        redirectUris: ["http://127.0.0.1:9/back"]
      })
      const { userId } = yield* (yield* Accounts).create({ name: "Ada", credits: 10 })
      return yield* TestServer.grant(data, clientId, userId)
    }).pipe(Effect.provide(Administration.layer(data)), Effect.runPromise)

  const serve = async (command?: ReadonlyArray<string>, env: Record<string, string> = {}) => {
    const child = spawn(
      process.execPath,
      [
        program,
        "serve",
        "--port",
        "0",
        "--data",
        data,
        // Without isolation: these tests know the agent's processes by their ids on this machine.
        ...(command === undefined ? [] : ["--agent", command.join(" "), "--isolation", "none"])
      ],
      { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } }
    )
    children.add(child)
    child.stderr.resume()
    const ready = await new Promise<Loose>((resolve, reject) => {
      createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line)))
      child.once("exit", (code) => reject(new Error(`the service ended with ${code}`)))
    })
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
    const end = async (signal: NodeJS.Signals) => {
      child.kill(signal)
      const code = await ended
      children.delete(child)
      return code
    }
    return { url: String(ready.url), end }
  }

  const api = async (url: string, token: string, path: string, body?: object): Promise<Loose> => {
    const response = await fetch(`${url}/openapi/v2${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return response.json()
  }

  /** The task once it has link and token, or any further condition is met. */
  const taskWhen = async (url: string, token: string, id: string, fits: (task: Loose) => boolean): Promise<Loose> => {
    for (;;) {
      const task = await api(url, token, `/tasks/${id}`)
      if (task.link !== undefined && fits(task)) return task
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const place = (task: Loose) => ({
    taskId: String(task.task_id),
    link: String(task.link),
    sandboxUrl: String(task.sandboxLink),
    token: String(task.token),
    folder: Path.join(data, "sandboxes", task.task_id)
  })

  it("continues after kill -9 during a turn, with the full history", async () => {
    const plan = JSON.stringify(["completed", "in_progress"].map((status) => ({ content: status, status })))
    const first = await serve(agent())
    const created = await api(first.url, token, "/tasks", {
      prompt: `echo started\nplan ${plan}\ncount 2000 5\necho never`
    })
    assert.include(["CREATING", "working"], created.status)
    const one = await Client.loaded(place(await taskWhen(first.url, token, created.task_id, () => true)))
    await one.message(saysText("20 "))
    await first.end("SIGKILL")
    await one.until(() => one.ended)

    const second = await serve(agent())
    const task = await taskWhen(second.url, token, created.task_id, ({ status }) => status === "failed")
    const two = await Client.loaded(place(task))
    assert.deepStrictEqual(two.updates.slice(0, one.updates.length), one.updates)
    assert.match(two.text, /^started1 2 .*\n\nThe service was interrupted/)
    const told = two.messages.filter(({ method }) => method === "_vendor.ai/artifact").at(-1)?.params.artifact
    assert.deepStrictEqual(
      told.tasks.map(({ status }: Loose) => status),
      ["completed", "cancelled"]
    )
    const listed = await fetch(`${task.sandboxLink}/api/session/artifacts?type=tasks`, {
      headers: { authorization: `Bearer ${task.token}` }
    })
    const { data } = (await listed.json()) as Loose
    assert.deepStrictEqual(data.artifacts[0].artifact, told)
    // What the notice says of the price is true, and the next turn has it again.
    assert.match(two.text, /nothing was charged/)
    const used = async () => (await api(second.url, token, "/credit")).total_capacity_used
    assert.strictEqual(await used(), 0)
    assert.strictEqual((await two.prompt("echo after")).result.stopReason, "end_turn")
    assert.strictEqual(await used(), 1)
    assert.isTrue(two.text.endsWith("after"))
    assert.notInclude(two.text, "never")
    assert.strictEqual(await second.end("SIGTERM"), 0)
  })

  it("makes a summary from the last message when configured", async () => {
    const overviews = async (env: Record<string, string>) => {
      const server = await serve(agent(), env)
      const { task_id } = await api(server.url, token, "/tasks", { prompt: "echo All done." })
      const task = await taskWhen(server.url, token, task_id, ({ status }) => status === "completed")
      const headers = { authorization: `Bearer ${task.token}` }
      const listed = await fetch(`${task.sandboxLink}/api/session/artifacts?type=overview`, { headers })
      await server.end("SIGTERM")
      return ((await listed.json()) as Loose).data.artifacts.map(({ artifact }: Loose) => artifact.text)
    }
    assert.deepStrictEqual(await overviews({ HEDDLE_OVERVIEW: "last-message" }), ["All done."])
    assert.deepStrictEqual(await overviews({}), [])
  })

  it("stops in time with open streams and a running turn", async () => {
    const server = await serve(agent("stubborn"))
    const created = await api(server.url, token, "/tasks", { prompt: "echo started\nhang" })
    const one = await Client.open(place(await taskWhen(server.url, token, created.task_id, () => true)))
    await one.load()
    await one.message(saysText("started"))
    const began = Date.now()
    assert.strictEqual(await server.end("SIGTERM"), 0)
    assert.isBelow(Date.now() - began, supervisorPatience)
  })

  /** Stops a service whose agent ignores everything but SIGKILL; gives the milliseconds that it took. */
  const stopDuring = async (mode: "initialize" | "session/new" | "turn", meanwhile?: (url: string) => Net.Socket) => {
    const pidFile = Path.join(temporary(), "pid")
    const server = await serve([process.execPath, immortal, pidFile, mode])
    const created = await api(server.url, token, "/tasks", { prompt: "hello" })
    const client = await Client.open(place(await taskWhen(server.url, token, created.task_id, () => true)))
    await client.ask("initialize", { protocolVersion: 1, clientCapabilities: {} })
    const hanging = meanwhile?.(server.url)
    while (!Fs.existsSync(pidFile) || Fs.readFileSync(pidFile, "utf8") === "") await soon()
    const pid = Number(Fs.readFileSync(pidFile, "utf8"))
    const began = Date.now()
    assert.strictEqual(await server.end("SIGTERM"), 0)
    const took = Date.now() - began
    hanging?.destroy()
    assert.throws(() => process.kill(pid, 0), /ESRCH/)
    assert.isBelow(took, supervisorPatience)
    return took
  }

  for (const mode of ["initialize", "session/new"] as const) {
    it(`ends an agent that ignores everything but SIGKILL when the service stops during ${mode}`, async () => {
      await stopDuring(mode)
    })
  }

  it("ends such an agent during a turn, in time despite a hanging request", async () => {
    const without = await stopDuring("turn")
    const within = await stopDuring("turn", (url) => {
      const { hostname, port } = new URL(url)
      const half = Net.connect(Number(port), hostname)
      half.on("error", () => half.destroy())
      half.write(
        `POST /openapi/v2/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`
      )
      return half
    })
    // Such requests are waited for less than a second; until they end by themselves it would be minutes.
    assert.isBelow(within - without, 2500)
  })

  it("ends the agent of a task that is deleted from the command line, and administers tasks", async () => {
    const pidFile = Path.join(temporary(), "pid")
    const server = await serve([process.execPath, immortal, pidFile, "turn"])
    const { task_id } = await api(server.url, token, "/tasks", { prompt: "hello" })
    const client = await Client.open(place(await taskWhen(server.url, token, task_id, () => true)))
    while (!Fs.existsSync(pidFile) || Fs.readFileSync(pidFile, "utf8") === "") await soon()
    const pid = Number(Fs.readFileSync(pidFile, "utf8"))
    const [[listed], busy] = await Promise.all([
      command("task", "list", "--status", "working"),
      command("task", "archive", task_id).catch((error: Loose) => error)
    ])
    const { client_id, created_at, updated_at, user_id, ...rest } = listed
    assert.deepStrictEqual(rest, { task_id, status: "working", name: "hello", agent: "default" })
    assert.match(`${client_id} ${user_id}`, /^app_\w+ user_\w+$/)
    assert.isTrue(Date.parse(created_at) <= Date.parse(updated_at))
    assert.strictEqual(busy.code, 2)
    assert.match(
      busy.stderr,
      /^The task \S+ is working: only one that is idle, completed, failed can be archived\. Nothing was changed\.\n$/
    )

    assert.deepStrictEqual(await command("task", "delete", task_id), [{ task_id, status: "deleted" }])
    await client.until(() => client.ended, "the end of the stream")
    for (;;) {
      try {
        process.kill(pid, 0)
      } catch {
        break
      }
      await soon()
    }
    // Its ticket is deleted with its other rows, a moment later.
    assert.include([401, 404], (await client.connect()).status)
    assert.strictEqual((await api(server.url, token, `/tasks/${task_id}`)).error, "not_found")
    const deleted = await command("task", "list", "--status", "deleted", "--user", user_id, "--app", client_id)
    assert.deepStrictEqual(
      deleted.map((task) => task.task_id),
      [task_id]
    )
    assert.strictEqual(await server.end("SIGTERM"), 0)
  })

  it("connects the client package with the demo agent: a question, files, a second connection", async () => {
    const { url } = await serve()
    const created = await api(url, token, "/tasks", { prompt: "What is in this file?", initial_prompt: "hold" })
    const id = String(created.task_id)
    assert.strictEqual((await taskWhen(url, token, id, ({ status }) => status === "idle")).status, "idle")

    const rows = Array.from({ length: 200 }, (_, n) => `${n},${["EU", "US"][n % 2]},${(n * 37) % 101}`).join("\n")
    const csv = `id,region,price\n${rows}\n`
    const state = await Effect.gen(function* () {
      const ticket = yield* Ticket.make(
        Effect.map(
          Effect.promise(() => taskWhen(url, token, id, () => true)),
          (task) => ({
            link: String(task.link),
            token: Redacted.make(String(task.token)),
            expireAt: Number(task.expire_at)
          })
        )
      )
      const session = yield* AcpSession.open({ sessionId: id, ticket })
      const answering = yield* session.changes.pipe(
        Stream.filter((event) => event._tag === "PermissionRequested"),
        Stream.runForEach(({ permission }) =>
          session.answerPermission(permission.requestId, PermissionOutcome.selected(permission.options[0]!.optionId))
        ),
        Effect.fork
      )
      const end = yield* session.prompt([
        { type: "text", text: "What is in this file?" },
        { type: "resource", resource: { uri: "file:///orders.csv", mimeType: "text/csv", text: csv } }
      ])
      assert.strictEqual(end.stopReason, "end_turn")
      yield* Fiber.interrupt(answering)
      const mine = yield* session.state
      const late = yield* AcpSession.open({ sessionId: id, ticket })
      const theirs = yield* late.state
      assert.deepStrictEqual(
        theirs.entries.map((entry) => (entry._tag === "Message" ? [entry.role, entry.text] : [entry._tag, entry.key])),
        mine.entries.map((entry) => (entry._tag === "Message" ? [entry.role, entry.text] : [entry._tag, entry.key]))
      )
      return mine
    }).pipe(Effect.scoped, Effect.runPromise)
    const said = state.entries.flatMap((entry) =>
      entry._tag === "Message" && entry.role === "agent" ? [entry.text] : []
    )
    assert.include(said.join("\n"), "200")

    const task = await taskWhen(url, token, id, ({ status }) => status === "completed")
    const response = await fetch(`${task.sandboxLink}/api/session/artifacts`, {
      headers: { authorization: `Bearer ${task.token}` }
    })
    const { data: listed } = (await response.json()) as Loose
    const types = new Set(listed.artifacts.map(({ artifact }: Loose) => artifact.type))
    assert.sameMembers([...types], ["plan", "tasks", "media", "overview"])
    const image = listed.artifacts.find(({ artifact }: Loose) => artifact.mimeType === "image/png")
    assert.isAbove(image.artifact.width, 100)
    const bytes = Buffer.from(await (await fetch(image.url)).arrayBuffer())
    assert.strictEqual(bytes.length, image.artifact.size)
    assert.isTrue(Fs.existsSync(Path.join(data, "sandboxes", id, "artifacts")))
  })
})
