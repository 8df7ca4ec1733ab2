import { subscribe } from "node:diagnostics_channel"
import { startEmulator } from "@heddle/discord-emulator"
import * as Report from "./Report.ts"
import { type Behaviour, startService } from "./Service.ts"
import { data, openThreads } from "./Threads.ts"

/** What the world is asked to do. */
export type Order =
  /** Connects the person's account as a browser does. */
  | { readonly connect: true }
  /** The person writes this in every one of the threads. */
  | { readonly say: string; readonly threads: ReadonlyArray<string> }
  | { readonly agent: Behaviour }
  /** Asks in this thread, or lets another program answer there; waits until its answer is complete and nothing changes. */
  | { readonly answerIn: string; readonly ask?: string }
  /** How many sessions have somebody attached. */
  | { readonly attached: true }
  /** When the bot first wrote or changed something in each thread since the last time that this was asked. */
  | { readonly shown: true }
  /** How often the bot called what since the last time that this was asked. */
  | { readonly calls: true }

/** An answer as its thread shows it. */
export interface Shown {
  /** From the question until its last word is visible. */
  readonly completeMs: number
  readonly messages: number
  /** Calls of the bot that wrote or changed a message. */
  readonly calls: number
}

/** Discord and the service of a bot, in one process. */
export interface Ready {
  readonly api: string
  readonly token: string
  readonly service: string
  readonly guildId: string
  readonly channelId: string
  readonly userId: string
  readonly threads: ReadonlyArray<string>
}

const threads = await openThreads(Number(process.argv[2]))
const emulator = await startEmulator({ data })
const service = await startService()
const you = emulator.user()

let shown = new Map<string, number>()
emulator.on((event) => {
  if (event.type !== "message_create" && event.type !== "message_update") return
  if (event.message.author.bot === true && !shown.has(event.channelId)) shown.set(event.channelId, Date.now())
})

const answerIn = async (thread: string, ask: string | undefined): Promise<Shown> => {
  const answered = nextAnswer(thread, Date.now())
  if (ask !== undefined) await you.send(thread, ask)
  return answered
}

const nextAnswer = (thread: string, startedAt: number): Promise<Shown> =>
  new Promise((resolve) => {
    const messages = new Set<string>()
    let calls = 0
    let completeAt: number | undefined
    let quiet: ReturnType<typeof setTimeout> | undefined
    const off = emulator.on((event) => {
      if (event.type !== "message_create" && event.type !== "message_update") return
      if (event.channelId !== thread || event.message.author.bot !== true) return
      messages.add(event.message.id)
      calls++
      if (event.message.content.includes(Report.lastWords)) completeAt ??= Date.now()
      clearTimeout(quiet)
      const result = (): void => {
        if (completeAt === undefined) return
        off()
        resolve({ completeMs: completeAt - startedAt, messages: messages.size, calls })
      }
      quiet = setTimeout(result, 1000)
    })
  })

let calls = new Map<string, number>()
subscribe("discord-emulator:request", (event) => {
  const { method, path } = event as { readonly method: string; readonly path: string }
  const call = `${method} ${path.replaceAll(/\d{17,}/g, ":id")}`
  calls.set(call, (calls.get(call) ?? 0) + 1)
})

/** The bot registers its commands a moment after it is ready. */
const connect = async (more: number): Promise<Awaited<ReturnType<typeof you.command>>> => {
  try {
    return await you.command(emulator.channelId, "connect")
  } catch (cause) {
    if (more === 0) throw cause
    await new Promise((resolve) => setTimeout(resolve, 250))
    return connect(more - 1)
  }
}

const obey = async (order: Order): Promise<unknown> => {
  if ("connect" in order) {
    const asked = await (await connect(40)).settled()
    const url = /"url":"([^"]+)"/.exec(JSON.stringify(asked.components))?.[1]
    if (url === undefined) throw new Error(`there is no link in ${JSON.stringify(asked)}`)
    const code = /<p class="code"[^>]*>([^<]+)</.exec(await (await fetch(url)).text())?.[1] ?? ""
    const said = await you.submit(await you.press(emulator.channelId, asked.id, "c2:code"), { code })
    return (await said.settled()).content
  }
  if ("say" in order) {
    for (const thread of order.threads) await you.send(thread, order.say)
    return Date.now()
  }
  if ("agent" in order) return service.behave(order.agent)
  if ("answerIn" in order) return answerIn(order.answerIn, order.ask)
  if ("attached" in order) return service.attached()
  if ("calls" in order) {
    const made = Object.fromEntries(calls)
    calls = new Map()
    return made
  }
  const firstShown = [...shown]
  shown = new Map()
  return firstShown
}

process.on("message", (message: { readonly run?: Order }) => {
  if (message.run === undefined) return
  void obey(message.run).then((done) => process.send?.({ done: done ?? null }))
})
process.send?.({
  ready: {
    api: emulator.api,
    token: emulator.botToken,
    service: service.url,
    guildId: emulator.guildId,
    channelId: emulator.channelId,
    userId: you.id,
    threads
  } satisfies Ready
})
