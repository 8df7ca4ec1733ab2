import { assert, describe, it } from "@effect/vitest"
import * as SessionState from "@heddle/acp/SessionState"
import { BotSettings } from "@heddle/bot/model/BotSettings"
import * as Activities from "@heddle/bot/turn/Activities"
import * as ChannelSilence from "@heddle/bot/turn/ChannelSilence"
import * as TurnState from "@heddle/bot/turn/TurnState"
import * as SetBackClock from "@heddle/test-support/SetBackClock"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"

const hours2 = 7_200_000

describe("a turn, where the time of day is set back", () => {
  it.effect("notices a silent channel in time", () =>
    SetBackClock.within((setBack) =>
      Effect.gen(function* () {
        const state = TurnState.make("turn")
        state.set({ session: SessionState.empty })
        const silentMs = yield* ChannelSilence.make(state)
        const silence = yield* ChannelSilence.makeSilence({ silentMs } as never)
        yield* TestClock.adjust("10 seconds")
        setBack(hours2)
        yield* TestClock.adjust("20 seconds")
        assert.deepEqual([silentMs(), yield* silence], [30_000, 30_000])
      })
    )
  )

  const awaitStoppedRun = (stoppedAt: number) => {
    let checks = 0
    const session = {
      checkTask: Effect.sync(() => ({ status: "Busy", hasArrived: true, checks: ++checks })),
      view: Effect.succeed({ openStop: { at: stoppedAt } })
    }
    return Effect.fork(
      Effect.provideService(Activities.awaitStoppedRun(session as never), BotSettings, {
        stoppedRunMs: 30_000
      } as never)
    )
  }

  it.effect("waits for a stopped run no longer than it may", () =>
    SetBackClock.within((setBack) =>
      Effect.gen(function* () {
        const waiting = yield* awaitStoppedRun(yield* Clock.currentTimeMillis)
        yield* TestClock.adjust("10 seconds")
        setBack(hours2)
        yield* TestClock.adjust("25 seconds")
        assert.strictEqual((yield* Fiber.poll(waiting))._tag, "Some")
      })
    )
  )

  it.effect("waits no longer after a restart, either", () =>
    Effect.gen(function* () {
      const waiting = yield* awaitStoppedRun((yield* Clock.currentTimeMillis) + hours2)
      yield* TestClock.adjust("35 seconds")
      assert.strictEqual((yield* Fiber.poll(waiting))._tag, "Some")
    })
  )
})
