import { assert, describe, it, onTestFinished, vi } from "@effect/vitest"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as RetrySchedules from "@heddle/bot/concurrency/RetrySchedules"
import * as Database from "@heddle/bot/store/database/Database"
import { folder } from "@heddle/test-support/Folder"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import type { Script } from "../support/Agents.ts"
import { choose, inChat } from "../support/session/AssistantChats.ts"
import { buttonsOf, patience, type Stack, withStack } from "../support/Stack.ts"

const hour = 3_600_000

/** Sets the time of day of this process by some milliseconds, as a time server does, until the end of the test. */
const stepClock = (ms: number) => {
  const real = Date.now
  const spy = vi.spyOn(Date, "now").mockImplementation(() => real.call(Date) + ms)
  onTestFinished(() => spy.mockRestore())
}

/** Asks for permission once, and says what the person chose. */
const asksOnce: Script = async (turn) => {
  const tool = { toolCallId: "t1", title: "Write report.md", kind: "edit" }
  turn.update({ sessionUpdate: "tool_call", ...tool, status: "pending" })
  turn.say(`You chose ${await turn.ask(tool)}.`)
  return "end_turn"
}

const asked = async ({ emulator, shows, start, you }: Stack) => {
  const thread = await start("write")
  await shows(thread, /Permission needed/, patience)
  const card = emulator.messages(thread).findLast((message) => buttonsOf(message).length > 0)!
  return { thread, answer: () => you.press(thread, card.id, buttonsOf(card)[0]!.custom_id) }
}

describe("the deadline of a request, after the time of day was set", { timeout: 60_000 }, () => {
  for (const step of [-2 * hour, 2 * hour]) {
    it(`by ${step / hour} hours, is when it was: an answer before it counts`, () =>
      withStack(asksOnce, async (stack) => {
        const { answer, thread } = await asked(stack)
        stepClock(step)
        await answer()
        await stack.shows(thread, /You chose allow\./, patience)
      }))

    it(`by ${step / hour} hours, is when it was: without an answer the request is refused`, () =>
      withStack(
        asksOnce,
        async (stack) => {
          const { thread } = await asked(stack)
          stepClock(step)
          await stack.shows(thread, /Not answered in time: Write report\.md[^]*so it was refused/, patience)
          await stack.shows(thread, /You chose deny\./, patience)
        },
        { answerDeadlineMs: 4000 }
      ))
  }
})

describe("the deadline of an assistant's question, after the time of day was set", { timeout: 60_000 }, () => {
  const ask = async ([{ service }, , shows]: Parameters<Parameters<typeof inChat>[1]>, timeoutMs: number) => {
    const asked = service.assistant.ask("", [{ question: "May I paint?", options: ["yes", "no"] }], { timeoutMs })
    await shows(/May I paint\?[^]*Choose below[^]*Open until/)
    return asked
  }
  for (const step of [-2 * hour, 2 * hour]) {
    it(`by ${step / hour} hours, is when it was: an answer before it counts`, () =>
      inChat({ assistant: "A" }, async (...chat) => {
        const { answer } = await ask(chat, hour)
        stepClock(step)
        await choose(chat[0], chat[1], 0, "0")
        await chat[2](/Answered\. The assistant goes on/)
        assert.deepEqual((await answer).answers, { q_0: "yes" })
      }))

    it(`by ${step / hour} hours, is when it was: without an answer the card closes`, () =>
      inChat({ assistant: "A" }, async (...chat) => {
        await ask(chat, 4000)
        stepClock(step)
        await chat[2](/The time that the assistant gave for this answer is over\. No answer was sent/)
      }))
  }
})

/** A clock at a time of day. */
const clockAt = (millis: number): Clock.Clock =>
  Object.assign(Clock.make(), {
    unsafeCurrentTimeMillis: () => millis,
    currentTimeMillis: Effect.succeed(millis),
    unsafeCurrentTimeNanos: () => BigInt(millis) * 1_000_000n,
    currentTimeNanos: Effect.succeed(BigInt(millis) * 1_000_000n)
  })

describe("stored deadlines at a start", () => {
  const asked = 1_800_000_000_000
  const question = JSON.stringify({ questions: [], expiresAt: asked + hour, askedAt: asked })

  for (const [name, start, expected] of [
    ["come no later than their full time, after the clock was set back", asked - 2 * hour, asked - hour],
    ["stay, after the clock was set back by less than the time that passed", asked + 60_000, asked + hour],
    ["stay, after the clock was set forward", asked + 2 * hour, asked + hour]
  ] as const) {
    it.scopedLive(name, () =>
      Effect.gen(function* () {
        const database = Layer.provide(Database.layer(yield* folder("heddle-rows-")), NodeContext.layer)
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`INSERT INTO permissions ${sql.insert({
            permission_id: "p",
            turn_id: "t",
            thread_id: "1",
            fingerprint: "",
            tool_call_id: "",
            after_entries: 0,
            after_chars: 0,
            form: "permission",
            title: "",
            detail: "",
            options: "[]",
            questions: "[]",
            draft: "{}",
            state: "open",
            sent: 0,
            asked_at: asked,
            deadline_at: asked + hour
          })}`
          yield* sql`INSERT INTO assistant_questions (question_id, thread_id, question, draft, state)
            VALUES ('q', '1', ${question}, '{}', 'open')`
        }).pipe(Effect.provide(database), Effect.withClock(clockAt(asked)))
        // Twice: the second start finds what the first one moved.
        for (const _ of [1, 2]) {
          const rows = yield* Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            return yield* sql`SELECT deadline_at AS at FROM permissions
              UNION ALL SELECT json_extract(question, '$.expiresAt') FROM assistant_questions`
          }).pipe(Effect.provide(database), Effect.withClock(clockAt(start)))
          assert.deepStrictEqual(rows, [{ at: expected }, { at: expected }])
        }
      })
    )
  }
})

describe("a wait, after the time of day was set back", { timeout: 60_000 }, () => {
  it("for a post that Discord keeps failing is as long as without", () =>
    withStack(
      async (turn) => {
        turn.say("begin")
        await new Promise((resolve) => setTimeout(resolve, 1500))
        turn.say(" end")
        return "end_turn"
      },
      async ({ emulator, shows, start }) => {
        const thread = await start("one")
        await shows(thread, /begin/, patience)
        const post = emulator.messages(thread).find(({ content }) => content.startsWith("begin"))!
        emulator.fault({ method: "PATCH", route: new RegExp(`/messages/${post.id}$`), status: 500 })
        await new Promise((resolve) => setTimeout(resolve, 3000))
        stepClock(-2 * hour)
        await shows(thread, /Discord does not accept this post/, 20_000)
      },
      { stuckAfterMs: 2000 }
    ))

  it("for the next request of a redemption is at most as long as it can be", () => {
    const now = 1_700_000_000_000
    assert.strictEqual(RetrySchedules.redemptionWait(now + 60_000, now), 60_000)
    assert.strictEqual(RetrySchedules.redemptionWait(now + 60_000, now + hour), 0)
    assert.strictEqual(RetrySchedules.redemptionWait(now + 60_000, now - 2 * hour), 900_000)
  })

  it.effect("for the next request to stop a task is as late as the service asks", () =>
    Effect.gen(function* () {
      let tries = 0
      const stop = Effect.suspend(() => Effect.fail({ retryAfter: tries++ === 0 ? 61 : 0 }))
      yield* Effect.forkScoped(Effect.retry(stop, RetrySchedules.stopTask("15 minutes")))
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(tries, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(tries, 2)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(tries, 3)
    }).pipe(Effect.scoped)
  )
})
