import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { setTimeout } from "node:timers/promises"
import { watch } from "../fixtures/Peer.ts"
import { agentText } from "../fixtures/Session.ts"
import { outcomeOf, plainTask } from "./PlainTask.ts"

const slow = async ({ say, text }: { readonly say: (text: string) => void; readonly text: string }) => {
  if (text === "first") say("hello")
  else {
    for (const word of ["one ", "two ", "three "]) {
      say(word)
      await setTimeout(100)
    }
  }
  return { stopReason: "end_turn" }
}

describe.concurrent("the stream of a service that keeps the document and nothing more", () => {
  for (const how of ["end", "reset"] as const)
    for (const replay of ["full", "withoutUserMessages"] as const)
      it.scopedLive(`is opened again when it breaks in a turn (${how}, replay ${replay})`, () =>
        Effect.gen(function* () {
          const task = yield* plainTask({ replay, script: slow })
          const session = yield* task.open()
          const turn = yield* Effect.fork(outcomeOf(session, "count", task.busy))
          while (agentText(yield* session.state).length < 2) yield* Effect.sleep("5 millis")
          task.service.cutStreams(how)
          assert.strictEqual(yield* Fiber.join(turn), "followed")
          assert.deepStrictEqual(agentText(yield* session.state), ["hello", "one two three "])
          assert.deepStrictEqual(task.rounds(), ["first", "count"])
          assert.strictEqual(yield* outcomeOf(session, "count", task.busy), "end_turn")
        })
      )

  for (const rpcMethod of ["initialize", "session/load"])
    it.scopedLive(`is opened again when it breaks at ${rpcMethod}`, () =>
      Effect.gen(function* () {
        const task = yield* plainTask()
        task.service.addFault({ rpcMethod, when: "before", effect: "reset" })
        const opening = yield* Effect.fork(task.open())
        while (task.statuses(rpcMethod).length === 0) yield* Effect.sleep("5 millis")
        task.service.cutStreams()
        assert.strictEqual(yield* outcomeOf(yield* Fiber.join(opening), "second", task.busy), "end_turn")
      })
    )

  for (const rpcMethod of ["initialize", "session/load"])
    it.scopedLive(`is opened again when it breaks in the wait that a 429 asks for (${rpcMethod})`, () =>
      Effect.gen(function* () {
        const task = yield* plainTask()
        const effect = { status: 429, retryAfterSeconds: 2 }
        task.service.addFault({ rpcMethod, when: "before", effect })
        const opening = yield* Effect.fork(task.open())
        while (task.statuses(rpcMethod).length === 0) yield* Effect.sleep("5 millis")
        task.service.cutStreams()
        assert.strictEqual(yield* outcomeOf(yield* Fiber.join(opening), "second", task.busy), "end_turn")
        const [limited = 0, next = 0] = task.service.requests
          .filter((request) => request.rpcMethod === rpcMethod)
          .map(({ at }) => at)
        assert.isAtLeast(next - limited, 1990)
      })
    )

  it.scopedLive("is opened again when it breaks at rest", () =>
    Effect.gen(function* () {
      const task = yield* plainTask()
      const session = yield* task.open()
      const { until } = yield* watch(session)
      task.service.cutStreams()
      yield* until("Ready")
      assert.strictEqual(yield* outcomeOf(session, "second", task.busy), "end_turn")
      assert.deepStrictEqual(agentText(yield* session.state), ["Echo: first", "Echo: second"])
    })
  )

  it.scopedLive("waits as long as a 429 says", () =>
    Effect.gen(function* () {
      const task = yield* plainTask()
      const session = yield* task.open()
      const { until } = yield* watch(session)
      const limited = { status: 429, retryAfterSeconds: 2 }
      task.service.addFault({ method: "GET", path: /\/acp$/, when: "before", effect: limited })
      task.service.addFault({ method: "GET", path: /\/acp$/, when: "before", effect: { status: 429 } })
      task.service.cutStreams()
      yield* until("Ready")
      const at = task.service.requests.filter(({ method, path }) => method === "GET" && path.endsWith("/acp"))
      assert.deepStrictEqual(
        at.map(({ status }) => status),
        [200, 429, 429, 200]
      )
      assert.isAtLeast((at[2]?.at ?? 0) - (at[1]?.at ?? 0), 2000)
      assert.isAtLeast((at[3]?.at ?? 0) - (at[2]?.at ?? 0), 1000)
    })
  )

  for (const roundsAtRestart of ["continue", "fail"] as const)
    it.scopedLive(`comes back after a restart of the service (its rounds ${roundsAtRestart})`, () =>
      Effect.gen(function* () {
        const task = yield* plainTask({ roundsAtRestart, replay: "full", script: slow })
        const session = yield* task.open()
        const turn = yield* Effect.fork(outcomeOf(session, "count", task.busy))
        while (agentText(yield* session.state).length < 2) yield* Effect.sleep("5 millis")
        yield* Effect.promise(task.service.restart)
        assert.strictEqual(yield* Fiber.join(turn), "followed")
        const words = agentText(yield* session.state)
          .slice(1)
          .join("")
        if (roundsAtRestart === "continue") assert.strictEqual(words, "one two three ")
        assert.isTrue(words.startsWith("one "))
        assert.deepStrictEqual(task.rounds(), ["first", "count"])
        assert.strictEqual(yield* outcomeOf(session, "count", task.busy), "end_turn")
      })
    )
})

describe.concurrent("the ticket of a channel", () => {
  for (const unauthorized of ["empty", "invalid_token", "Unauthorized", "envelope", "text"] as const)
    for (const endedTickets of ["keepStreams", "cutStreams"] as const)
      it.scopedLive(`is renewed after a 401 (${unauthorized}, ${endedTickets})`, () =>
        Effect.gen(function* () {
          const task = yield* plainTask({ unauthorized, endedTickets })
          const session = yield* task.open()
          task.service.revokeTickets()
          assert.strictEqual(yield* outcomeOf(session, "second", task.busy), "end_turn")
          assert.deepStrictEqual(task.rounds(), ["first", "second"])
          assert.strictEqual(task.counts.queries, 2)
          assert.include([...task.statuses("GET"), ...task.statuses("session/prompt")], 401)
        })
      )

  it.scopedLive("follows a link that moves with every query and ends the one before", () =>
    Effect.gen(function* () {
      const task = yield* plainTask({ linkMovesOnQuery: true })
      const session = yield* task.open()
      for (const prompt of ["second", "third"]) {
        yield* task.busy
        assert.strictEqual(yield* outcomeOf(session, prompt, task.busy), "end_turn")
      }
      assert.deepStrictEqual(task.rounds(), ["first", "second", "third"])
      assert.deepStrictEqual(agentText(yield* session.state), ["Echo: first", "Echo: second", "Echo: third"])
    })
  )
})
