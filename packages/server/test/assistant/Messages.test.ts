import { assert, describe, it } from "@effect/vitest"
import { AssistantMessages } from "@heddle/server/assistant/AssistantMessages"
import { AssistantQuestions } from "@heddle/server/assistant/AssistantQuestions"
import * as MessageIdempotencyKeys from "@heddle/server/assistant/MessageIdempotencyKeys"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { withAllRules } from "../support/AllRules.ts"

const text = (text: string) => ({ msgType: "text", text }) as const
const request = (requestId: string) =>
  ({ requestId, kind: "questionnaire", text: "Which?", answerable: true, questions: [] }) as const

describe("of two conversations", () => {
  it.scoped("each has its own messages, backlog and answers, and the oldest message of a user is next", () =>
    withAllRules({}, ({ clientId, otherClientId }) =>
      Effect.gen(function* () {
        const messages = yield* AssistantMessages
        const mine = { clientId, userId: "ada" }
        const [elsewhere, hers] = [
          { clientId: otherClientId, userId: "ada" },
          { clientId, userId: "bea" }
        ]
        const first = yield* messages.send(mine, "one")
        const second = yield* messages.send(elsewhere, "two")
        yield* messages.send(hers, "three")
        yield* messages.send(mine, "four")
        const backlogs = Effect.forEach([mine, elsewhere, hers], messages.backlog)
        assert.deepStrictEqual(yield* backlogs, [2, 1, 1])
        const next = (userId: string) =>
          Effect.map(messages.next(userId), (found) => Option.getOrUndefined(found)?.content)
        assert.deepStrictEqual([yield* next("ada"), yield* next("bea")], ["one", "three"])
        assert.isTrue(Option.isNone(yield* messages.reply("bea", first, text("forged"))))
        const answer = yield* messages.reply("ada", first, text("answer"))
        assert.deepStrictEqual(yield* messages.reply("ada", first, text("again")), answer)
        assert.deepStrictEqual(yield* backlogs, [1, 1, 1])
        assert.strictEqual(yield* next("ada"), "two")
        const page = (owner: typeof mine, newestFirst = false) =>
          Effect.map(messages.page(owner, { limit: 10, offset: 0, newestFirst }), (rows) =>
            rows.map(({ content }) => content)
          )
        assert.deepStrictEqual(yield* page(mine), ["one", "four", "answer"])
        assert.deepStrictEqual(yield* page(mine, true), ["answer", "four", "one"])
        assert.deepStrictEqual([yield* page(elsewhere), yield* page(hers)], [["two"], ["three"]])
        assert.isTrue(Option.isNone(yield* messages.after(mine, second, 10)), "it is in another conversation")
        const after = Option.getOrThrow(yield* messages.after(mine, first, 10))
        assert.deepStrictEqual(
          after.map(({ content }) => content),
          ["four", "answer"]
        )
      })
    )
  )

  it.scoped("each question is answered once, by its own user, and closed alone", () =>
    withAllRules({}, ({ clientId, otherClientId }) =>
      Effect.gen(function* () {
        const [messages, questions] = [yield* AssistantMessages, yield* AssistantQuestions]
        const mine = { clientId, userId: "ada" }
        const by = { assistantId: "pc", userId: "ada", instance: "run-1" }
        const about = yield* messages.send(mine, "one")
        for (const id of ["a", "b", "c"]) yield* questions.ask(by, about, request(id))
        const find = (id: string, owner = mine) => Effect.map(questions.question(owner, id), Option.getOrUndefined)
        const states = Effect.map(
          Effect.forEach(["a", "b", "c"], (id) => find(id)),
          (found) => found.map((each) => each?.state)
        )
        assert.isUndefined(yield* find("a", { clientId: otherClientId, userId: "ada" }))
        assert.isUndefined(yield* find("a", { clientId, userId: "bea" }))
        const question = (yield* find("a")) ?? (yield* Effect.dieMessage("no question"))
        const given = { requestId: "a", outcome: "selected", answers: {} } as const
        const answer = (owner: typeof mine) => Effect.map(questions.answer(owner, question, given, "{}"), Option.isSome)
        assert.isFalse(yield* answer({ clientId, userId: "bea" }))
        assert.isFalse(yield* answer({ clientId: otherClientId, userId: "ada" }))
        // Both came while the question was open.
        assert.deepStrictEqual([yield* answer(mine), yield* answer(mine)], [true, false])
        yield* questions.withdraw(by, "a")
        yield* questions.withdraw({ ...by, assistantId: "other" }, "b")
        assert.deepStrictEqual(yield* states, ["answered", "open", "open"])
        yield* questions.withdraw(by, "b")
        yield* questions.withdrawEarlier("pc", "run-1")
        assert.deepStrictEqual(yield* states, ["answered", "withdrawn", "open"])
        yield* questions.withdrawEarlier("other", "run-2")
        assert.deepStrictEqual(yield* states, ["answered", "withdrawn", "open"])
        assert.lengthOf(yield* questions.answersTo(about, "run-1"), 1)
        assert.deepStrictEqual(yield* questions.answersTo(about, "run-2"), [])
        yield* messages.reply("ada", about, text("done"))
        assert.deepStrictEqual(yield* states, ["answered", "withdrawn", "withdrawn"])
      })
    )
  )

  it.scoped("a key belongs to one application and user for a day, to the millisecond", () =>
    withAllRules({}, ({ clientId, otherClientId }) =>
      Effect.gen(function* () {
        const messages = yield* AssistantMessages
        const keys = yield* MessageIdempotencyKeys.make
        const mine = { clientId, userId: "ada" }
        const key = { keyHash: "k", bodyHash: "b" }
        const id = yield* messages.send(mine, "one")
        yield* keys.insert(mine, key, id)
        assert.strictEqual(yield* keys.find(mine, key), id)
        assert.strictEqual((yield* Effect.flip(keys.find(mine, { ...key, bodyHash: "other" })))._tag, "Conflict")
        for (const owner of [
          { clientId: otherClientId, userId: "ada" },
          { clientId, userId: "bea" }
        ])
          assert.isUndefined(yield* keys.find(owner, key))
        yield* TestClock.adjust(86_399_999)
        assert.strictEqual(yield* keys.find(mine, key), id)
        yield* TestClock.adjust(1)
        assert.isUndefined(yield* keys.find(mine, key))
        yield* keys.insert(mine, { ...key, bodyHash: "other" }, id)
        assert.strictEqual(yield* keys.find(mine, { ...key, bodyHash: "other" }), id)
      })
    )
  )
})
