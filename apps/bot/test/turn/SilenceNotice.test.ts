import { assert, describe, it } from "@effect/vitest"
import * as Update from "@heddle/acp/schema/Update"
import * as SessionState from "@heddle/acp/SessionState"
import { english } from "@heddle/bot/messages/Translations"
import * as Ticks from "@heddle/bot/concurrency/Ticks"
import * as SilenceNotice from "@heddle/bot/turn/SilenceNotice"
import * as TurnState from "@heddle/bot/turn/TurnState"
import { scriptedAgent } from "@heddle/test-support/Agents"
import * as SetBackClock from "@heddle/test-support/SetBackClock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { permissionRow } from "../support/PermissionRows.ts"
import { withRealStack } from "../support/RealStack.ts"

const session = (...updates: ReadonlyArray<object>) =>
  SessionState.fold(
    SessionState.empty,
    updates.map((update) => Update.decode({ sessionId: "s", update })!.update)
  )

const watch = (state: TurnState.TurnState) =>
  Effect.flatMap(Layer.build(Ticks.layer), (ticks) =>
    Effect.provide(
      SilenceNotice.watch({ state }, 20_000, () => english),
      ticks
    )
  )

const words = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "words" } }

describe("the notice of a silent agent", () => {
  const tool = (status: string) => session({ sessionUpdate: "tool_call", toolCallId: "1", title: "Build", status })
  const cases: ReadonlyArray<readonly [string, Partial<TurnState.Snapshot>, boolean]> = [
    ["after twenty silent seconds", { session: session() }, true],
    ["after a tool call has ended", { session: tool("completed") }, true],
    ["not while a tool call runs", { session: tool("in_progress") }, false],
    ["not while a person is asked", { session: session(), permissions: [permissionRow({})] }, false],
    ["not while the service is away", { session: session(), notice: { _tag: "Waiting", text: "away" } }, false],
    ["not before the session is open", {}, false]
  ]
  it.scoped("is shown of an agent that only reports how it tries its model again", () =>
    Effect.gen(function* () {
      const state = TurnState.make("turn")
      yield* watch(state)
      let current = session(words)
      const hear = (update: object) => {
        current = SessionState.fold(current, [Update.decode({ sessionId: "s", update })!.update])
        state.set({ session: current })
      }
      hear(words)
      const retry = { sessionUpdate: "session_info_update", _meta: { "vendor/error": "Reconnecting... 1/5" } }
      for (const seconds of [9, 9]) {
        yield* TestClock.adjust(`${seconds} seconds`)
        hear(retry)
      }
      assert.isUndefined(state.get().silence)
      yield* TestClock.adjust("2 seconds")
      assert.match(JSON.stringify(state.get().silence), /20 seconds.*trying the model again/)
      hear(retry)
      assert.isDefined(state.get().silence)
      hear(words)
      assert.isUndefined(state.get().silence)
    })
  )
  it.scoped("is shown in time where the time of day is set back", () =>
    SetBackClock.within((setBack) =>
      Effect.gen(function* () {
        const state = TurnState.make("turn")
        yield* watch(state)
        state.set({ session: session(words) })
        yield* TestClock.adjust("10 seconds")
        setBack(7_200_000)
        yield* TestClock.adjust("30 seconds")
        assert.isDefined(state.get().silence)
      })
    )
  )

  for (const [name, snapshot, isShown] of cases) {
    it.scoped(`is shown ${name}`, () =>
      Effect.gen(function* () {
        const state = TurnState.make("turn")
        yield* watch(state)
        state.set(snapshot)
        yield* TestClock.adjust("19 seconds")
        assert.isUndefined(state.get().silence)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(state.get().silence !== undefined, isShown)
        state.set({ session: session(words) })
        yield* TestClock.adjust("1 second")
        assert.isUndefined(state.get().silence)
      })
    )
  }
})

describe("a note of the service", () => {
  it(
    "stands apart from the agent's words, with a sign, and a step without an answer to choose ends with its turn",
    () =>
      withRealStack(
        async ({ ask, emulator, firstThread, link }) => {
          const prompt = "echo first words\naskWithoutOptions Push it\necho more words"
          await link(await ask("task new", { prompt }))
          const { shows, thread } = await firstThread(20_000)
          await shows(/more words[^]*done ·/)
          const posts = emulator.messages(thread.id).map(({ content }) => content)
          const at = posts.findIndex((content) => content.startsWith("-# ℹ️ The agent asked for permission without"))
          assert.deepEqual(
            [posts[at - 2], posts[at - 1], posts[at + 1]?.replace(/\n-# done · .*$/, "")],
            ["first words", "-# ✖ Push it", 'answer {"outcome":"cancelled"}more words']
          )
        },
        { server: { agents: [{ command: [process.execPath, scriptedAgent], isolation: "none" }] } }
      ),
    60_000
  )
})
