import { assert, describe, it } from "@effect/vitest"
import * as SessionState from "@heddle/acp/SessionState"
import { awaitSilence } from "@heddle/bot/turn/Activities"
import * as TurnState from "@heddle/bot/turn/TurnState"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { permissionRow } from "../support/PermissionRows.ts"

const open = [permissionRow({ state: "open" })]
const answered = [permissionRow({ state: "answered" })]
const waiting = { count: 1, hasSeveralAuthors: false, visible: [] }

/** Waits for the silence of a turn. `isOver` tells whether it has ended after some seconds more. */
const silenceOf = (state: TurnState.TurnState) =>
  Effect.map(Effect.fork(awaitSilence({ state })), (fiber) => ({
    isOver: (seconds: number) =>
      Effect.zipRight(
        TestClock.adjust(seconds * 1000),
        Effect.map(Fiber.poll(fiber), ({ _tag }) => _tag === "Some")
      )
  }))

const says = (state: TurnState.TurnState) => state.set({ session: SessionState.empty })

describe("the wait for the end of late output", () => {
  it.scoped("ends two seconds after the last output", () =>
    Effect.gen(function* () {
      const state = TurnState.make("1")
      const { isOver } = yield* silenceOf(state)
      for (let count = 0; count < 5; count++) {
        assert.isFalse(yield* isOver(1.9))
        says(state)
      }
      assert.isFalse(yield* isOver(1.9))
      state.set({ cards: [] })
      assert.isTrue(yield* isOver(0.1))
    })
  )

  it.scoped("ends at once when a message waits", () =>
    Effect.gen(function* () {
      const state = TurnState.make("1")
      const { isOver } = yield* silenceOf(state)
      assert.isFalse(yield* isOver(1))
      state.set({ waiting })
      assert.isTrue(yield* isOver(0))
    })
  )

  it.scoped("ends after a minute of output", () =>
    Effect.gen(function* () {
      const state = TurnState.make("1")
      const { isOver } = yield* silenceOf(state)
      for (let second = 1; second < 60; second++) {
        assert.isFalse(yield* isOver(1))
        says(state)
      }
      assert.isTrue(yield* isOver(1))
    })
  )

  it.scoped("does not end while a request is open", () =>
    Effect.gen(function* () {
      const state = TurnState.make("1")
      const { isOver } = yield* silenceOf(state)
      state.set({ permissions: open })
      assert.isFalse(yield* isOver(600))
      state.set({ waiting })
      assert.isFalse(yield* isOver(600))
      state.set({ permissions: answered })
      assert.isTrue(yield* isOver(0))
    })
  )
})
