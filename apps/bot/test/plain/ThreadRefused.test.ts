import { assert, describe, it } from "@effect/vitest"
import { echo } from "../support/Agents.ts"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { type Stack, withStack } from "../support/Stack.ts"

const refusals = [
  { name: "no more active threads", code: 160006 },
  { name: "no permission to open threads", code: 50013 },
  { name: "an unknown channel", code: 10003 }
] as const

const refuse = ({ emulator }: Pick<Stack, "emulator">, code: number) =>
  emulator.fault({ method: "POST", route: /\/threads$/, status: code === 10003 ? 404 : 400, code, times: 1 })

const start = async ({ emulator, you }: Pick<PlainStack, "emulator" | "you">) =>
  (await you.command(emulator.channelId, "task new", { prompt: "one" })).settled()

/** Opens the task that the bot names, as its words advise. */
const openTask = async ({ emulator, you }: Pick<PlainStack, "emulator" | "you">, taskId: string) => {
  await you.command(emulator.channelId, "task open", { task: taskId })
  return (await emulator.waitFor((e) => e.threads()[0], { what: "the thread" })).id
}

/** Opens threads while the bot is away; returns the first one. */
const fillThreads = async ({ emulator, startBot, stopBot, you }: PlainStack, count: number) => {
  await stopBot()
  const open = (name: string) =>
    you.request("POST", `/channels/${emulator.channelId}/threads`, { name, type: 11 }) as Promise<{ id: string }>
  const first = await open("first")
  for (let opened = 1; opened < count; opened++) await open(`${opened}`)
  await startBot()
  return first
}

describe("a thread that Discord refuses", () => {
  for (const { code, name } of refusals) {
    it(`says that the task exists and may be charged (${name})`, () =>
      withPlainStack({}, async (stack) => {
        refuse(stack, code)
        const { content } = await start(stack)
        const [task] = stack.service.tasks()
        assert.include(content, `\`${task!.taskId}\``)
        assert.match(content, /\*\*one\*\* exists/)
        assert.match(content, /may be at work on your message/)
        assert.match(content, /charged as usual/)
        assert.notMatch(content, /[Nn]othing was charged|not started|try again/)
        assert.match(content, /\/task open/)
        const thread = await openTask(stack, task!.taskId)
        await stack.you.send(thread, "two")
        await stack.shows(thread, /Echo: two[^]*done ·/)
        assert.lengthOf(stack.service.tasks(), 1)
      }))

    it(`says that nothing was charged where the service holds the prompt (${name})`, () =>
      withStack(echo, async (stack) => {
        refuse(stack, code)
        const { content } = await start(stack)
        assert.match(content, /exists \(`[^`]+`\)/)
        assert.match(content, /agent did not get your message, and nothing was charged/)
        assert.match(content, /\/task open/)
        assert.notMatch(content, /not started|try again/)
      }))
  }

  it("leaves no card in the channel, and names the cap of active threads and what helps", () =>
    withPlainStack({}, async (stack) => {
      const { emulator } = stack
      const before = emulator.messages(emulator.channelId).length
      refuse(stack, 160006)
      const { content } = await start(stack)
      assert.match(content, /as many active threads as Discord allows/)
      assert.match(content, /archive/i)
      assert.strictEqual(emulator.messages(emulator.channelId).length, before)
    }))

  for (const { fails, name } of [
    { name: "a thread that Discord refuses meanwhile", fails: (stack: PlainStack) => refuse(stack, 160006) },
    {
      name: "a task that the service refuses",
      fails: ({ service }: PlainStack) =>
        service.addFault({ method: "POST", path: /\/tasks$/, when: "before", effect: { status: 400 } })
    }
  ])
    it(
      `leaves no task, no card and no active thread near the cap, after ${name}`,
      () =>
        withPlainStack({}, async (stack) => {
          const { emulator, service } = stack
          await fillThreads(stack, 950)
          const before = emulator.messages(emulator.channelId)
          fails(stack)
          const { content } = await start(stack)
          assert.match(content, /nothing was charged|not started/i)
          assert.deepEqual(service.tasks(), [])
          assert.deepEqual(emulator.messages(emulator.channelId), before)
          assert.deepEqual(emulator.threads().filter(({ archived }) => !archived).length, 950)
        }),
      60_000
    )

  it(
    "creates no task in a server that has as many active threads as Discord allows",
    () =>
      withPlainStack({}, async (stack) => {
        const { emulator, service, you } = stack
        const first = await fillThreads(stack, 1000)
        const before = emulator.messages(emulator.channelId).length
        const { content } = await start(stack)
        assert.match(content, /^This server has as many active threads as Discord allows[^]*nothing was charged/)
        assert.deepEqual(service.tasks(), [])
        assert.strictEqual(emulator.messages(emulator.channelId).length, before)
        await you.request("PATCH", `/channels/${first.id}`, { archived: true })
        await start(stack)
        assert.lengthOf(service.tasks(), 1)
      }),
    60_000
  )

  it("says so in public to the author of a message", () =>
    withPlainStack({}, async (stack) => {
      const { emulator, you } = stack
      refuse(stack, 160006)
      await you.send(emulator.channelId, `<@${emulator.applicationId}> one`)
      const said = await emulator.waitFor(
        (e) => e.messages(e.channelId).find(({ content }) => content.includes("/task open")),
        { what: "what became of the task" }
      )
      assert.match(said.content, /\*\*one\*\* exists/)
      assert.match(said.content, /may be at work on your message/)
    }))
})
