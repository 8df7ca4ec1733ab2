import { assert, describe, it } from "@effect/vitest"
import type { Readings, Round, Script } from "@heddle/plain-service"
import { controls } from "../support/Controls.ts"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"

type Replay = Pick<Readings, "replay" | "replayedChunks">

const replays: ReadonlyArray<Replay> = [
  { replay: "full", replayedChunks: "asSent" },
  { replay: "full", replayedChunks: "joined" },
  { replay: "withoutUserMessages", replayedChunks: "asSent" },
  { replay: "withoutUserMessages", replayedChunks: "joined" },
  { replay: "none", replayedChunks: "asSent" }
]

interface Story {
  /** What the agent does with "two", which follows an answer. */
  readonly two: (round: Round, ended: Promise<void>) => Promise<unknown>
  readonly readings?: Partial<Readings>
  /** What happens before the restart. */
  readonly before: (stack: PlainStack, thread: string) => Promise<unknown>
  /** What happens after the restart. */
  readonly after?: (stack: PlainStack, thread: string) => Promise<unknown>
  /** The agent goes on while the bot is away, and not after the restart. */
  readonly endsWhileAway?: boolean
  /** The answer before ends with its words, to which a replay without user messages joins the next ones. */
  readonly isJoined?: boolean
  /** The words in their order; what comes while the bot is away is unknown without a replay. */
  readonly words: ReadonlyArray<string>
  readonly saidWhileAway?: ReadonlyArray<string>
}

const ask = async ({ ask, say }: Round, name: string, toolCallId: string) =>
  say(`${name} was ${await ask({ title: `Write ${name}.md`, toolCall: { toolCallId } })}. `)

const allow = async (stack: PlainStack, thread: string, name: string) => {
  await stack.shows(thread, new RegExp(`Permission needed: Write ${name}`), 20_000)
  await controls(stack, thread).press(/^p1:/)
}

const stories: Readonly<Record<string, Story>> = {
  "words above a message that waits": {
    two: (_, ended) => ended,
    isJoined: true,
    before: ({ shows, you }, thread) => shows(thread, /Begun: two/).then(() => you.send(thread, "three")),
    words: ["Begun: two", "Ended: two", "Begun: three"]
  },
  "words above a message that waits, where the answer ends while the bot is away": {
    two: (_, ended) => ended,
    endsWhileAway: true,
    isJoined: true,
    before: ({ shows, you }, thread) => shows(thread, /Begun: two/).then(() => you.send(thread, "three")),
    words: ["Begun: two", "Ended: two", "Begun: three"],
    saidWhileAway: ["Ended: two"]
  },
  "words around a request whose answer is on its way": {
    readings: { pendingRequests: "askedAgain" },
    two: async (round, ended) => {
      await ask(round, "first", "c1")
      await ask(round, "second", "c2")
      await ended
    },
    before: async (stack, thread) => {
      stack.service.addFault({ rpcMethod: "response", when: "before", effect: { delayMs: 3000 } })
      await allow(stack, thread, "first")
    },
    // The service did not take the answer, and the bot does not know that.
    after: async (stack, thread) => {
      await allow(stack, thread, "first")
      await allow(stack, thread, "second")
    },
    words: [
      "Begun: two",
      "▢ Write first.md",
      "▢ Write second.md",
      ": Write first.md",
      "first was allow",
      ": Write second.md",
      "second was allow",
      "Ended: two"
    ]
  },
  "words around a request that is lost": {
    readings: { pendingRequests: "lost" },
    // The agent gives up when the bot is back.
    two: async (round, ended) => {
      await Promise.race([round.ask({ title: "Write first.md", toolCall: { toolCallId: "c1" } }), ended])
      round.say("first was cancelled. ")
    },
    before: ({ shows }, thread) => shows(thread, /Permission needed: Write first/),
    words: ["Begun: two", "▢ Write first.md", ": Write first.md", "first was cancelled", "Ended: two"]
  },
  "words around answered requests": {
    two: async (round, ended) => {
      await ask(round, "first", "c1")
      await ask(round, "second", "c2")
      await ended
    },
    before: async (stack, thread) => {
      await allow(stack, thread, "first")
      await allow(stack, thread, "second")
      await stack.shows(thread, /second was allow/)
    },
    words: [
      "Begun: two",
      "▢ Write first.md",
      "▢ Write second.md",
      ": Write first.md",
      "first was allow",
      ": Write second.md",
      "second was allow",
      "Ended: two"
    ]
  },
  "a request between steps": {
    two: async (round, ended) => {
      round.tool({ toolCallId: "t1", title: "Read notes.md", kind: "read", status: "completed" })
      await ask(round, "first", "c1")
      round.tool({ toolCallId: "t2", title: "Read plan.md", kind: "read", status: "completed" })
      await ended
    },
    before: async (stack, thread) => {
      await allow(stack, thread, "first")
      await stack.shows(thread, /Read plan\.md/)
    },
    words: [
      "Begun: two",
      "Read notes.md",
      "▢ Write first.md",
      "Read plan.md",
      ": Write first.md",
      "first was allow",
      "Ended: two"
    ]
  },
  "thoughts between words": {
    two: async ({ say, think }, ended) => {
      think("Hm. ")
      say("Middle. ")
      await ended
      think("Hm. ")
    },
    before: ({ shows }, thread) => shows(thread, /Middle/),
    words: ["Begun: two", "Middle", "Ended: two"]
  }
}

const script =
  (story: Story, attached: Promise<void>, ended: Promise<void>): Script =>
  async (round) => {
    const { say, text } = round
    // Words before the bot reads them are nowhere at a service that replays nothing.
    await attached
    say(`Begun: ${text}. `)
    // A replay without user messages joins the words of two answers, but not across a step.
    if (text === "one") {
      say("Ended: one. ")
      if (story.isJoined !== true)
        round.tool({ toolCallId: "c1", title: "Read all.md", kind: "read", status: "completed" })
    }
    if (text === "two") await story.two(round, ended)
    if (text !== "one") say(`Ended: ${text}. `)
    return { stopReason: "end_turn" }
  }

const gate = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return [() => open(), opened] as const
}

const shownWords = ({ content, embeds }: ReturnType<PlainStack["emulator"]["messages"]>[number]) =>
  [content, ...embeds.map(({ title, description }) => `${title ?? ""} ${description ?? ""}`)].join("\n")

/** The posts that show these words. */
const messageWith = (stack: PlainStack, thread: string, words: string) =>
  stack.emulator
    .messages(thread)
    .filter((message) => shownWords(message).includes(words) && message.author.bot === true)

const loads = ({ service }: PlainStack) =>
  service.requests.filter(({ rpcMethod, status }) => rpcMethod === "session/load" && status === 202).length

describe.concurrent("what was shown before a restart of the bot stays in its place", { timeout: 90_000 }, () => {
  for (const [name, story] of Object.entries(stories))
    for (const replay of replays)
      it(`${name} (replay ${replay.replay}, ${replay.replayedChunks})`, () => {
        const [attach, attached] = gate()
        const [end, ended] = gate()
        return withPlainStack(
          { ...replay, ...story.readings, script: script(story, attached, ended) },
          async (stack) => {
            const { emulator, service, shows, start, startBot, stopBot, you } = stack
            const thread = await start("zero")
            await emulator.waitFor(() => loads(stack) > 0, { what: "the session is loaded" })
            attach()
            await shows(thread, /Ended: zero[^]*done ·/, 30_000)
            await you.send(thread, "one")
            await shows(thread, /Ended: one[^]*done ·/, 30_000)
            await you.send(thread, "two")
            await story.before(stack, thread)
            await emulator.quiet(thread, 500)
            const places = new Map(
              story.words.flatMap((words) => messageWith(stack, thread, words).map(({ id }) => [words, id] as const))
            )
            assert.isAbove(places.size, 0)
            await stopBot()
            if (story.endsWhileAway === true) {
              end()
              await emulator.waitFor(() => service.rounds[2]?.end !== undefined, { what: "the end of the answer" })
            }
            const before = loads(stack)
            await startBot()
            await emulator.waitFor(() => loads(stack) > before, { what: "the session is loaded" })
            await story.after?.(stack, thread)
            await emulator.quiet(thread, 500)
            end()
            const last = story.words.at(-1)!.replace("Begun", "Ended")
            const transcript = await shows(thread, new RegExp(`${last}[^]*-# `), 60_000)
            await emulator.quiet(thread, 1000)
            const isUnseen = (words: string) =>
              replay.replay === "none" && story.saidWhileAway?.includes(words) === true
            const positions = story.words
              .filter((words) => !isUnseen(words))
              .map((words) => {
                const found = messageWith(stack, thread, words)
                assert.lengthOf(found, 1, `${words}\n${transcript}`)
                if (places.has(words)) assert.strictEqual(found[0]!.id, places.get(words), `${words}\n${transcript}`)
                return positionOf(stack, thread, words)
              })
            assert.deepEqual(
              positions,
              positions.toSorted((a, b) => a - b),
              emulator.transcript(thread)
            )
          }
        )
      })
})

/** Where words stand in the thread: in which message, and where in it. */
const positionOf = (stack: PlainStack, thread: string, words: string) => {
  const messages = stack.emulator.messages(thread)
  const at = messages.findIndex((message) => message.author.bot === true && shownWords(message).includes(words))
  return at + shownWords(messages[at]!).indexOf(words) / 1e6
}

describe.concurrent("words after a restart that comes before them", { timeout: 60_000 }, () => {
  for (const replay of ["full", "withoutUserMessages"] as const)
    it(`are shown while the agent works (replay ${replay})`, () => {
      const [begin, begun] = gate()
      const [end, ended] = gate()
      const script: Script = async ({ say, text }) => {
        if (text === "two") await begun
        say(`Begun: ${text}. `)
        if (text === "two") await ended
        say(`Ended: ${text}. `)
        return { stopReason: "end_turn" }
      }
      return withPlainStack({ replay, script, restStatus: "pending" }, async (stack) => {
        const { emulator, service, shows, start, startBot, stopBot, you } = stack
        const thread = await start("one")
        await shows(thread, /Ended: one[^]*-# paused/, 30_000)
        await you.send(thread, "two")
        await emulator.waitFor(() => service.rounds.length === 2, { what: "the second round" })
        await stopBot()
        const before = loads(stack)
        await startBot()
        await emulator.waitFor(() => loads(stack) > before, { what: "the session is loaded" })
        await emulator.quiet(thread, 1000)
        begin()
        await shows(thread, /Begun: two/, 20_000)
        end()
        const transcript = await shows(thread, /Ended: two[^]*-# paused/, 20_000)
        assert.lengthOf(transcript.split("Begun: two"), 2)
      })
    })
})
