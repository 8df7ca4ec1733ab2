import { assert, describe, it } from "@effect/vitest"
import type { Script } from "@heddle/plain-service"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { buttonsOf } from "../support/Stack.ts"

/** Several stacks at once take a busy machine a while. */
const patience = 45_000
const replays = ["full", "withoutUserMessages", "none"] as const
/** The service runs the first prompt before the bot is there. */
const echoSlowly: Script = async ({ say, text }) => {
  await new Promise((resolve) => setTimeout(resolve, 3000))
  say(`Slow: ${text}`)
  return { stopReason: "end_turn" }
}
const prompts = ({ service }: PlainStack) => service.rounds.map(({ text }) => text)

describe.concurrent("the status of a task at a service that keeps the document", { timeout: 60_000 }, () => {
  for (const replay of replays)
    it(`pending after a round takes the next message (replay ${replay})`, () =>
      withPlainStack(
        {
          replay,
          restStatus: "pending",
          script: echoSlowly
        },
        async (stack) => {
          const thread = await stack.start("one")
          await stack.shows(thread, /Slow: one[^]*-# paused: the task rests or waits/, patience)
          await stack.you.send(thread, "two")
          await stack.shows(thread, /Slow: two[^]*done ·/, patience)
          assert.deepEqual(prompts(stack), ["one", "two"])
        }
      ))

  for (const restStatus of ["idle", "pending"] as const)
    for (const replay of ["full", "withoutUserMessages"] as const)
      it(`a message that was taken and lost does not hold the thread at rest in ${restStatus} (replay ${replay})`, () =>
        withPlainStack({ replay, restStatus, bot: { channelSilenceMs: 1000 }, script: echoSlowly }, async (stack) => {
          const thread = await stack.start("one")
          await stack.shows(thread, /Slow: one[^]*-# (done|paused)/, patience)
          stack.service.addFault({ rpcMethod: "session/prompt", when: "before", effect: { status: 202, body: "" } })
          await stack.you.send(thread, "two")
          const isSent = replay === "full"
          await stack.shows(thread, isSent ? /Slow: two[^]*done ·/ : /It is not known whether the agent got/, patience)
          assert.deepEqual(prompts(stack), isSent ? ["one", "two"] : ["one"])
        }))

  it("pending with an open question is at work", () =>
    withPlainStack(
      {
        askStatus: "pending",
        restStatus: "pending",
        script: async ({ ask, say }) => {
          await new Promise((resolve) => setTimeout(resolve, 3000))
          say(`You chose ${await ask({ title: "Write the file" })}`)
          return { stopReason: "end_turn" }
        }
      },
      async ({ emulator, shows, start, you }) => {
        const thread = await start("one")
        const card = await emulator.waitFor(
          (e) => e.messages(thread).find((each) => buttonsOf(each).some(({ label }) => /Allow/.test(label))),
          { what: "the question" }
        )
        await emulator.quiet(thread, 6000)
        assert.notMatch(emulator.transcript(thread), /-# (done|paused)/)
        const { custom_id: allow } = buttonsOf(card).find(({ label }) => /Allow/.test(label))!
        await you.press(thread, card.id, allow)
        await shows(thread, /You chose allow[^]*-# paused/, patience)
      }
    ))

  for (const replay of ["full", "withoutUserMessages"] as const)
    it(`a question that ends while the bot is away holds no thread at rest in pending (replay ${replay})`, () => {
      let end = () => {}
      const ended = new Promise<void>((resolve) => void (end = resolve))
      const script: Script = async ({ ask, say, text }) => {
        await new Promise((resolve) => setTimeout(resolve, 3000))
        if (text === "ask") {
          say("Before. ")
          say(`It was ${await ask({ title: "Write the file" })}.`)
          end()
        } else say(`Echo: ${text}.`)
        return { stopReason: "end_turn" }
      }
      return withPlainStack({ replay, script, restStatus: "pending", permissionTimeoutMs: 3000 }, async (stack) => {
        const thread = await stack.start("one")
        await stack.shows(thread, /Echo: one[^]*-# paused/, patience)
        await stack.you.send(thread, "ask")
        await stack.shows(thread, /Permission needed/, patience)
        await stack.stopBot()
        await ended
        await stack.startBot()
        await stack.you.send(thread, "three")
        await stack.shows(thread, /It was cancelled[^]*Echo: three[^]*done ·/, patience)
      })
    })

  for (const replay of replays)
    it(`failed ends a message, not the task (replay ${replay})`, () =>
      withPlainStack(
        {
          replay,
          script: async ({ say, text }) => {
            say(`Begun: ${text}.`)
            if (text.includes("slow")) await new Promise((resolve) => setTimeout(resolve, 3000))
            return text.includes("fail") ? { failed: "the disk is full" } : { stopReason: "end_turn" }
          }
        },
        async (stack) => {
          const { service, shows, start, you } = stack
          const quick = await start("fail")
          const transcript = await shows(quick, /This did not work[^]*failed/)
          if (replay !== "none") assert.match(transcript, /Begun: fail/)
          await you.send(quick, "go on")
          await shows(quick, /Begun: go on[^]*done ·/)
          await you.send(quick, "fail slow")
          await shows(quick, /Begun: fail slow[^]*the disk is full[^]*You can send another message here/)
          await you.send(quick, "and on")
          await shows(quick, /Begun: and on[^]*done ·/)
          assert.deepEqual(prompts(stack), ["fail", "go on", "fail slow", "and on"])
          assert.deepEqual(
            service.tasks().map(({ status }) => status),
            ["idle"]
          )
        }
      ))

  it("archived ends the task, and the thread says so", () =>
    withPlainStack({}, async ({ service, shows, start, you }) => {
      const thread = await start("one")
      await shows(thread, /Echo: one[^]*done ·/, patience)
      for (const { taskId } of service.tasks()) service.setTaskStatus(taskId, "archived")
      await you.send(thread, "two")
      await shows(thread, /This task has ended in the cloud/, patience)
    }))
})
