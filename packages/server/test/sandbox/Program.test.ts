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
import { spawn, type ChildProcess } from "node:child_process"
import * as Fs from "node:fs"
import * as Net from "node:net"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterEach, beforeAll } from "vitest"
import { program, run, runHere } from "../support/Commands.ts"
import * as TestServer from "../support/TestServer.ts"
import { Client, saysText, type Loose } from "./support/client.ts"
import { agent, temporary } from "./support/service.ts"

const immortal = fileURLToPath(new URL("./support/immortal.mjs", import.meta.url))
const scripted = agent().join(" ")
const soon = () => new Promise((resolve) => setTimeout(resolve, 20))
/** The process id that a file names, once it does. */
const written = async (file: string) => {
  while (!Fs.existsSync(file) || Fs.readFileSync(file, "utf8") === "") await soon()
  return Number(Fs.readFileSync(file, "utf8"))
}
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

  /** Runs a command beside the service. */
  const command = (...args: ReadonlyArray<string>) => Effect.runPromise(runHere([...args, "--data", data, "--json"]))

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

  /** Serves with these agents; without any, with the demo agent. */
  const serve = async (agents: ReadonlyArray<string> = [], env: Record<string, string> = {}) => {
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
        ...(agents.length === 0 ? [] : ["--isolation", "none"]),
        ...agents.flatMap((each) => ["--agent", each])
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

  /** The summaries of a new task that has ended. */
  const overviews = async (url: string) => {
    const { task_id } = await api(url, token, "/tasks", { prompt: "echo All done." })
    const task = await taskWhen(url, token, task_id, ({ status }) => status === "completed")
    const headers = { authorization: `Bearer ${task.token}` }
    const listed = await fetch(`${task.sandboxLink}/api/session/artifacts?type=overview`, { headers })
    return ((await listed.json()) as Loose).data.artifacts.map(({ artifact }: Loose) => artifact.text)
  }

  it("continues after kill -9 during a turn, with the full history", async () => {
    const plan = JSON.stringify(["completed", "in_progress"].map((status) => ({ content: status, status })))
    const first = await serve([scripted])
    assert.deepStrictEqual(await overviews(first.url), [], "a summary comes where it is configured")
    const used = async (url: string) => (await api(url, token, "/credit")).total_capacity_used
    const before = await used(first.url)
    const created = await api(first.url, token, "/tasks", {
      prompt: `echo started\nplan ${plan}\ncount 2000 5\necho never`
    })
    assert.include(["CREATING", "working"], created.status)
    const one = await Client.loaded(place(await taskWhen(first.url, token, created.task_id, () => true)))
    await one.message(saysText("20 "))
    await first.end("SIGKILL")
    await one.until(() => one.ended)

    const second = await serve([scripted], { HEDDLE_OVERVIEW: "last-message" })
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
    assert.strictEqual(await used(second.url), before)
    assert.strictEqual((await two.prompt("echo after")).result.stopReason, "end_turn")
    assert.strictEqual(await used(second.url), before + 1)
    assert.isTrue(two.text.endsWith("after"))
    assert.notInclude(two.text, "never")
    assert.deepStrictEqual(await overviews(second.url), ["All done."])
    assert.strictEqual(await second.end("SIGTERM"), 0)
  })

  /**
   * Stops a service amid agents that ignore the end of a turn, or all but SIGKILL at every step; gives the milliseconds
   * that it took.
   */
  const stopAmid = async (meanwhile?: (url: string) => Net.Socket) => {
    const folder = temporary()
    const steps = { initialize: "initialize", session: "session/new", turn: "turn" }
    const pidFile = (name: string) => Path.join(folder, name)
    const immortals = Object.entries(steps).map(
      ([name, step]) => `${name}=${process.execPath} ${immortal} ${pidFile(name)} ${step}`
    )
    const server = await serve([...immortals, `stubborn=${agent("stubborn").join(" ")}`])
    const open = async (name: string, prompt: string) => {
      const created = await api(server.url, token, "/tasks", { prompt, agent: name })
      return Client.open(place(await taskWhen(server.url, token, created.task_id, () => true)))
    }
    const running = await open("stubborn", "echo started\nhang")
    await running.load()
    await running.message(saysText("started"))
    const pids = await Promise.all(
      Object.keys(steps).map(async (name) => {
        const client = await open(name, "hello")
        await client.ask("initialize", { protocolVersion: 1, clientCapabilities: {} })
        return await written(pidFile(name))
      })
    )
    const hanging = meanwhile?.(server.url)
    const began = Date.now()
    assert.strictEqual(await server.end("SIGTERM"), 0)
    const took = Date.now() - began
    hanging?.destroy()
    for (const pid of pids) assert.throws(() => process.kill(pid, 0), /ESRCH/)
    assert.isBelow(took, supervisorPatience)
    return took
  }

  it("stops in time with open streams and agents that end by SIGKILL alone, despite a hanging request", async () => {
    const without = await stopAmid()
    const within = await stopAmid((url) => {
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
    const server = await serve([`${process.execPath} ${immortal} ${pidFile} turn`])
    const { task_id } = await api(server.url, token, "/tasks", { prompt: "hello" })
    const client = await Client.open(place(await taskWhen(server.url, token, task_id, () => true)))
    const pid = await written(pidFile)
    const listed = JSON.parse((await command("task", "list", "--status", "working")).out)
    const busy = await command("task", "archive", task_id)
    const { client_id, created_at, updated_at, user_id, ...rest } = listed
    assert.deepStrictEqual(rest, { task_id, status: "working", name: "hello", agent: "default" })
    assert.match(`${client_id} ${user_id}`, /^app_\w+ user_\w+$/)
    assert.isTrue(Date.parse(created_at) <= Date.parse(updated_at))
    assert.strictEqual(busy.status, 2)
    assert.match(
      busy.err,
      /^The task \S+ is working: only one that is idle, completed, failed can be archived\. Nothing was changed\.\n$/
    )

    const gone = await Effect.runPromise(run(["task", "delete", task_id, "--data", data, "--json"]))
    assert.deepStrictEqual(JSON.parse(gone.out), { task_id, status: "deleted" })
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
    assert.strictEqual(JSON.parse(deleted.out).task_id, task_id)
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
