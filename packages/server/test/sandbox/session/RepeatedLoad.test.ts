import { assert, describe, it } from "@effect/vitest"
import * as AcpSession from "@heddle/acp/AcpSession"
import * as SessionState from "@heddle/acp/SessionState"
import * as Ticket from "@heddle/acp/Ticket"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Client } from "../support/client.ts"
import * as LostAnswerProxy from "../support/LostAnswerProxy.ts"
import { serviceOfSuite } from "../support/suite.ts"

describe("a load whose response is lost after it took effect", () => {
  const { service } = serviceOfSuite()

  it("is repeated without the live updates of its connection, so that no text appears twice", { timeout: 60_000 }, () =>
    Effect.gen(function* () {
      const task = yield* Effect.promise(() => service().task())
      const speaker = yield* Effect.promise(() => Client.loaded(task))
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() => LostAnswerProxy.open(service().url)),
        (each) => Effect.sync(each.close)
      )
      const length = 300
      const turn = yield* Effect.promise(() => speaker.askPrompt(`count ${length} 20`))
      const link = proxy.url + new URL(task.link).pathname
      const ticket = yield* Ticket.make(Effect.succeed({ link, token: Redacted.make(task.token) }))
      const session = yield* AcpSession.open({ ticket, sessionId: task.taskId })
      assert.strictEqual(proxy.loads(), 2, "the load was repeated")
      yield* Effect.promise(() => speaker.answerTo(turn))
      yield* session.awaitIdle(Effect.succeed(false))
      const text = Array.from({ length }, (_, n) => `${n + 1} `).join("")
      const messages = SessionState.messages(yield* session.state, "agent")
      assert.deepStrictEqual(
        messages.map((message) => message.text),
        [text]
      )
      speaker.cut()
    }).pipe(Effect.scoped, Effect.runPromise)
  )
})
