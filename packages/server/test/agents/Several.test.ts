import * as SessionState from "@heddle/acp/SessionState"
import { assert, describe, it } from "@effect/vitest"
import { demoAgent } from "@heddle/server/config/AgentOptions"
import { scriptedAgent } from "@heddle/test-support/Agents"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as TestBubblewrap from "../sandbox/support/bubblewrap.ts"
import * as Service from "./support/service.ts"

/** Writes down its environment before it becomes the agent. */
const telling = (...command: ReadonlyArray<string>) => [
  "/bin/sh",
  "-c",
  'env > environment.txt; exec "$@"',
  "sh",
  ...command
]

const demo = {
  name: "demo",
  command: telling(...(demoAgent() ?? [])),
  environment: ["HEDDLE_TEST_ONE"],
  isolation: "none"
} as const

const scripted = {
  name: "scripted",
  command: telling(process.execPath, scriptedAgent),
  environment: ["HEDDLE_TEST_TWO"],
  isolation: "none"
} as const

const variables = { HEDDLE_TEST_ONE: "of the demo agent", HEDDLE_TEST_TWO: "of the scripted agent" }

const textOf = (state: SessionState.SessionState) =>
  SessionState.messages(state, "agent")
    .map(({ text }) => text)
    .join("")

const started = Effect.gen(function* () {
  yield* Effect.acquireRelease(
    Effect.sync(() => Object.assign(process.env, variables)),
    () => Effect.sync(() => Object.keys(variables).forEach((name) => delete process.env[name]))
  )
  const service = yield* Service.make({ agents: [demo, scripted] })
  const create = (body: object) =>
    Effect.map(service.api("/openapi/v2/tasks", { prompt: "later", initial_prompt: "hold", ...body }), (task) => ({
      task,
      taskId: String(task.task_id),
      environment: () =>
        Fs.readFileSync(Path.join(service.dataDir, "sandboxes", String(task.task_id), "environment.txt"), "utf8")
    }))
  const prompt = (taskId: string, text: string) =>
    Effect.gen(function* () {
      const session = yield* service.attach(taskId, () => "allow_once")
      const result = yield* Effect.either(session.prompt([{ type: "text", text }]))
      return { result, said: textOf(yield* session.state) }
    }).pipe(Effect.scoped)
  return { service, create, prompt }
})

describe("a service with several agents", { timeout: 60_000 }, () => {
  it("runs each task with its own agent, which gets its own variables only", () =>
    Effect.gen(function* () {
      const { create, prompt, service } = yield* started
      assert.deepStrictEqual(yield* service.api("/openapi/v2/agents"), {
        agents: [{ name: "demo" }, { name: "scripted" }]
      })
      const first = yield* create({})
      const second = yield* create({ agent: "scripted" })
      assert.deepStrictEqual([first.task.agent, second.task.agent], ["demo", "scripted"])
      assert.match((yield* prompt(first.taskId, "echo hello")).said, /./)
      assert.strictEqual((yield* prompt(second.taskId, "echo hello")).said, "hello")
      assert.include(first.environment(), "HEDDLE_TEST_ONE=of the demo agent")
      assert.notInclude(first.environment(), "HEDDLE_TEST_TWO")
      assert.include(second.environment(), "HEDDLE_TEST_TWO=of the scripted agent")
      assert.notInclude(second.environment(), "HEDDLE_TEST_ONE")
      const { tasks } = yield* service.api("/openapi/v2/tasks")
      assert.deepStrictEqual(
        tasks.map(({ agent }: { readonly agent: string }) => agent),
        ["scripted", "demo"]
      )
    }).pipe(Effect.scoped, Effect.runPromise))

  it("keeps the agent of a task over a restart, whatever comes first then", () =>
    Effect.gen(function* () {
      const { create, prompt, service } = yield* started
      const { taskId } = yield* create({ agent: "scripted" })
      yield* prompt(taskId, "echo before")
      yield* service.stop
      yield* service.startWith({ agents: [scripted, demo] })
      const { taskId: other } = yield* create({ agent: "demo" })
      yield* service.stop
      yield* service.start
      assert.strictEqual((yield* prompt(taskId, "echo after")).said, "beforeafter")
      assert.strictEqual((yield* service.api(`/openapi/v2/tasks/${other}`)).agent, "demo")
    }).pipe(Effect.scoped, Effect.runPromise))

  it("says why a task does not go on whose agent is gone, and it goes on when the agent is back", () =>
    Effect.gen(function* () {
      const { create, prompt, service } = yield* started
      const { taskId } = yield* create({ agent: "scripted" })
      const { taskId: unused } = yield* create({ agent: "scripted" })
      yield* prompt(taskId, "echo before")
      yield* service.stop
      yield* service.startWith({ agents: [demo] })
      const { result, said } = yield* prompt(taskId, "echo after")
      assert.strictEqual(said, "before", "the history is there")
      assert(result._tag === "Left")
      const words =
        /works with the agent "scripted", which this service no longer offers\. Nothing was done and nothing was charged\. Start a new task\..* --agent scripted="COMMAND …"/
      assert.match(result.left.message, words)
      assert.strictEqual((yield* service.api(`/openapi/v2/tasks/${taskId}`)).agent, "scripted")
      const never = yield* prompt(unused, "echo first")
      assert(never.result._tag === "Left")
      assert.match(never.result.left.message, words)
      yield* service.stop
      yield* service.start
      assert.strictEqual((yield* prompt(taskId, "echo again")).said, "beforeagain")
      assert.match((yield* prompt(unused, "echo at last")).said, /at last$/)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("goes on with the tasks of an agent without a name when the operator names it", () =>
    Effect.gen(function* () {
      const { create, prompt, service } = yield* started
      yield* service.stop
      const { name: _, ...unnamed } = scripted
      yield* service.startWith({ agents: [unnamed] })
      const { task, taskId } = yield* create({})
      assert.strictEqual(task.agent, "default")
      yield* prompt(taskId, "echo before")
      yield* service.stop
      yield* service.startWith({ agents: [scripted, demo] })
      assert.strictEqual((yield* service.api(`/openapi/v2/tasks/${taskId}`)).agent, "scripted")
      assert.strictEqual((yield* prompt(taskId, "echo after")).said, "beforeafter")
    }).pipe(Effect.scoped, Effect.runPromise))

  it("signs each agent in with its own variables, and names the flags of the one that asks", () =>
    Effect.gen(function* () {
      const { create, prompt, service } = yield* started
      yield* service.stop
      const command = [process.execPath, scriptedAgent, "auth-key"]
      yield* Effect.acquireRelease(
        Effect.sync(() => Object.assign(process.env, { HEDDLE_TEST_KEY: "value" })),
        () => Effect.sync(() => delete process.env["HEDDLE_TEST_KEY"])
      )
      yield* service.startWith({
        agents: [
          { name: "locked", command, isolation: "none" },
          { name: "open", command, environment: ["HEDDLE_TEST_KEY"], isolation: "none" }
        ]
      })
      const { taskId: opened } = yield* create({ agent: "open" })
      assert.strictEqual((yield* prompt(opened, "echo hello")).said, "hello")
      const { taskId: locked } = yield* create({ agent: "locked" })
      const { result } = yield* prompt(locked, "echo hello")
      assert(result._tag === "Left")
      assert.match(
        result.left.message,
        /^The agent "locked" asks for a sign-in.* --agent-auth locked:METHOD .* --agent-env locked:NAME\./
      )
    }).pipe(Effect.scoped, Effect.runPromise))

  const problem = TestBubblewrap.problem()
  it.skipIf(problem !== undefined)("isolates each agent as its own flags say", () =>
    Effect.gen(function* () {
      const { create, prompt, service } = yield* started
      yield* service.stop
      const command = [
        "/bin/sh",
        "-c",
        'readlink /proc/self/ns/net > environment.txt; exec "$@"',
        "sh",
        process.execPath,
        scriptedAgent
      ]
      const shared = { command, readable: [scriptedAgent], isolation: "bubblewrap" } as const
      yield* service.startWith({
        agents: [
          { ...shared, name: "offline", network: false },
          { ...shared, name: "online", network: true },
          { ...shared, name: "free", isolation: "none" }
        ]
      })
      const networkOf = Effect.fnUntraced(function* (agent: string) {
        const { environment, taskId } = yield* create({ agent })
        assert.strictEqual((yield* prompt(taskId, "echo hello")).said, "hello")
        return environment().trim()
      })
      const own = Fs.readlinkSync("/proc/self/ns/net")
      assert.notStrictEqual(yield* networkOf("offline"), own)
      assert.strictEqual(yield* networkOf("online"), own)
      assert.strictEqual(yield* networkOf("free"), own)
      // The weakest counts, and no names are told to everybody.
      assert.deepStrictEqual(yield* service.api("/readyz"), {
        status: "ready",
        isolation: "process",
        agent_network: true
      })
    }).pipe(Effect.scoped, Effect.runPromise)
  )
})
