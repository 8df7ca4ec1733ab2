import { assert, describe, it } from "@effect/vitest"
import * as SandboxOptions from "@heddle/server/config/SandboxOptions"
import * as RunningAgents from "@heddle/server/sandbox/agent/RunningAgents"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Exit from "effect/Exit"
import { Client } from "../support/client.ts"
import { isAlive } from "../support/processes.ts"
import type { Started } from "../support/service.ts"
import { serviceOfTest } from "../support/suite.ts"

describe("the agents of a service", { timeout: 30_000 }, () => {
  const start = serviceOfTest()

  it("do not start for a task until a client comes", async () => {
    const service = await start({})
    const tasks = [await service.task(), await service.task()]
    for (const { taskId } of tasks) {
      while ((await service.status(taskId)) !== "idle") await new Promise((resolve) => setImmediate(resolve))
    }
    const client = await Client.loaded(tasks[0]!)
    assert.deepStrictEqual(await service.rows("SELECT task_id FROM sandboxes WHERE agent_info IS NOT NULL"), [
      { task_id: tasks[0]!.taskId }
    ])
    client.cut()
  })

  it("end for one another, the least recently used one first, and come back with their session", async () => {
    const service = await start({ sandbox: { maxAgents: 2 } })
    const clients = [await loaded(service), await loaded(service), await loaded(service)] as const
    const [one, two, three] = [await childOf(clients[0]), await childOf(clients[1]), await childOf(clients[2])]
    await dead(one)
    assert.deepStrictEqual([two, three].map(isAlive), [true, true])
    await clients[1].prompt("echo used again")
    const oneAgain = await childOf(clients[0])
    await dead(three)
    assert.deepStrictEqual([oneAgain, two].map(isAlive), [true, true])
    assert.notInclude(clients[0].updates.join(), "started anew")
    for (const client of clients) client.cut()
  })

  it("end for one another also after a prompt that was refused", async () => {
    const service = await start({ sandbox: { maxAgents: 1, agentWait: Duration.millis(300) } })
    const give = (pack: string) =>
      service.rows(`INSERT INTO credit_packs (pack_id, user_id, size, created_at) VALUES ('${pack}', 'user', 1, 0)`)
    const [one, two] = [await service.task(), await service.task()]
    await give("first")
    const first = await Client.loaded(one)
    await first.prompt("echo last credit")
    assert.strictEqual((await first.prompt("echo none")).error?.data.reason, "no_credits")
    await give("second")
    const second = await Client.loaded(two)
    assert.strictEqual((await second.prompt("echo on")).result?.stopReason, "end_turn")
    for (const client of [first, second]) client.cut()
  })

  it("are not ended while they work: a prompt waits for one, or is told that none became free", async () => {
    const service = await start({ sandbox: { maxAgents: 1, agentWait: Duration.millis(300) } })
    const [busy, other] = [await loaded(service), await loaded(service)]
    await busy.askPrompt("echo begun\ncount 100000 5")
    await busy.until(() => busy.text.includes("begun"))
    const refused = await other.prompt("echo none")
    assert.strictEqual(refused.error?.data.reason, "agent_limit")
    assert.match(
      refused.error?.message,
      /\(1\) are at work.*Nothing was done and nothing was charged.*send your message/
    )
    await cancel(busy)
    assert.strictEqual((await other.prompt("echo later")).result?.stopReason, "end_turn")
    for (const client of [busy, other]) client.cut()
  })

  it("are given to the prompts that wait, in their order", async () => {
    const service = await start({ sandbox: { maxAgents: 1 } })
    const [busy, second, third] = [await loaded(service), await loaded(service), await loaded(service)]
    await busy.askPrompt("echo begun\ncount 100000 5")
    await busy.until(() => busy.text.includes("begun"))
    const order: Array<string> = []
    const answered = async (client: Client, name: string) => {
      const answer = await client.answerTo(await client.askPrompt(`echo ${name}`))
      order.push(name)
      return answer
    }
    const answers = [answered(second, "second")]
    await working(service, second)
    answers.push(answered(third, "third"))
    await working(service, third)
    await cancel(busy)
    for (const { result } of await Promise.all(answers)) assert.strictEqual(result?.stopReason, "end_turn")
    assert.deepStrictEqual(order, ["second", "third"])
    for (const client of [busy, second, third]) client.cut()
  })

  it("are limited for each user, whose own agents end first", async () => {
    const { ended, run, untilEnded } = places({ maxAgents: 4, maxAgentsPerUser: 2 })
    const bea = run("bea", "bea 1")
    await bea.taken()
    bea.place.rest()
    const first = run("ada", "ada 1")
    const second = run("ada", "ada 2")
    await Promise.all([first.taken(), second.taken()])
    const third = run("ada", "ada 3")
    assert.deepStrictEqual(ended, [])
    second.place.rest()
    await untilEnded(["ada 2"])
    second.leave()
    await third.taken()
  })

  it("end once each, one for each that waits, and another one where one is used again", async () => {
    const { ended, run, untilEnded } = places({ maxAgents: 3 })
    const agents = [run("ada", "one"), run("ada", "two"), run("ada", "three")]
    for (const { place, taken } of agents) {
      await taken()
      place.rest()
    }
    const [one, two] = agents
    const first = run("ada", "first that waits")
    await untilEnded(["one"])
    two?.place.rest()
    assert.deepStrictEqual(ended, ["one"], "one that waits needs one place")
    const second = run("ada", "second that waits")
    await untilEnded(["one", "three"])
    one?.place.use()
    assert.deepStrictEqual(ended, ["one", "three", "two"])
    for (const agent of agents.slice(1)) agent.leave()
    await Promise.all([first.taken(), second.taken()])
  })
})

/** The places of agents that end when the test says so, and the names of those that were asked to end. */
const places = (limits: Partial<SandboxOptions.Options>) => {
  const agents = RunningAgents.make({ ...SandboxOptions.defaults, ...limits })
  const ended: Array<string> = []
  const run = (userId: string, name: string) => {
    const scope = Effect.runSync(Scope.make())
    const place = agents.place(userId, () => ended.push(name))
    const taken = Effect.runFork(Scope.extend(place.take, scope))
    return {
      place,
      taken: () => Effect.runPromise(Fiber.join(taken)),
      leave: () => Effect.runSync(Scope.close(scope, Exit.void))
    }
  }
  /** Waits until as many agents were asked to end; they are these. */
  const untilEnded = async (names: ReadonlyArray<string>) => {
    while (ended.length < names.length) await new Promise((resolve) => setImmediate(resolve))
    assert.deepStrictEqual(ended, names)
  }
  return { ended, run, untilEnded }
}

const loaded = async (service: Started) => Client.loaded(await service.task())

/** A process that ends with the agent. */
const childOf = async (client: Client): Promise<number> => {
  const before = client.updates.length
  await client.prompt("child")
  const said = client.updates.slice(before).find((update) => update.includes("child ")) ?? ""
  return Number(/child (\d+)/.exec(said)?.[1])
}

const dead = async (pid: number) => {
  while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve))
}

const cancel = (client: Client) => client.notify("session/cancel", { sessionId: client.task.taskId })

const working = async (service: Started, client: Client) => {
  while ((await service.status(client.task.taskId)) !== "working") await new Promise((resolve) => setImmediate(resolve))
}
