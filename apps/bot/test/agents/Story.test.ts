import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as FakeModel from "@heddle/test-support/model/FakeModel"
import * as TestedAgents from "@heddle/test-support/TestedAgents"
import { type RealStack, withRealStack } from "../support/RealStack.ts"
import { buttonsOf } from "../support/Stack.ts"

const orders = {
  name: "orders.xlsx",
  data: new TextEncoder().encode("PK\u0003\u0004 orders"),
  contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
}
const photo = {
  name: "photo.png",
  data: Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64"
  ),
  contentType: "image/png"
}
const chart = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="9"/></svg>`

/** The thread of the story, with what a person does in it. */
const inThread = ({ emulator, you }: RealStack, thread: string) => {
  const transcript = () => emulator.transcript(thread)
  const ends = () => transcript().match(/^.*(done|stopped|failed) ·/gm)?.length ?? 0
  const waitFor = (fits: () => unknown, what: string) =>
    emulator.waitFor(() => (fits() ? transcript() : undefined), { what, timeoutMs: 40_000 })
  const openCard = () =>
    emulator.messages(thread).findLast((message) => buttonsOf(message).some((button) => allows.test(button.label)))
  return {
    transcript,
    waitFor,
    /** Says something and waits for the end of its turn; gives what the thread then shows. */
    say: async (text: string, files: ReadonlyArray<typeof orders> = []) => {
      const before = ends()
      await you.send(thread, text, files)
      return waitFor(() => ends() > before, `the end of "${text}"`)
    },
    /** Says something that needs permission; reads the card, allows it, and waits for the end of the turn. */
    allow: async (text: string) => {
      const before = ends()
      await you.send(thread, text)
      await waitFor(openCard, `a card for "${text}"`)
      const card = openCard()
      assert(card !== undefined)
      const button = buttonsOf(card).find(({ label }) => allows.test(label))
      const shown = transcript()
      await you.press(thread, card.id, button?.custom_id ?? "")
      await waitFor(() => ends() > before, `the end of "${text}"`)
      return shown
    }
  }
}

/** What the agents call allowing once. */
const allows = /^(Yes|Yes, proceed|Allow|Allow once)$/

const story = async (stack: RealStack, agent: TestedAgents.TestedAgent, model: FakeModel.FakeModel) => {
  const { ask, emulator, firstThread, folder, link, restart, you } = stack
  const asked = await you.command(emulator.channelId, "task new", { prompt: "say I see the orders", file: orders })
  await link(await asked.settled())
  const { thread } = await firstThread(60_000)
  const { allow, say, transcript, waitFor } = inThread(stack, thread.id)
  const sandboxes = join(folder, "server/sandboxes")
  const task = join(sandboxes, readdirSync(sandboxes)[0] ?? "")

  // Files in.
  await waitFor(() => /I see the orders[^]*done ·/.test(transcript()), "the first answer")
  assert.include(heard(model), "attachments/orders.xlsx")
  await say("say a nice picture", [photo])
  assert.include(heard(model), "attachments/photo.png")

  // An edit, allowed after reading its diff; the changed file comes back.
  if (agent.askingMode !== undefined) await ask("task mode", { mode: agent.askingMode }, thread.id)
  await allow(`write ${task}/artifacts/report.md 41`)
  const diff = await allow(`edit ${task}/artifacts/report.md 41 42`)
  assert.match(diff, /-41[^]*\+42/)
  await waitFor(() => /report\.md/.test(transcript()), "the report")

  // Another mode, and a chart.
  await ask("task mode", { mode: agent.otherMode }, thread.id)
  const drawing = `write ${task}/artifacts/chart.svg ${chart}`
  await (agent.asksThere === true ? allow(drawing) : say(drawing))
  await waitFor(() => /chart\.svg/.test(transcript()), "the chart")

  // Everything restarts, and the conversation goes on in the same mode.
  await restart(() => agent.whileStopped?.(task))
  const recalled = await say("recall")
  assert.match(recalled.slice(recalled.lastIndexOf("recall")), /I see the orders/)
  const after = `write ${task}/artifacts/after.md later`
  await (agent.asksThere === true ? allow(after) : say(after))
  await waitFor(() => /after\.md/.test(transcript()), "the last file")
  return transcript()
}

/** All that people said, as the model heard it last. */
const heard = ({ questions }: FakeModel.FakeModel): string =>
  questions.findLast(({ tools }) => tools.size > 0)?.texts.join("\n") ?? ""

const agents = TestedAgents.read()
const unable = agents.filter(({ problem }) => problem !== undefined)
if (process.env["HEDDLE_REQUIRE_AGENTS"] === "1" && unable.length > 0) {
  throw new Error(`HEDDLE_REQUIRE_AGENTS=1, but ${unable.map(({ name, problem }) => `${name}: ${problem}`).join("; ")}`)
}

describe("a person works with an agent in Discord", { timeout: 180_000 }, () => {
  for (const agent of agents) {
    const skipped = agent.problem === undefined ? "" : ` (skipped: ${agent.problem})`
    it.skipIf(skipped !== "")(
      `${agent.name}: files in, a diff, files out, another mode, a restart${skipped}`,
      async () => {
        const model = await FakeModel.start()
        const environment = agent.environment(model.url)
        Object.assign(process.env, environment)
        try {
          const server = {
            agents: [{ command: agent.command, environment: Object.keys(environment), namespaces: agent.namespaces }]
          }
          await withRealStack(
            async (stack) => {
              const transcript = await story(stack, agent, model)
              const folder = process.env["HEDDLE_TRANSCRIPTS"]
              if (folder !== undefined) writeFileSync(join(folder, `${agent.name}.md`), transcript)
            },
            { server }
          )
        } finally {
          for (const name of Object.keys(environment)) delete process.env[name]
          await model.close()
        }
      }
    )
  }
})
