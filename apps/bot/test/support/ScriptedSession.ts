import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ActorError, type Emulator, type EmulatorOptions, startEmulator } from "@heddle/discord-emulator"
import Database from "better-sqlite3"
import { type KillPoint, startBotProcess } from "./BotProcess.ts"
import type { Fault } from "./DiscordProxy.ts"
import type { FakeTurn } from "./FakeAgent.ts"
import { startFakeService } from "./FakeService.ts"
import { checkAway, settledSnapshot, type Threads } from "./SessionSnapshot.ts"
import { buttonsOf, confirm } from "./Stack.ts"

type BotProcess = Awaited<ReturnType<typeof startBotProcess>>
type Service = Awaited<ReturnType<typeof startFakeService>>

export interface SessionOptions {
  readonly program: string
  readonly kills?: ReadonlyArray<KillPoint>
  readonly fault?: (call: { readonly method: string; readonly path: string }) => Fault | undefined
  readonly emulator?: EmulatorOptions
  /** Runs beside the session until it ends. */
  readonly trouble?: (about: { readonly emulator: Emulator; readonly service: Service }) => {
    /** How often the bot may have been told nothing for a while. */
    readonly absences: () => number
    readonly stop: () => void
  }
}

/** The result of a session: what people see, and what the service received. */
export interface Outcome {
  readonly snapshot: string
  readonly killedAt: ReadonlyArray<string>
  readonly counts: { readonly writes: number; readonly calls: number }
}

/** Below the time limit of the tests, so that the failure has a message. */
const longestMs = 200_000

const question = { toolCallId: "ask", title: "Ask the person" }
const report = { toolCallId: "t1", title: "Write report.md", kind: "edit" }
const longText = Array.from({ length: 40 }, (_, n) => `Finding ${n}: ${"it is so because it is so. ".repeat(6)}`).join(
  "\n\n"
)

/**
 * One session of two threads with everything that a turn may hold. The bot is killed at the given points. The people go
 * on when they see that they can, and the session ends with their last message.
 */
export const play = async (options: SessionOptions): Promise<Outcome> => {
  const dataDir = mkdtempSync(join(tmpdir(), "heddle-faults-"))
  const emulator = await startEmulator({ limits: "fast", interactionMs: 1500, ...options.emulator })
  const gates = makeGates()
  const service = await startFakeService((turn) => agent(turn, service, gates.pass))
  service.files.set("agent:///chart.png", Buffer.from("a picture"))
  const bot = await startBotProcess({
    program: options.program,
    emulator,
    serviceUrl: service.url,
    dataDir,
    rollAfterMs: 20 * 60_000,
    kills: options.kills ?? [],
    ...(options.fault === undefined ? {} : { fault: options.fault })
  })
  const trouble = options.trouble?.({ emulator, service })
  let late: NodeJS.Timeout | undefined
  try {
    const threads = await Promise.race([
      people(emulator, bot, gates.open),
      new Promise<never>((_, reject) => {
        late = setTimeout(() => reject(new Error("the session does not come to its end")), longestMs)
      })
    ])
    trouble?.stop()
    await nothingLeft(join(dataDir, "bot.sqlite"))
    const snapshot = await settledSnapshot(emulator, service, threads)
    for (const thread of Object.values(threads)) {
      checkAway(emulator, thread, bot.lives() - 1 + (trouble?.absences() ?? 0))
    }
    return { snapshot, killedAt: bot.killedAt, counts: bot.counts() }
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    throw new Error(
      `killed at ${JSON.stringify(bot.killedAt)}: ${what}\n${new Date().toISOString()} ${bot.state()}\nrequests ${JSON.stringify(service.requests.slice(-12))}\nprompts ${JSON.stringify(service.prompts)}\n${bot.log.slice(-30).join("\n")}`,
      { cause: error }
    )
  } finally {
    clearTimeout(late)
    trouble?.stop()
    await bot.close()
    await service.close()
    await emulator.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const agent = async (turn: FakeTurn, service: Service, gate: (name: string) => Promise<void>): Promise<string> => {
  switch (turn.text) {
    case "alpha": {
      turn.say("I look at the *data* first.")
      turn.update({ sessionUpdate: "tool_call", ...report, status: "pending" })
      const choice = await turn.ask({
        ...report,
        content: [{ type: "diff", path: "report.md", oldText: "a\nb", newText: "a\nc" }]
      })
      turn.update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" })
      turn.say(`You chose ${choice}.`)
      await gate("plan")
      turn.artifact("created", {
        uri: "agent:///plan.md",
        type: "plan",
        title: "Plan",
        text: "1. look\n2. tell",
        version: 1
      })
      await gate("long")
      turn.update({ sessionUpdate: "tool_call", toolCallId: "t2", title: "Count", status: "in_progress" })
      turn.say(longText)
      await gate("file")
      turn.update({ sessionUpdate: "tool_call_update", toolCallId: "t2", status: "completed" })
      turn.artifact("created", {
        uri: "agent:///chart.png",
        type: "media",
        name: "chart.png",
        mimeType: "image/png",
        size: service.files.get("agent:///chart.png")?.length ?? 0
      })
      turn.artifact("updated", {
        uri: "agent:///plan.md",
        type: "plan",
        title: "Plan",
        text: "1. looked\n2. told",
        version: 2
      })
      await gate("end of alpha")
      return "end_turn"
    }
    case "alpha 2": {
      const { outcome } = await turn.request("session/request_permission", {
        toolCall: {
          ...question,
          rawInput: { questions: [{ question: "Which way?", header: "Way", options: ["left", "right"] }] }
        },
        options: [
          { optionId: "allow", name: "Allow", kind: "allow_once" },
          { optionId: "reject", name: "Reject", kind: "reject_once" }
        ]
      })
      turn.say(`You answered ${JSON.stringify(outcome.answers)}.`)
      // Edits follow each other as fast as they may, so that a kill comes between two of them.
      for (let piece = 1; piece <= 30; piece++) {
        turn.say(` Piece ${piece}.`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return "end_turn"
    }
    case "beta":
      turn.say("I work on beta.")
      turn.update({ sessionUpdate: "tool_call", toolCallId: "b1", title: "Read data.csv", status: "in_progress" })
      await gate("beta")
      turn.update({ sessionUpdate: "tool_call_update", toolCallId: "b1", status: "completed" })
      turn.say("Beta is done.")
      return "end_turn"
    case "beta 2":
      turn.say("The first half,")
      await gate("beta 2")
      turn.say(" the second half.")
      return "end_turn"
    case "beta 5":
      turn.say("I shall be stopped.")
      await turn.cancelled
      await gate("stopping")
      turn.say(" I was.")
      return "cancelled"
    default:
      turn.say(`answer to ${turn.text}`)
      return "end_turn"
  }
}

const people = async (emulator: Emulator, bot: BotProcess, open: (name: string) => void): Promise<Threads> => {
  const you = emulator.user()
  const sam = emulator.user("Sam")
  const timeoutMs = 100_000
  const shows = (thread: string, text: RegExp) =>
    emulator.waitFor((e) => text.test(e.transcript(thread)), { what: `${text} in the thread`, timeoutMs })
  /** Does something until it has its effect: a dead bot answers no click, and says so to who clicks. */
  const until = async (what: string, done: () => boolean | Promise<boolean>, act: () => Promise<unknown>) => {
    const end = Date.now() + timeoutMs
    while (!(await done())) {
      if (Date.now() > end)
        throw new Error(
          `${what} did not happen; there is\n${emulator
            .threads()
            .map(({ id }) => emulator.transcript(id))
            .join("\n\n")}`
        )
      await bot.up()
      const acted = act().catch((error: unknown) => {
        if (!(error instanceof ActorError || error instanceof TypeError)) throw error
      })
      await within(5000, acted)
      for (let tries = 0; tries < 30 && !(await done()); tries++)
        await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const hasText = (thread: string, text: RegExp) => () => text.test(emulator.transcript(thread))

  let connected = false
  await until(
    "a connected account",
    () => connected,
    async () => {
      const asked = await you.command(emulator.channelId, "connect")
      const link = await within(1500, asked.settled())
      if (link === undefined) return
      if (link.content.includes("already connected")) connected = true
      if (connected) return
      // A dead bot's page does not open, and its form neither.
      await confirm(emulator, link).catch(() => undefined)
    }
  )

  // A task by command: it is requested again only when Discord reports that the bot did not respond.
  for (;;) {
    await bot.up()
    const heard = await you.command(emulator.channelId, "task new", { prompt: "alpha" }).catch((error: unknown) => {
      if (error instanceof ActorError) return undefined
      throw error
    })
    if (heard !== undefined) break
  }
  const alpha = (await emulator.waitFor((e) => e.threads()[0], { what: "a thread of the command", timeoutMs })).id
  const beta = (await you.send(emulator.channelId, `<@${emulator.applicationId}> beta`)).id

  await shows(alpha, /Permission needed: Write report\.md/)
  const control = (id: RegExp) => {
    const card = emulator.messages(alpha).findLast((message) => buttonsOf(message).length > 0)
    const customId = card === undefined ? undefined : buttonsOf(card).find((each) => id.test(each.custom_id))?.custom_id
    return card === undefined || customId === undefined ? undefined : { card: card.id, customId }
  }
  const press = async (id: RegExp) => {
    const found = control(id)
    if (found !== undefined) await you.press(alpha, found.card, found.customId)
  }
  await until("the permission", hasText(alpha, /Allowed: Write report\.md/), () => press(/^p1:.*:0$/))
  await shows(alpha, /You chose allow\./)

  // Beside it, a queue that changes while it waits.
  await shows(beta, /I work on beta\.[^]*▸ Read data\.csv/)
  await you.send(beta, "beta 2")
  const three = await you.send(beta, "beta 3")
  const never = await you.send(beta, "never")
  await shows(beta, /1\. beta 2\s+-# 2\. beta 3\s+-# 3\. never/)
  await you.edit(beta, three.id, "beta three")
  await you.delete(beta, never.id)
  await shows(beta, /1\. beta 2\s+-# 2\. beta three(?!\s+-# 3)/)
  await sam.send(beta, "hello?")
  await shows(beta, /This task belongs to/)
  open("beta")

  open("plan")
  await shows(alpha, /Plan\n[^]*version 1/)
  open("long")
  await shows(alpha, /Finding 39/)
  open("file")
  await shows(alpha, /chart\.png[^]*/)
  await shows(alpha, /✅ Count/)
  await shows(alpha, /Plan\n[^]*version 2/)
  open("end of alpha")
  await shows(alpha, /done ·/)
  await you.send(alpha, "alpha 2")
  const answered = hasText(alpha, /Answered: Ask the person/)
  const select = () => control(/:s:0:0$/)
  await emulator.waitFor(() => select() !== undefined || answered(), { what: "the question", timeoutMs })
  const chosen = hasText(alpha, /> right/)
  await until("a choice", chosen, async () => {
    const found = select()
    if (found !== undefined) await you.select(alpha, found.card, found.customId, ["1"])
  })
  await until("the answer", answered, () => press(/:f$/))
  await shows(alpha, /You answered[^]*done ·/)
  await shows(beta, /The first half,/)

  // Away for half an hour: what was shown is too old to be edited, and people have written.
  await bot.pause()
  await you.send(alpha, "alpha 3")
  await you.send(beta, "beta 5")
  await bot.resume(30 * 60_000)
  open("beta 2")
  await shows(beta, /the second half\.[^]*answer to beta three/)
  await shows(beta, /I shall be stopped/)
  await you.send(beta, "stop")
  await shows(beta, /asked to stop/)
  open("stopping")
  await shows(alpha, /answer to alpha 3[^]*done ·/)
  await shows(beta, /stopped ·/)
  return { alpha, beta }
}

/** Who died after a first answer gives no second one: the person waits for it no longer than this. */
const within = async <A>(ms: number, answer: Promise<A>): Promise<A | undefined> => {
  let timer: NodeJS.Timeout | undefined
  try {
    return await Promise.race([
      answer,
      new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), ms)
      })
    ])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits until the bot has nothing more to do. */
const nothingLeft = async (file: string): Promise<void> => {
  const database = new Database(file, { readonly: true })
  const left = database.prepare(`SELECT (SELECT COUNT(*) FROM inbox WHERE state IN ('queued', 'running'))
    + (SELECT COUNT(*) FROM requests WHERE state = 'starting') + (SELECT COUNT(*) FROM replies) AS n`)
  const end = Date.now() + 60_000
  try {
    for (;;) {
      const row: unknown = left.get()
      if (typeof row === "object" && row !== null && "n" in row && Number(row.n) === 0) return
      if (Date.now() > end) throw new Error("the bot has still something to do")
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  } finally {
    database.close()
  }
}

const makeGates = () => {
  const opened = new Set<string>()
  const waiting = new Map<string, () => void>()
  return {
    open: (name: string) => {
      opened.add(name)
      waiting.get(name)?.()
    },
    pass: (name: string) =>
      opened.has(name) ? Promise.resolve() : new Promise<void>((resolve) => void waiting.set(name, resolve))
  }
}
