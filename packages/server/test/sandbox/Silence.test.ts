import { assert, describe, it } from "@effect/vitest"
import * as AcpSession from "@heddle/acp/AcpSession"
import * as SessionState from "@heddle/acp/SessionState"
import * as Ticket from "@heddle/acp/Ticket"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { start } from "./support/service.ts"

/**
 * How long nothing is said, in seconds, with everything at its own pace; by hand 1,800. Short without it, and faster.
 */
const asked = process.env["HEDDLE_ROUNDS"]
const seconds = Number(asked ?? 2)
const pace =
  asked === undefined
    ? { heartbeat: Duration.millis(400), silence: Duration.seconds(1) }
    : { heartbeat: Duration.seconds(15), silence: Duration.seconds(45) }

describe("an idle stream", { timeout: seconds * 1000 + 30_000 }, () => {
  it.scopedLive(`stays open for ${seconds} seconds, and then accepts a prompt`, () =>
    Effect.gen(function* () {
      const service = yield* Effect.acquireRelease(
        Effect.promise(() => start({ sandbox: { heartbeat: pace.heartbeat } })),
        ({ stop }) => Effect.promise(stop)
      )
      const task = yield* Effect.promise(() => service.task())
      const ticket = yield* Ticket.make(Effect.succeed({ link: task.link, token: Redacted.make(task.token) }))
      const session = yield* AcpSession.open({ ticket, sessionId: task.taskId, silence: pace.silence })
      const broken: Array<string> = []
      yield* session.changes.pipe(
        Stream.runForEach((event) =>
          Effect.sync(() => {
            if (event._tag === "Interrupted") broken.push(event.error.message)
          })
        ),
        Effect.forkScoped
      )
      yield* Effect.sleep(Duration.seconds(seconds))
      const { stopReason } = yield* session.prompt([{ type: "text", text: "echo still here" }])
      assert.strictEqual(stopReason, "end_turn")
      assert.deepStrictEqual(
        SessionState.messages(yield* session.state, "agent").map(({ text }) => text),
        ["still here"]
      )
      assert.deepStrictEqual(broken, [])
    })
  )
})
