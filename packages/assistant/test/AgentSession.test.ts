import { assert, describe, it } from "@effect/vitest"
import * as AgentSession from "@heddle/assistant/AgentSession"
import { scriptedAgent } from "@heddle/test-support/Agents"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestServer from "./support/TestServer.ts"

describe("the session of an agent", { timeout: 30_000 }, () => {
  it.scopedLive("ends a silent turn in time, also where the time of day is set back", () => {
    let setBackMs = 0
    const clock: Clock.Clock = Object.assign(Clock.make(), {
      unsafeCurrentTimeMillis: () => Date.now() - setBackMs,
      currentTimeMillis: Effect.sync(() => Date.now() - setBackMs)
    })
    return Effect.gen(function* () {
      const { prompt } = yield* AgentSession.open({
        agent: { command: [process.execPath, scriptedAgent], folder: yield* TestServer.folder },
        previous: undefined,
        maxSilence: Duration.seconds(1)
      })
      const turn = yield* Effect.fork(prompt("echo here\nhang", () => Effect.never))
      yield* Effect.sleep("500 millis")
      setBackMs = 7_200_000
      const { isLost, reply } = yield* Fiber.join(turn).pipe(Effect.timeout("10 seconds"))
      assert.isTrue(isLost)
      assert.match(reply.text, /^here\n\nThe agent gave no sign for 1s/)
    }).pipe(Effect.withClock(clock))
  })
})
