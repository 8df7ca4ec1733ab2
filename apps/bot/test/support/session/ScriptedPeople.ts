import { ActorError, type Emulator } from "@heddle/discord-emulator"
import { buttonsOf, confirm } from "../Stack.ts"
import type { startBotProcess } from "./BotProcess.ts"
import type { Threads } from "./SessionSnapshot.ts"

/** What the people of a session act on. */
interface Session {
  readonly emulator: Emulator
  readonly bot: Awaited<ReturnType<typeof startBotProcess>>
  /** Lets an agent go on that waits at a gate. */
  readonly open: (name: string) => void
  /** Waits until the bot has noted the end of every message in a thread. */
  readonly handled: (thread: string) => Promise<void>
}

/** The people go on when they see that they can. */
export const people = async ({ bot, emulator, handled, open }: Session): Promise<Threads> => {
  const you = emulator.user()
  const sam = emulator.user("Sam")
  // The service may be away for a minute, and the bot then waits up to half a minute before it tries again.
  const timeoutMs = 150_000
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
    const card = emulator
      .messages(alpha)
      .findLast((each) => buttonsOf(each).some(({ custom_id }) => id.test(custom_id)))
    const customId = buttonsOf(card ?? {}).find(({ custom_id }) => id.test(custom_id))?.custom_id
    return card === undefined || customId === undefined ? undefined : { card, customId }
  }
  const press = async (id: RegExp) => {
    const found = control(id)
    if (found !== undefined) await you.press(alpha, found.card.id, found.customId)
  }
  await until("the permission", hasText(alpha, /You chose allow\./), () => press(/^p1:.*:0$/))

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
  await until("the answer", hasText(alpha, /You answered/), async () => {
    const select = control(/:s:0:0$/)
    const isChosen = select?.card.embeds.some(({ description }) => description?.includes("> right"))
    if (select === undefined || isChosen === true) await press(/:f$/)
    else await you.select(alpha, select.card.id, select.customId, ["1"])
  })
  await shows(alpha, /Piece 30\.[^]*done ·/)
  await shows(beta, /The first half,/)

  // Away for half an hour: what was shown is too old to be edited, and people have written.
  // The bot has noted its last edit by then, also after a kill: it would repeat one that is not noted, in a post of its own.
  await handled(alpha)
  await emulator.quiet(alpha, 1000)
  await bot.pause()
  await you.send(alpha, "alpha 3")
  await you.send(beta, "beta 5")
  await bot.resume(30 * 60_000)
  open("beta 2")
  await shows(beta, /the second half\./)
  await shows(beta, /answer to beta three/)
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
