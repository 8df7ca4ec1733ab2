import type { FaultRule } from "@heddle/plain-service"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { outcomeOf, plainTask } from "./PlainTask.ts"

const initializes = ["bare", "full"] as const
const replays = ["full", "withoutUserMessages", "none"] as const
const effects: ReadonlyArray<FaultRule["effect"]> = [{ status: 503 }, { status: 404 }, "reset"]

describe.concurrent("a prompt whose POST fails", () => {
  for (const initialize of initializes)
    for (const replay of replays)
      for (const effect of effects) {
        const readings = `${JSON.stringify(effect)}, replay ${replay}, initialize ${initialize}`

        it.scopedLive(`is known as not delivered, or as unknown, where it did not run (${readings})`, () =>
          Effect.gen(function* () {
            const task = yield* plainTask({ initialize, replay })
            const session = yield* task.open()
            task.service.addFault({ rpcMethod: "session/prompt", when: "before", effect })
            const outcome = yield* outcomeOf(session, "second", task.busy)
            assert.strictEqual(outcome, replay === "full" ? "NotDelivered" : "DeliveryUnknown")
            assert.deepStrictEqual(task.rounds(), ["first"])
          })
        )

        it.scopedLive(`is followed where it ran (${readings})`, () =>
          Effect.gen(function* () {
            const task = yield* plainTask({ initialize, replay })
            const session = yield* task.open()
            task.service.addFault({ rpcMethod: "session/prompt", when: "after", effect })
            const outcome = yield* outcomeOf(session, "second", task.busy)
            // The end of the turn may come before the failure of the POST.
            assert.include(["followed", "end_turn"], outcome)
            assert.deepStrictEqual(task.rounds(), ["first", "second"])
          })
        )

        it.scopedLive(`is never known as not delivered where it ran in silence (${readings})`, () =>
          Effect.gen(function* () {
            const task = yield* plainTask({
              initialize,
              replay,
              script: async () => ({ stopReason: "end_turn" })
            })
            const session = yield* task.open()
            task.service.addFault({ rpcMethod: "session/prompt", when: "after", effect })
            const outcome = yield* outcomeOf(session, "second", task.busy)
            assert.include(["end_turn", replay === "full" ? "followed" : "DeliveryUnknown"], outcome)
            assert.deepStrictEqual(task.rounds(), ["first", "second"])
          })
        )
      }

  for (const retryAfterSeconds of [undefined, 2])
    it.scopedLive(`is sent again after 429 and Retry-After ${retryAfterSeconds}`, () =>
      Effect.gen(function* () {
        const task = yield* plainTask()
        const session = yield* task.open()
        const effect = { status: 429, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
        task.service.addFault({ rpcMethod: "session/prompt", when: "before", effect })
        assert.strictEqual(yield* outcomeOf(session, "second", task.busy), "end_turn")
        assert.deepStrictEqual(task.rounds(), ["first", "second"])
        const [first, second] = task.service.requests.filter(({ rpcMethod }) => rpcMethod === "session/prompt")
        assert.isAtLeast((second?.at ?? 0) - (first?.at ?? 0), (retryAfterSeconds ?? 1) * 1000)
      })
    )

  it.scopedLive("was surely not sent where every attempt gets 429", () =>
    Effect.gen(function* () {
      const task = yield* plainTask()
      const session = yield* task.open()
      task.service.addFault({ rpcMethod: "session/prompt", when: "before", effect: { status: 429 }, times: 4 })
      const error = yield* Effect.flip(session.prompt([{ type: "text", text: "second" }]))
      assert.deepInclude(error, { _tag: "ConnectionLost", sent: false })
      assert.strictEqual(task.statuses("session/prompt").length, 4)
      assert.deepStrictEqual(task.rounds(), ["first"])
    })
  )

  it.scopedLive("is not sent after it is cancelled", () =>
    Effect.gen(function* () {
      const task = yield* plainTask()
      const session = yield* task.open({ cancelDeadline: "300 millis" })
      task.service.addFault({ rpcMethod: "session/prompt", when: "before", effect: { status: 429 } })
      const turn = yield* Effect.fork(outcomeOf(session, "second", task.busy))
      while (task.statuses("session/prompt").length === 0) yield* Effect.sleep("5 millis")
      yield* session.cancel
      assert.strictEqual(yield* turn, "cancelled")
      assert.strictEqual(yield* outcomeOf(session, "third", task.busy), "end_turn")
      yield* Effect.sleep("1500 millis")
      assert.deepStrictEqual(task.rounds(), ["first", "third"])
    })
  )
})
