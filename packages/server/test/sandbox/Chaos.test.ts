import { assert, describe, it } from "@effect/vitest"
import * as AcpSession from "@heddle/acp/AcpSession"
import * as UndiciExchange from "@heddle/acp/node/UndiciExchange"
import * as PermissionOutcome from "@heddle/acp/Permission"
import * as Update from "@heddle/acp/schema/Update"
import * as SessionState from "@heddle/acp/SessionState"
import * as SseTransport from "@heddle/acp/SseTransport"
import * as StreamableHttpTransport from "@heddle/acp/StreamableHttpTransport"
import * as Ticket from "@heddle/acp/Ticket"
import { defaults } from "@heddle/server/config/SandboxOptions"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import * as ChaosProxy from "./support/chaos/ChaosProxy.ts"
import * as Dice from "./support/chaos/Dice.ts"
import * as Script from "./support/chaos/Script.ts"
import { start, type Started, type Task } from "./support/service.ts"

const agent = fileURLToPath(new URL("./support/chaos/agent.mjs", import.meta.url))

/** How many turns; by hand 1,000. */
const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 20)
const seed = process.env["HEDDLE_SEED"] ?? String(Date.now())
/** Turns of one task; four tasks at a time. */
const turnsOfTask = Math.min(25, Math.ceil(rounds / 4))

const quick = {
  heartbeat: Duration.millis(100),
  stall: Duration.seconds(2),
  resume: Duration.seconds(1),
  resumeWindow: 256 * 1024,
  agentClose: Duration.millis(200)
}

/** The service, which is stopped and started anew at times; a call waits until it is there. */
const makeService = async () => {
  const options = { agentCommand: [process.execPath, agent], sandbox: { ...defaults, ...quick } }
  let current = await start(options)
  let ready: Promise<unknown> = Promise.resolve()
  const restart = () => {
    const again = ready.then(async () => {
      await current.stop()
      current = await start({ ...options, dataDir: current.dataDir })
    })
    ready = again
    return again
  }
  const use = async <A>(call: (service: Started) => Promise<A>): Promise<A> => {
    for (;;) {
      const before = ready
      await before
      try {
        return await call(current)
      } catch (error) {
        // The service went down under the call.
        if (before === ready) throw error
      }
    }
  }
  return {
    use,
    restart,
    url: () => current.url,
    stop: () => ready.then(() => current.stop()),
    /** No restart comes into the first prompt of a task: it makes the history in which prompts can be missing. */
    firstPrompts: new Set<Promise<unknown>>()
  }
}

type Service = Awaited<ReturnType<typeof makeService>>

/** What a state shows, without the keys that only its owner knows. */
const shown = ({ entries, permissions, running, plan, usage, title }: SessionState.SessionState) => ({
  plan,
  usage,
  title,
  permissions: permissions.length,
  running,
  entries: entries.map((entry) =>
    entry._tag === "Message"
      ? `${entry.role}: ${entry.text.replace(/={20,}/g, ({ length }) => `(${length})`)}`
      : entry._tag === "ToolCall"
        ? `tool ${entry.toolCallId} ${entry.title} ${entry.status} ${JSON.stringify(entry.content)}`
        : entry.title
  )
})

/** Folds the journal of a task as far as it is now. */
const makeJournal = (service: Service, taskId: string) => {
  let state = SessionState.empty
  let last = 0
  return async () => {
    const rows = await service.use(({ rows }) =>
      rows(`SELECT seq, params FROM sandbox_journal WHERE task_id = '${taskId}' AND seq > ${last} ORDER BY seq`)
    )
    const updates = rows.flatMap(({ params }) => Update.decode(JSON.parse(String(params)))?.update ?? [])
    last = Number(rows.at(-1)?.["seq"] ?? last)
    state = SessionState.fold(state, updates)
    return shown(state)
  }
}

describe("the channel under random faults", () => {
  it(
    `equals the journal after every turn, executes no prompt twice and accepts one answer per request (${rounds} turns)`,
    { timeout: 120_000 + rounds * 5000 },
    async () => {
      const dice = Dice.make(seed)
      console.log(`chaos: ${rounds} turns, HEDDLE_SEED=${seed}`)
      const service = await makeService()
      const figures: Record<string, number> = {}
      const count = (name: string, by = 1) => {
        figures[name] = (figures[name] ?? 0) + by
      }
      const own = dice.fork("restarts")
      let restarts = Promise.resolve()
      let untilRestart = own.int(3, 12)
      /** Stops the service and starts it anew, some way into one turn of several. */
      const turnBegan = () => {
        if (--untilRestart > 0) return
        untilRestart = own.int(6, 24)
        restarts = restarts.then(async () => {
          await soon(own.int(0, 250))
          await Promise.all(service.firstPrompts)
          count("restarts of the service")
          await service.restart()
        })
      }
      const started = Date.now()
      try {
        const tasks = Array.from({ length: Math.ceil(rounds / turnsOfTask) }, (_, n) => n)
        const work = async () => {
          for (let n = tasks.shift(); n !== undefined; n = tasks.shift()) {
            await runTask(service, dice.fork(`task ${n}`), `t${n}`, turnsOfTask, count, turnBegan)
          }
        }
        await Promise.all([work(), work(), work(), work()])
      } finally {
        await restarts
        await service.stop()
      }
      console.log(JSON.stringify({ seed, seconds: (Date.now() - started) / 1000, ...figures }))
      assert.notProperty(figures, ChaosProxy.tokenElsewhere)
    }
  )
})

type Count = (name: string, by?: number) => void

/** Runs the turns of one task, one after the other, with two clients attached and at times a third one. */
const runTask = async (
  service: Service,
  dice: Dice.Dice,
  name: string,
  turns: number,
  count: Count,
  turnBegan: () => void
) => {
  const task = await service.use((started) => started.task())
  const log = Path.join(task.folder, "agent.log")
  const lines = () => (Fs.existsSync(log) ? Fs.readFileSync(log, "utf8").split("\n").slice(0, -1) : [])
  const journal = makeJournal(service, task.taskId)
  const busy = async () =>
    ["working", "planning", "pending"].includes(await service.use((started) => started.status(task.taskId)))
  const idle = async () => {
    while (await busy()) await soon(20)
  }

  const clients = {
    speaker: await open(service, dice.fork("speaker"), task, { count, answers: true }),
    watcher: await open(service, dice.fork("watcher"), task, { count, answers: true, undici: true }),
    ...(dice.chance(0.3)
      ? { streamer: await open(service, dice.fork("streamer"), task, { count, answers: false, streamable: true }) }
      : {})
  }
  const each = Object.entries(clients)
  if ("streamer" in clients) count("clients of the other dialect")

  try {
    // A history that shows the messages of users also shows which prompts are missing; an empty one proves nothing.
    clients.speaker.proxy.calm(true)
    const first = JSON.stringify({ turn: `${name}.0`, script: [["say", "ready"]] })
    await service.use(() => Promise.resolve())
    const prompted = promptUntilSent(clients.speaker, first, count)
    service.firstPrompts.add(prompted)
    assert.strictEqual(await within("the end", `${name}.0`, prompted), "ended")
    service.firstPrompts.delete(prompted)
    clients.speaker.proxy.calm(false)
    for (let n = 1; n <= turns; n++) {
      const turn = `${name}.${n}`
      const { text, questions } = Script.make(dice, turn)
      const times = (line: string) => lines().filter((each) => each === line).length
      for (const [, { proxy }] of each) proxy.fresh()

      turnBegan()
      const running = promptUntilSent(clients.speaker, text, count)
      const cancels = dice.chance(0.15)
      if (cancels) {
        await soon(dice.int(0, 200))
        const { session } = dice.chance(0.6) ? clients.speaker : clients.watcher
        const exit = await Effect.runPromiseExit(session.cancel)
        count(Exit.isSuccess(exit) ? "cancels" : "cancels that could not be sent")
      }
      const end = await within("the end", turn, running)
      const outcome =
        end === "ended" ? end : await within("the end after all", turn, settled(clients.speaker, end, busy))
      await within("the idleness", turn, idle())
      await within("the deliveries", turn, Promise.all(each.map(([, { proxy }]) => proxy.delivered())))
      await within("the idleness", turn, idle())
      count(outcome)

      const executed = times(`prompt ${turn}`)
      assert.isAtMost(executed, 1, `${turn} was executed more than once`)
      const ended = times(`ended ${turn}`) === 1
      const cancelled = times(`cancelled ${turn}`) === 1
      if (outcome === "ended") assert.isTrue(ended, `${turn} was not executed`)
      if (outcome === "not delivered") assert.strictEqual(executed, 0, `${turn} was executed`)
      if (outcome === "cancelled" || cancelled) assert.isTrue(cancels, `${turn} was not to be cancelled`)
      if (cancelled) count("turns cancelled in their middle")
      if (executed === 0) count("prompts that never arrived")
      const asked = lines().filter((line) => line.startsWith(`asked ${turn}-`))
      for (const line of asked) {
        const answers = lines().filter((each) => each.startsWith(line.replace("asked", "answer") + " "))
        assert.isAtMost(answers.length, 1, `${line} was answered more than once`)
        count("questions answered", answers.length)
        if (ended || cancelled) assert.strictEqual(answers.length, 1, `${line} was not answered`)
      }
      if (ended) assert.strictEqual(asked.length, questions)

      for (const [who, { session, story }] of each) {
        await same(session, journal, () => `${who} after ${turn} (${outcome}); ${story.slice(-12).join("; ")}`)
      }
    }
    const executed = lines().filter((line) => line.startsWith("prompt "))
    assert.deepStrictEqual(executed, [...new Set(executed)], "a prompt was executed twice, later")
    const answers = lines().filter((line) => line.startsWith("answer "))
    assert.strictEqual(answers.length, new Set(answers.map((line) => line.split(" ")[1])).size, "answered twice, later")
  } finally {
    for (const [, client] of each) {
      await client.close()
      for (const [fate, times] of Object.entries(client.proxy.tally)) count(fate, times)
    }
  }
}

type Client = Awaited<ReturnType<typeof open>>

/** A client behind its own bad network, which answers every question. */
const open = async (
  service: Service,
  dice: Dice.Dice,
  task: Task,
  as: { readonly count: Count; readonly answers: boolean; readonly undici?: true; readonly streamable?: true }
) => {
  const { count } = as
  const proxy = await ChaosProxy.open(dice.fork("proxy"), service.url)
  const scope = Effect.runSync(Scope.make())
  /** The latest events of the connection, for the report of a failure. */
  const story: Array<string> = []
  const tell = (event: string) => story.push(`${new Date().toISOString()} ${event}`)
  const session = await Effect.gen(function* () {
    const ticket = yield* Ticket.make(
      Effect.sync(() => {
        const { link, token } = proxy.ticket(new URL(task.link).pathname, task.token)
        return { link, token: Redacted.make(token) }
      })
    )
    const transport = (as.streamable ? StreamableHttpTransport : SseTransport).make({
      ticket,
      silence: "1500 millis",
      headTimeout: "2 seconds",
      backoff: { first: "10 millis", longest: "200 millis" },
      ...(as.undici ? { exchange: UndiciExchange.make() } : {})
    })
    // Who has never had a session gives up early; from then on no outage is too long.
    proxy.calm(as.streamable)
    const session = yield* AcpSession.make(transport, { sessionId: task.taskId, cancelDeadline: "2 seconds" })
    proxy.calm(false)
    const asked = new Set<string>()
    yield* session.changes.pipe(
      Stream.runForEach((event) => {
        if (event._tag !== "StateChanged") tell(`${event._tag} ${"error" in event ? event.error.message : ""}`)
        if (event._tag === "Interrupted") count("interruptions")
        if (event._tag === "Skipped") count("skipped")
        if (event._tag === "Closed") count("closed")
        if (event._tag === "PermissionWithdrawn") count("questions withdrawn")
        if (event._tag !== "PermissionRequested" || !as.answers) return Effect.void
        const { requestId, toolCall } = event.permission
        count(asked.has(String(toolCall?.toolCallId)) ? "questions seen again" : "questions seen")
        asked.add(String(toolCall?.toolCallId))
        // Some answers take long enough for the connection to break; the question then comes again.
        return Effect.sleep(dice.chance(0.15) ? dice.int(200, 900) : dice.int(0, 60)).pipe(
          Effect.andThen(
            session.answerPermission(requestId, PermissionOutcome.selected(dice.chance(0.5) ? "yes" : "no"))
          ),
          Effect.catchTag("AlreadyAnswered", () => Effect.void),
          Effect.fork
        )
      }),
      Effect.forkScoped
    )
    return session
  }).pipe(Scope.extend(scope), Effect.runPromise)
  return {
    proxy,
    session,
    story,
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      proxy.close()
    }
  }
}

/** Sends a prompt, again only while it surely was not sent; tells how its turn ended for the client. */
const promptUntilSent = async ({ session, story }: Client, text: string, count: Count) => {
  for (;;) {
    const exit = await Effect.runPromiseExit(session.prompt([{ type: "text", text }]))
    if (Exit.isSuccess(exit)) return exit.value.stopReason === "end_turn" ? "ended" : exit.value.stopReason
    const error = exit.cause._tag === "Fail" ? exit.cause.error : undefined
    if (error?._tag === "Detached") return "detached"
    if (error?._tag !== "ConnectionLost" || error.sent) throw new Error(`unexpected: ${String(exit.cause)}`)
    if (story.some((event) => event.includes("Closed")))
      throw new Error(`the session ended: ${story.slice(-12).join("; ")}`)
    count("prompts sent again, as nothing was sent")
    await soon(50)
  }
}

/** The outcome of a prompt whose end did not arrive. */
const settled = ({ session }: Client, outcome: string, busy: () => Promise<boolean>) =>
  session.awaitIdle(Effect.promise(busy)).pipe(
    Effect.as(outcome),
    Effect.catchTag("NotDelivered", () => Effect.succeed("not delivered")),
    Effect.runPromise
  )

/** Waits until a session shows what the journal says. */
const same = async (
  session: Client["session"],
  journal: () => Promise<ReturnType<typeof shown>>,
  what: () => string
): Promise<void> => {
  const deadline = Date.now() + patience
  for (;;) {
    const expected = await journal()
    const actual = shown(await Effect.runPromise(session.state))
    if (JSON.stringify(actual) === JSON.stringify(expected)) return
    if (Date.now() > deadline) assert.deepStrictEqual(actual, expected, what())
    await soon(20)
  }
}

/** How long anything may take: on a quiet machine all of it comes within two seconds. */
const patience = 90_000

const soon = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const within = async <A>(what: string, turn: string, waited: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`gave up waiting for ${what} of ${turn}`)), patience)
  })
  try {
    return await Promise.race([waited, late])
  } finally {
    clearTimeout(timer)
  }
}
