import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import type { PlainService, PlainServiceOptions } from "@heddle/plain-service"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { writeAsAnother } from "../support/scenarios/AnotherClient.ts"
import { personAt } from "../support/ReadingStories.ts"

type Rule = Parameters<PlainService["addFault"]>[0]

const before = (rule: Omit<Rule, "effect" | "times" | "when">, status: number): Rule => ({
  ...rule,
  when: "before",
  effect: { status },
  times: 1000
})

const readTask = { method: "GET", path: /\/tasks\/[^/]+$/ }
const refusals: ReadonlyArray<readonly [name: string, rule: Rule]> = [
  ["GET task 403", before(readTask, 403)],
  ["GET task 400", before(readTask, 400)],
  ["GET acp 403", before({ method: "GET", path: /\/acp$/ }, 403)],
  ["GET acp 404", before({ method: "GET", path: /\/acp$/ }, 404)],
  ["session/load 403", before({ rpcMethod: "session/load" }, 403)],
  ["initialize 400", before({ rpcMethod: "initialize" }, 400)]
]

const isTruth = /This did not work[^]*If your message reached the agent, its work may go on and is charged as usual\./
const claims =
  /[Nn]othing was (changed|charged|sent)|nothing more is|costs nothing|task new>? starts a new task|\/task new`? starts/
const prompts = ({ service }: PlainStack) => service.rounds.map(({ text }) => text)

/** A thread whose second message runs until the end of the test. */
const withRunningMessage = (
  use: (stack: PlainStack, thread: string) => Promise<void>,
  prepare: (stack: PlainStack) => void = () => {}
) => {
  let go = () => {}
  const opened = new Promise<void>((resolve) => (go = resolve))
  return withPlainStack(
    {
      script: async ({ say, text }) => {
        say(`Begun: ${text}. `)
        if (text === "two") await opened
        return { stopReason: "end_turn" }
      }
    },
    async (stack) => {
      const thread = await stack.start("one")
      await stack.shows(thread, /Begun: one[^]*done ·/)
      prepare(stack)
      await stack.you.send(thread, "two")
      await stack.shows(thread, /Begun: two/)
      await use(stack, thread)
      go()
    }
  )
}

describe.concurrent("a message that the agent has, at a service that then refuses", () => {
  for (const [name, rule] of refusals) {
    it(`is not told as free of charge when it is the first (${name})`, () =>
      withPlainStack({}, async (stack) => {
        stack.service.addFault(rule)
        const thread = await stack.start("one")
        const transcript = await stack.shows(thread, isTruth, 15_000)
        assert.notMatch(transcript, claims)
        assert.deepEqual(prompts(stack), ["one"])
      }))
  }

  for (const [name, rule] of refusals.filter((_, index) => index % 4 === 0)) {
    it(`is told as not sent when it is a later one (${name})`, () =>
      withPlainStack({}, async (stack) => {
        const thread = await stack.start("one")
        await stack.shows(thread, /Echo: one[^]*done ·/)
        await stack.stopBot()
        await stack.startBot()
        stack.service.addFault(rule)
        await stack.you.send(thread, "two")
        const transcript = await stack.shows(thread, /This did not work/, 15_000)
        assert.match(transcript, /did not (get|reach)/)
        assert.deepEqual(prompts(stack), ["one"])
      }))

    it(`is not told as free of charge after a restart of the bot (${name})`, () =>
      withRunningMessage(async (stack, thread) => {
        await stack.stopBot()
        stack.service.addFault(rule)
        await stack.startBot()
        assert.notMatch(await stack.shows(thread, isTruth, 15_000), claims)
      }))
  }

  it("is not told as free of charge when its POST was reset after it ran", () =>
    withRunningMessage(
      async (stack, thread) => {
        stack.service.addFault(before(readTask, 403))
        assert.notMatch(await stack.shows(thread, isTruth, 15_000), claims)
        assert.deepEqual(prompts(stack), ["one", "two"])
      },
      ({ service }) => service.addFault({ rpcMethod: "session/prompt", when: "after", effect: "reset" })
    ))
})

describe.concurrent("a redemption that a busy service refuses", () => {
  it("is sent again after 1, 2 and 4 s, and its credits come", { timeout: 40_000 }, () =>
    withPlainStack({}, async (stack) => {
      const { service } = stack
      const { allow, submit, told } = personAt(stack)
      await allow("redeem code")
      service.addVoucher({ code: "ABC12345", credits: 50 })
      const path = /\/redemptions$/
      service.addFault({ path, when: "before", effect: { status: 429 }, times: 3 })
      await submit("redeem code", { code: "ABC12345" })
      await told(/\*\*50 credits\*\* were/)
      const at = service.requests.filter((request) => path.test(request.path)).map((request) => request.at)
      assert.lengthOf(at, 4)
      for (const [n, wait] of [1000, 2000, 4000].entries()) assert.isAtLeast(at[n + 1]! - at[n]!, wait)
    })
  )

  it("is sent again no earlier than the service says, where its outcome is unknown", { timeout: 40_000 }, () =>
    withPlainStack({}, async (stack) => {
      const { service } = stack
      const { allow, submit, told } = personAt(stack)
      await allow("redeem code")
      service.addVoucher({ code: "ABC12345", credits: 50 })
      const path = /\/redemptions$/
      service.addFault({ path, when: "after", effect: { status: 503, retryAfterSeconds: 61 }, times: 100 })
      await submit("redeem code", { code: "ABC12345" })
      await told(/not known yet whether this was redeemed/)
      await setTimeout(5000)
      assert.lengthOf(
        service.requests.filter((request) => path.test(request.path)),
        1
      )
    })
  )
})

describe.concurrent("a message that never went out", () => {
  const isFree = /The agent did not get your message, and nothing was charged for it/
  const blames = /shown above|tells what it cost/

  for (const status of ["archived", "deleted"] as const)
    it(`is told as free of charge where its task was ${status} meanwhile`, () =>
      withRunningMessage(async (stack, thread) => {
        const { emulator, service, shows, you } = stack
        await you.send(thread, "three")
        await shows(thread, /1\. three/)
        service.setTaskStatus(service.tasks()[0]!.taskId, status)
        await shows(thread, /This task has ended[^]*This task has ended/)
        const end = emulator.transcript(thread).split("This did not work").at(-1) ?? ""
        assert.match(end, isFree)
        assert.notMatch(end, blames)
        assert.deepEqual(prompts(stack), ["one", "two"])
      }))

  it("is told as free of charge where the agent refuses it because another prompt runs", () => {
    let go = () => {}
    const opened = new Promise<void>((resolve) => (go = resolve))
    const script: PlainServiceOptions["script"] = async ({ say, text }) => {
      say(`Begun: ${text}. `)
      if (text === "other") await opened
      return { stopReason: "end_turn" }
    }
    return withPlainStack({ replay: "full", script }, async (stack) => {
      const thread = await stack.start("one")
      await stack.shows(thread, /Begun: one[^]*done ·/)
      const written = writeAsAnother(stack.service, "other")
      await stack.emulator.waitFor(() => stack.service.rounds.length === 2, { what: "the prompt of another client" })
      await stack.you.send(thread, "two")
      const shown = await stack.shows(thread, /already running[^]*/)
      assert.match(shown, isFree)
      assert.notMatch(shown, blames)
      go()
      await written
    })
  })
})
