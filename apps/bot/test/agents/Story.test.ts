import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type * as FakeModel from "@heddle/test-support/model/FakeModel"
import * as AgentTests from "@heddle/test-support/AgentTests"
import * as TestedAgents from "@heddle/test-support/TestedAgents"
import { type RealStack, withRealStack } from "../support/RealStack.ts"
import { buttonsOf } from "../support/Stack.ts"

const { orders, photo } = AgentTests
/** Without a closing tag, which the fake model would take for one that an agent put around the words of a person. */
const chart = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" style="background: teal"/>`

/** The thread of the story, with what a person does in it. */
const inThread = ({ ask, emulator, you }: RealStack, thread: string) => {
  const transcript = () => emulator.transcript(thread)
  const ends = () => transcript().match(/^.*(done|stopped|failed) ·/gm)?.length ?? 0
  const waitFor = (fits: () => unknown, what: string) =>
    emulator.waitFor(() => (fits() ? transcript() : undefined), { what, timeoutMs: 40_000 })
  const openCard = () =>
    emulator.messages(thread).findLast((message) => buttonsOf(message).some((button) => allows.test(button.label)))
  const newest = (name: string) =>
    emulator
      .messages(thread)
      .flatMap(({ attachments }) => attachments)
      .findLast(({ filename }) => filename === name)
  const seenUrls = new Map<string, string>()
  return {
    transcript,
    waitFor,
    /** Waits until the thread has a file of this name with this text. */
    gets: async (name: string, text: string) => {
      for (let content = ""; content !== text;) {
        const file = await emulator.waitFor(
          () => {
            const found = newest(name)
            return found?.url === seenUrls.get(name) ? undefined : found
          },
          { what: `${name} with "${text}"`, timeoutMs: 40_000 }
        )
        seenUrls.set(name, file.url)
        // Some agents end a file with a new line.
        content = (await (await fetch(file.url)).text()).trimEnd()
      }
    },
    /** Says something and waits for the end of its turn; gives what the thread then shows. No permission is asked. */
    say: async (text: string, files: ReadonlyArray<typeof orders> = []) => {
      const before = ends()
      await you.send(thread, text, files)
      const shown = await waitFor(() => ends() > before || openCard(), `the end of "${text}"`)
      assert.strictEqual(openCard(), undefined, `"${text}" needs no permission`)
      return shown
    },
    /** Says something that needs permission; reads the card, allows it, and waits for the end of the turn. */
    allow: async (text: string) => {
      const before = ends()
      await you.send(thread, text)
      await waitFor(openCard, `a card for "${text}"`)
      const card = openCard()
      assert(card !== undefined)
      const button = buttonsOf(card).find(({ label }) => allows.test(label))
      const shown = card.embeds.map(({ description }) => description).join("\n")
      await you.press(thread, card.id, button?.custom_id ?? "")
      await waitFor(() => ends() > before, `the end of "${text}"`)
      return shown
    },
    changeMode: async (mode: string) =>
      assert.match((await ask("task mode", { mode }, thread)).content, /mode is now|already/),
    currentMode: async () => {
      const modes = await you.autocomplete(thread, "task mode", { mode: "" }, "mode")
      return modes.find(({ name }) => name.endsWith("· current"))?.value
    },
    /** The agent's own commands in the help. */
    commands: async () => {
      const help = (await ask("help", { topic: "commands" }, thread)).embeds[0]?.description ?? ""
      return help.slice(help.indexOf("Commands of this agent")).match(/^- \*\*.*?\*\*/gm) ?? []
    }
  }
}

/** The buttons that allow once: the kind of an option, then the agent's words where they say more. */
const allows = /^Allow once/

const story = async (stack: RealStack, agent: TestedAgents.TestedAgent, model: FakeModel.FakeModel) => {
  const { emulator, firstThread, folder, link, restart, you } = stack
  const asked = await you.command(emulator.channelId, "task new", { prompt: "say I see the orders", file: orders })
  await link(await asked.settled())
  const { thread } = await firstThread(60_000)
  const { allow, changeMode, commands, currentMode, gets, say, transcript, waitFor } = inThread(stack, thread.id)
  const sandboxes = join(folder, "server/sandboxes")
  const task = join(sandboxes, readdirSync(sandboxes)[0] ?? "")
  const write = (file: string, content: string) =>
    (agent.asksThere === true ? allow : say)(`write ${task}/artifacts/${file} ${content}`)

  // Files in, and the answer.
  await waitFor(() => /I see the orders[^]*done ·/.test(transcript()), "the first answer")
  assert.include(heard(model), "attachments/orders.xlsx")
  assert.include(await say("say a nice picture", [photo]), "a nice picture")
  assert.include(heard(model), "attachments/photo.png")
  const mediaTypes = model.questions.flatMap(({ media }) => media)
  assert.strictEqual(mediaTypes.includes("image/png"), agent.pictures)

  // An edit, allowed after reading its diff; the changed file comes back.
  if (agent.askingMode !== undefined) await changeMode(agent.askingMode)
  assert.match(await allow(`write ${task}/artifacts/report.md 41`), /\+41/)
  await gets("report.md", "41")
  assert.match(await allow(`edit ${task}/artifacts/report.md 41 42`), /-41[^]*\+42/)
  await gets("report.md", "42")

  // Another mode, and a chart.
  await changeMode(agent.otherMode)
  await write("chart.svg", chart)
  await gets("chart.svg", chart)
  assert.notInclude(
    transcript()
      .match(/^.*✅.*$/gm)
      ?.join("\n"),
    task.slice(1),
    "paths are those in the task's folder"
  )

  // Everything restarts, and the conversation goes on in the same mode.
  await restart(() => agent.whileStopped?.(task))
  const recalled = await say("recall")
  assert.match(recalled.slice(recalled.lastIndexOf("recall")), /I see the orders/)
  assert.strictEqual(await currentMode(), agent.otherMode)
  await write("after.md", "later")
  await gets("after.md", "later")

  // Its own commands have one form.
  const named = await commands()
  assert.isAbove(named.length, 0)
  for (const command of named) assert.match(command, /^- \*\*(\/[^/]|\\?\$)/)

  // A reader gets few messages for each of their own, files and answered questions included.
  const counts = answerPosts(emulator.messages(thread.id), you.id)
  const posts = `${agent.name}: ${counts.join(", ")} posts per answer`
  return { counts, posts, transcript: transcript() }
}

/** How many messages answer each message of a person, with files and cards; notices of another mode answer none. */
const answerPosts = (
  messages: ReturnType<RealStack["emulator"]["messages"]>,
  person: string
): ReadonlyArray<number> => {
  const counts = [0]
  for (const { author, content, type } of messages) {
    const isAnswer = type !== 21 && !/set the agent's mode/.test(content)
    if (author.id === person) counts.push(0)
    else if (isAnswer) counts[counts.length - 1]! += 1
  }
  return counts
}

const median = (counts: ReadonlyArray<number>): number =>
  counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? Number.NaN

/** All that people said, as the model heard it last. */
const heard = ({ questions }: FakeModel.FakeModel): string =>
  questions.findLast(({ tools }) => tools.size > 0)?.texts.join("\n") ?? ""

const agents = TestedAgents.read()
AgentTests.requireAll(agents)

describe("a person works with an agent in Discord", { timeout: 180_000 }, () => {
  for (const agent of agents) {
    const skipped = AgentTests.skipped(agent)
    it.skipIf(skipped !== "")(`${agent.name}: files in, a diff, files out, another mode, a restart${skipped}`, () =>
      AgentTests.withModel(agent, (model, variables) => {
        const server = {
          agents: [{ command: agent.command, environment: variables, namespaces: agent.namespaces }]
        }
        return withRealStack(
          async (stack) => {
            const { counts, posts, transcript } = await story(stack, agent, model)
            const folder = process.env["HEDDLE_TRANSCRIPTS"]
            if (folder !== undefined) {
              mkdirSync(folder, { recursive: true })
              writeFileSync(join(folder, `${agent.name}.md`), `${posts}\n\n${transcript}`)
            }
            assert.isAtMost(median(counts), 3, posts)
          },
          { server }
        )
      })
    )
  }
})
