import { choosingAgent } from "@heddle/test-support/Agents"
import { assert } from "@effect/vitest"
import type { RealStack } from "./RealStack.ts"

/** A service with the agent that has what the flags say. */
export const choosing = (...flags: ReadonlyArray<string>) => ({
  server: { agents: [{ command: [process.execPath, choosingAgent, ...flags], isolation: "none" }] } as const
})

/** Connects and starts a task; its first prompt asks the agent for what it has. */
export const startTask = async (stack: RealStack) => {
  await stack.link(await stack.ask("task new", { prompt: "state" }))
  const { shows, thread } = await stack.firstThread(20_000)
  await shows(/done ·/)
  const ask = (path: string, options: Record<string, string>) => stack.ask(path, options, thread.id)
  const suggest = (path: string, options: Record<string, string>, focused: string) =>
    stack.you.autocomplete(thread.id, path, options, focused)
  const card = () =>
    stack.emulator
      .messages(stack.emulator.channelId)
      .map(({ content }) => content)
      .join("\n")
  let asked = 0
  /** What the agent says it has, in a turn of its own. */
  const state = async () => {
    const mark = `mark${++asked}`
    await stack.you.send(thread.id, `echo ${mark}\nstate`)
    const found = new RegExp(`${mark}(\\{[^{}]*\\})`)
    return JSON.parse(found.exec((await shows(found)).replaceAll("\\", ""))?.[1] ?? "{}")
  }
  return { ask, card, shows, state, suggest, thread }
}

/** The newest thread. */
export const newest = ({ emulator }: RealStack) => {
  const [first] = emulator.threads().toSorted((one, other) => (BigInt(one.id) < BigInt(other.id) ? 1 : -1))
  assert.isDefined(first)
  return first
}

/** Starts the nth task, which asks the agent for what it has, and waits for its end. */
export const nextTask = async (stack: RealStack, count: number) => {
  const { emulator } = stack
  await stack.ask("task new", { prompt: "state" })
  await emulator.waitFor((e) => e.threads().length === count, { what: `thread ${count}` })
  return emulator.waitFor(
    (e) => /\}[^]*(done|完成) ·/.test(e.transcript(newest(stack).id)) && e.transcript(newest(stack).id),
    {
      what: "the end"
    }
  )
}
