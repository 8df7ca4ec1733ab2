import * as SessionState from "@heddle/acp/SessionState"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { agentText, text } from "../fixtures/Session.ts"
import { plainTask } from "./PlainTask.ts"

const shown = { full: ["first", "Echo: first 🐎"], withoutUserMessages: ["Echo: first 🐎"], none: [] }

describe.concurrent("a session at a service that keeps the document and nothing more", () => {
  for (const initialize of ["bare", "full"] as const)
    for (const replay of ["full", "withoutUserMessages", "none"] as const)
      for (const sse of ["plain", "awkward"] as const) {
        it.scopedLive(`loads and prompts (initialize ${initialize}, replay ${replay}, sse ${sse})`, () =>
          Effect.gen(function* () {
            const task = yield* plainTask({
              initialize,
              replay,
              sse,
              loadResult: sse === "plain" ? "object" : "null",
              replayedChunks: sse === "plain" ? "asSent" : "joined",
              script: async ({ say, text: prompt }) => {
                say("Echo: ")
                say(`${prompt} 🐎`)
                return { stopReason: "end_turn" }
              }
            })
            const session = yield* task.open()
            const messages = SessionState.messages(yield* session.state).map((message) => message.text)
            assert.deepStrictEqual(messages, shown[replay])
            const end = yield* session.prompt(text("second"))
            assert.deepInclude(end, { stopReason: "end_turn" })
            assert.strictEqual(end.usage?.totalTokens, 42)
            assert.strictEqual(agentText(yield* session.state).at(-1), "Echo: second 🐎")
            assert.deepStrictEqual(task.rounds(), ["first", "second"])
          })
        )
      }

  for (const ignoreCancel of [false, true])
    it.scopedLive(`ends a cancelled turn once (the service ${ignoreCancel ? "ignores it" : "cancels"})`, () =>
      Effect.gen(function* () {
        const task = yield* plainTask({
          ignoreCancel,
          script: ({ signal, text: prompt }) =>
            new Promise((resolve) => {
              if (prompt !== "long") return resolve({ stopReason: "end_turn" })
              signal.addEventListener("abort", () => resolve({ stopReason: "end_turn" }))
            })
        })
        const session = yield* task.open({ cancelDeadline: "300 millis" })
        const turn = yield* Effect.fork(session.prompt(text("long")))
        while (task.rounds().length < 2) yield* Effect.sleep("5 millis")
        yield* session.cancel
        assert.strictEqual((yield* turn.await)._tag, "Success")
        assert.deepStrictEqual(
          task.service.rounds.map(({ end }) => end),
          [{ stopReason: "end_turn" }, ignoreCancel ? undefined : { stopReason: "cancelled" }]
        )
      })
    )
})
