import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import type { PlainServiceOptions } from "@heddle/plain-service"
import type { BotOptions } from "@heddle/bot/model/BotOptions"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { buttonsOf } from "../support/Stack.ts"

/** A thread in which the agent has sent a permission request. */
const withQuestion = (
  options: PlainServiceOptions & {
    readonly bot?: Partial<BotOptions>
    readonly meta?: Readonly<Record<string, unknown>>
  },
  use: (stack: PlainStack, thread: string, answers: ReadonlyArray<string>) => Promise<void>
) => {
  const answers: Array<string> = []
  const { meta: _meta = {}, ...readings } = options
  return withPlainStack(
    {
      script: async ({ ask, say, tool }) => {
        const call = { toolCallId: "write", title: "Write report.md" }
        const answer = await ask({ title: call.title, toolCall: call, _meta })
        answers.push(answer)
        if (answer === "allow") tool({ ...call, status: "in_progress" })
        say(`It was ${answer}.`)
        return { stopReason: "end_turn" }
      },
      ...readings
    },
    async (stack) => {
      const thread = await stack.start("ask")
      await stack.shows(thread, /Permission needed: Write report\.md/)
      await use(stack, thread, answers)
    }
  )
}

const patience = 60_000

/** A promise and what resolves it. */
const latch = () => {
  let resolve = () => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve: () => resolve() }
}

const click = async ({ emulator, you }: PlainStack, thread: string, name: string) => {
  const card = emulator.messages(thread).find((message) => buttonsOf(message).length > 0)!
  await you.press(thread, card.id, buttonsOf(card).find(({ label }) => label.includes(name))!.custom_id)
}

const allow = (stack: PlainStack, thread: string) => click(stack, thread, "Allow")

const allowed = /✅ Allowed: Write report\.md/
const notConfirmed = /⚠️ Answer not confirmed: Write report\.md/
const noLongerAnswerable = /⚠️ Can no longer be answered: Write report\.md/

describe.concurrent("a permission at a service that keeps the document and nothing more", { timeout: 60_000 }, () => {
  it("waits through silence, and is shown as allowed once the service has it", () =>
    withQuestion({ bot: { channelSilenceMs: 300 } }, async (stack, thread, answers) => {
      await setTimeout(1500)
      await allow(stack, thread)
      await stack.shows(thread, /✅ Allowed: Write report\.md[^]*It was allow\.[^]*done ·/)
      assert.deepEqual(answers, ["allow"])
      assert.deepEqual(
        stack.service.answers.map(({ accepted }) => accepted),
        [true]
      )
    }))

  for (const choice of ["Allow", "no"])
    it(`names the chosen option where the agent does not tell what it means (${choice})`, () =>
      withPlainStack(
        {
          script: async ({ request, say, taskId: sessionId }) => {
            const toolCall = { toolCallId: "write", title: "Write report.md" }
            const options = [{ optionId: "allow", name: "Allow" }, { optionId: "no" }]
            await request("session/request_permission", { sessionId, toolCall, options })
            say("Over.")
            return { stopReason: "end_turn" }
          }
        },
        async (stack) => {
          const thread = await stack.start("ask")
          await stack.shows(thread, /Permission needed: Write report\.md/)
          await click(stack, thread, choice)
          const shown = await stack.shows(thread, new RegExp(`Answered: Write report\\.md\\n.*${choice} — [^]*done ·`))
          assert.notMatch(shown, /allowed:|declined|✅|❌/i)
          const [{ accepted, answer } = { accepted: false, answer: {} }] = stack.service.answers
          assert.isTrue(accepted)
          assert.include(JSON.stringify(answer), `"optionId":"${choice.toLowerCase()}"`)
          const audit = await (await stack.you.command(stack.emulator.channelId, "settings audit")).settled()
          assert.match(audit.embeds[0]?.description ?? "", /answered \*\*Write report/)
        }
      ))

  it("is shown and answered while the service wants no query of the task for minutes", () => {
    const mayAsk = latch()
    return withPlainStack(
      {
        script: async ({ ask, say }) => {
          say("Working.")
          await mayAsk.promise
          say(`It was ${await ask({ title: "Write report.md" })}.`)
          return { stopReason: "end_turn" }
        }
      },
      async (stack) => {
        const { emulator, service } = stack
        const thread = await stack.start("ask")
        await stack.shows(thread, /Working\./)
        const path = /\/openapi\/v2\/tasks\/[^/]+$/
        service.addFault({ path, when: "before", effect: { status: 429, retryAfterSeconds: 300 }, times: 100 })
        const refused = () => service.requests.filter(({ status }) => status === 429)
        await emulator.waitFor(() => refused().length > 0, { what: "a refused query", timeoutMs: 15_000 })
        await setTimeout(500)
        mayAsk.resolve()
        await stack.shows(thread, /Permission needed: Write report\.md/)
        await allow(stack, thread)
        await stack.shows(thread, /It was allow\./)
        assert.lengthOf(refused(), 1)
      }
    )
  })

  it("is not shown as allowed before the service has the answer", () =>
    withQuestion({}, async (stack, thread, answers) => {
      stack.service.addFault({ rpcMethod: "response", when: "before", effect: { delayMs: 1000 } })
      await allow(stack, thread)
      assert.notMatch(await stack.shows(thread, /⏳ Sending the answer: Write report\.md/), allowed)
      await stack.shows(thread, /✅ Allowed: Write report\.md[^]*done ·/)
      assert.deepEqual(answers, ["allow"])
    }))

  // A service has ten seconds to ask again.
  it(
    "says that it can no longer be answered when its connection is gone",
    () =>
      withQuestion({}, async (stack, thread) => {
        stack.service.cutStreams()
        const transcript = await stack.shows(thread, noLongerAnswerable, 40_000)
        assert.notMatch(transcript, allowed)
        assert.deepEqual(stack.service.answers, [])
      }),
    patience
  )

  it(
    "says that a click after its connection was gone was not delivered",
    () =>
      withQuestion({}, async (stack, thread) => {
        stack.service.cutStreams()
        await allow(stack, thread)
        assert.notMatch(await stack.shows(thread, notConfirmed, 40_000), allowed)
        assert.deepEqual(stack.service.answers, [])
      }),
    patience
  )

  it(
    "says that an answer was not delivered that was on its way when the connection broke",
    () =>
      withQuestion({}, async (stack, thread) => {
        stack.service.addFault({ rpcMethod: "response", when: "before", effect: "hang" })
        await allow(stack, thread)
        await stack.shows(thread, /⏳ Sending the answer: Write report\.md/)
        stack.service.cutStreams()
        assert.notMatch(await stack.shows(thread, notConfirmed, 40_000), allowed)
      }),
    patience
  )

  for (const askStatus of ["pending", "working"] as const)
    it(
      `holds the turn when its connection is gone and the agent still waits, until a stop (status ${askStatus})`,
      () =>
        withQuestion({ askStatus, restStatus: "pending" }, async (stack, thread, answers) => {
          stack.service.cutStreams()
          await stack.shows(thread, noLongerAnswerable, 40_000)
          await stack.emulator.quiet(thread, 6000)
          assert.notMatch(stack.emulator.transcript(thread), /-# (done|paused)|stopped/)
          await stack.you.send(thread, "stop")
          await stack.shows(thread, /asked to stop and has not confirmed it/, 20_000)
          assert.deepEqual(answers, ["cancelled"])
        }),
      patience
    )

  it(
    "does not hold a turn whose agent went on after the answer, although the service did not confirm that",
    () =>
      withQuestion({ askStatus: "pending", restStatus: "pending" }, async (stack, thread, answers) => {
        stack.service.addFault({ rpcMethod: "response", when: "after", effect: { status: 503 }, times: 1000 })
        stack.service.addFault({ rpcMethod: "session/load", when: "before", effect: { delayMs: 500 } })
        await allow(stack, thread)
        await stack.shows(thread, /It was allow/)
        stack.service.cutStreams()
        await stack.shows(thread, /It was allow[^]*-# paused/, 40_000)
        assert.deepEqual(answers, ["allow"])
      }),
    patience
  )

  it("asks the person again, on one card, when the service asks again and the answer may have arrived", () =>
    withQuestion({ pendingRequests: "askedAgain" }, async (stack, thread, answers) => {
      stack.service.addFault({ rpcMethod: "response", when: "before", effect: "hang" })
      await allow(stack, thread)
      await stack.shows(thread, /⏳ Sending the answer: Write report\.md/)
      stack.service.cutStreams()
      await stack.shows(thread, /Permission needed: Write report\.md[^]*The earlier answer may have arrived/, 20_000)
      assert.deepEqual(answers, [])
      await allow(stack, thread)
      const transcript = await stack.shows(thread, /✅ Allowed: Write report\.md[^]*It was allow\.[^]*done ·/, 20_000)
      assert.strictEqual(transcript.split(": Write report.md").length, 2)
      assert.deepEqual(answers, ["allow"])
    }))

  // The bot stopped after the service had the answer, and before it could note that.
  const ends = [
    { choice: "Allow", status: "completed" },
    { choice: "Allow", status: "failed" },
    { choice: "Reject", status: "completed" }
  ] as const
  const cases = ends.flatMap((each) => [
    { ...each, isQuick: false },
    { ...each, isQuick: true }
  ])
  for (const { choice, isQuick, status } of cases)
    it(
      `is told as not confirmed after a restart, whatever became of the call (${choice}, ${status}${isQuick ? ", ends soon" : ""})`,
      () => {
        let end = () => {}
        const over = new Promise<void>((resolve) => (end = resolve))
        const script: PlainServiceOptions["script"] = async ({ ask, say, tool }) => {
          const toolCallId = tool({ title: "Write report.md", kind: "edit", status: "pending" })
          await ask({ title: "Write report.md", toolCall: { toolCallId } })
          tool({ toolCallId, status })
          await over
          say("It is over.")
          return { stopReason: "end_turn" }
        }
        return withQuestion({ script }, async (stack, thread) => {
          stack.service.addFault({ rpcMethod: "response", when: "after", effect: "hang" })
          await click(stack, thread, choice)
          await stack.emulator.waitFor(() => stack.service.answers.length === 1, { what: "the answer" })
          await stack.stopBot()
          await stack.startBot()
          if (!isQuick) await stack.shows(thread, notConfirmed, 30_000)
          end()
          const transcript = await stack.shows(thread, /It is over\.[^]*done ·/)
          assert.match(transcript, notConfirmed)
          assert.notMatch(transcript, allowed)
          assert.lengthOf(stack.service.answers, 1)
        })
      },
      patience
    )

  it(
    "has one line of its tool call when the agent asks again after a restart of the bot",
    () => {
      let again = () => {}
      const restarted = new Promise<void>((resolve) => (again = resolve))
      const script: PlainServiceOptions["script"] = async ({ ask, say }) => {
        const request = { title: "Write report.md", toolCall: { toolCallId: "write" } }
        void ask(request)
        await restarted
        say(`It was ${await ask(request)}.`)
        return { stopReason: "end_turn" }
      }
      return withQuestion({ script }, async (stack, thread) => {
        await stack.shows(thread, /▢ Write report\.md/)
        await stack.stopBot()
        await stack.startBot()
        // The service does not ask again, so the bot has read the whole session by then.
        await stack.shows(thread, noLongerAnswerable, 30_000)
        again()
        await stack.shows(thread, /Permission needed: Write report\.md/)
        await allow(stack, thread)
        const transcript = await stack.shows(thread, /It was allow\.[^]*done ·/, 20_000)
        assert.strictEqual(transcript.split("▢ Write report.md").length, 2)
      })
    },
    patience
  )

  it("says at once that the time is over which the service tells", () =>
    withQuestion({ meta: { timeoutMs: 6000 } }, async (stack, thread, answers) => {
      const began = Date.now()
      await stack.shows(thread, /⌛ Not answered in time: Write report\.md/, 12_000)
      assert.isBelow(Date.now() - began, 7000)
      await stack.shows(thread, /so it was refused[^]*It was reject\.[^]*done ·/)
      assert.deepEqual(answers, ["reject"])
    }))

  it("is not shown as allowed for a click after the service gave up waiting, where nothing tells of that", () => {
    const gaveUp = latch()
    const clicked = latch()
    return withQuestion(
      {
        permissionTimeoutMs: 5000,
        script: async ({ ask, say }) => {
          const answer = await ask({ title: "Write report.md" })
          gaveUp.resolve()
          await clicked.promise
          say(`It was ${answer}.`)
          return { stopReason: "end_turn" }
        }
      },
      async (stack, thread) => {
        await gaveUp.promise
        await allow(stack, thread)
        assert.notMatch(await stack.shows(thread, /📨 Answer sent: Write report\.md[^]*has not shown yet/), allowed)
        clicked.resolve()
        assert.notMatch(await stack.shows(thread, /📨 Answer taken[^]*It was cancelled\.[^]*done ·/), allowed)
        assert.deepEqual(
          stack.service.answers.map(({ accepted }) => accepted),
          [false]
        )
      }
    )
  })

  it("settles with the turn when the agent never says what became of its tool call", () => {
    const goOn = latch()
    const script: PlainServiceOptions["script"] = async ({ ask, say }) => {
      const answer = await ask({ title: "Write report.md" })
      await goOn.promise
      say(`It was ${answer}.`)
      return { stopReason: "end_turn" }
    }
    return withQuestion({ script }, async (stack, thread) => {
      await allow(stack, thread)
      await stack.shows(thread, /📨 Answer sent: Write report\.md[^]*has not shown yet/)
      goOn.resolve()
      const transcript = await stack.shows(thread, /📨 Answer taken: Write report\.md[^]*It was allow\.[^]*done ·/)
      assert.notMatch(transcript, /Answer sent|has not shown yet/)
    })
  })

  it("settles once the tool call has failed that was allowed", () => {
    const shown = latch()
    const script: PlainServiceOptions["script"] = async ({ ask, tool }) => {
      const toolCall = { toolCallId: "write", title: "Write report.md" }
      await ask({ title: toolCall.title, toolCall })
      await shown.promise
      tool({ ...toolCall, status: "failed" })
      return { stopReason: "end_turn" }
    }
    return withQuestion({ script }, async (stack, thread) => {
      await allow(stack, thread)
      await stack.shows(thread, /📨 Answer sent: Write report\.md/)
      shown.resolve()
      assert.notMatch(await stack.shows(thread, /✅ Allowed: Write report\.md[^]*done ·/), /Answer (sent|taken)/)
    })
  })

  it("does not settle with a turn that the agent did not end", () => {
    const script: PlainServiceOptions["script"] = async ({ ask }) => {
      await ask({ title: "Write report.md" })
      return new Promise(() => {})
    }
    return withQuestion({ script, ignoreCancel: true }, async (stack, thread) => {
      await allow(stack, thread)
      await stack.shows(thread, /📨 Answer sent: Write report\.md/)
      await stack.you.send(thread, "stop")
      const transcript = await stack.shows(thread, /asked to stop and has not confirmed it/, 20_000)
      assert.match(transcript, /📨 Answer sent: Write report\.md[^]*has not shown yet/)
    })
  })

  for (const status of ["completed", "failed"])
    it(`can no longer be answered once its tool call is ${status}`, () => {
      const shown = latch()
      const closed = latch()
      return withQuestion(
        {
          script: async ({ ask, tool }) => {
            const call = { toolCallId: "write", title: "Write report.md" }
            tool({ ...call, status: "pending" })
            void ask({ title: call.title, toolCall: call })
            await shown.promise
            tool({ ...call, status })
            await closed.promise
            return { stopReason: "end_turn" }
          }
        },
        async (stack, thread) => {
          shown.resolve()
          await stack.shows(thread, /No longer open: Write report\.md/)
          assert.isFalse(stack.emulator.messages(thread).some((message) => buttonsOf(message).length > 0))
          closed.resolve()
          assert.notMatch(await stack.shows(thread, /done ·/), allowed)
        }
      )
    })
})
