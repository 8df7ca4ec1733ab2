import { assert, describe, it } from "@effect/vitest"
import * as LocalAssistant from "@heddle/assistant/LocalAssistant"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Http from "node:http"
import * as AssistantHarness from "./support/AssistantHarness.ts"
import * as TestServer from "./support/TestServer.ts"

const kibibyte = 1024

describe("what the service does not take", { timeout: 40_000 }, () => {
  it.scopedLive("the program cuts a reply to 256 KiB and declines a question that the service refuses", () =>
    Effect.gen(function* () {
      const service = yield* AssistantHarness.service({ contract: { permissionResponse: "accept" } })
      const app = yield* service.app()
      yield* AssistantHarness.program(service.url, (yield* service.credential).token)
      const long = yield* app.send("big 300000")
      const parts = yield* app.poll(app.history(`?message_id=${long}`), (all) =>
        all.some(({ metadata }) => metadata["part"] === metadata["parts"])
      )
      const text = parts.map(({ content }) => content[0]).join("")
      assert.strictEqual(Buffer.byteLength(JSON.stringify(text)), 256 * kibibyte + 2)
      assert.match(text, /^x+\n\n\(The answer was longer; the rest is left out\.\)$/)

      const asked = yield* app.send(`ask ${"🧵".repeat(3000)}`)
      const question = yield* app.question(asked)
      const shown = String(question.metadata.questions?.[0]?.["question"])
      assert.strictEqual(shown, `${"🧵".repeat(999)}…`)
      assert.strictEqual((yield* app.answer(question.metadata["requestId"], { q_0: "yes" })).status, 200)
      assert.match(String((yield* app.reply(asked)).content[0]), /"optionId":"yes"/)

      const options = Array.from({ length: 21 }, (_, index) => ({ label: String(index) }))
      const declined = yield* app.send(`question ${JSON.stringify([{ question: "Which?", options }])}`)
      assert.match(String((yield* app.reply(declined)).content[0]), /"optionId":"skip"/)
    })
  )

  it.scopedLive("the program reports a reply that the service refuses, and answers the next message", () =>
    Effect.gen(function* () {
      const said: Array<{ readonly path: string; readonly body: unknown }> = []
      const all = yield* Deferred.make<void>()
      let push = (_event: string, _data: unknown) => {}
      const message = (messageId: string) =>
        push("message", { messageId, applicationId: "app", application: "Loom", text: `echo ${messageId}` })
      const service = Http.createServer((request, response) => {
        if (request.url === "/assistant/v1/events") {
          response.writeHead(200, { "content-type": "text/event-stream" })
          push = (event, data) => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
          return push("welcome", { permissionResponse: "reject", pulseMillis: 10_000 })
        }
        let body = ""
        request.on("data", (piece: Buffer) => (body += piece.toString()))
        request.on("end", () => {
          const path = request.url ?? ""
          const first = path.endsWith("/reply") && !said.some((each) => each.path === path)
          if (path.endsWith("/reply")) said.push({ path, body: JSON.parse(body) })
          response.writeHead(first && path.includes("/one/") ? 413 : 200).end("{}")
          if (said.length === 2) message("two")
          if (said.length === 3) Deferred.unsafeDone(all, Effect.void)
        })
      })
      yield* Effect.acquireRelease(
        Effect.async<void>((resume) => void service.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => service.closeAllConnections()).pipe(Effect.andThen(Effect.sync(() => service.close())))
      )
      const address = service.address()
      const port = typeof address === "object" ? address?.port : undefined
      const folder = yield* TestServer.folder
      yield* LocalAssistant.run({
        service: `http://127.0.0.1:${port}`,
        token: Redacted.make("oa_as_test"),
        agentCommand: AssistantHarness.scripted.split(" "),
        cwd: folder,
        stateDir: folder
      })
      message("one")
      yield* Deferred.await(all).pipe(Effect.timeout("15 seconds"), Effect.orDie)
      const replies = (id: string) => said.filter(({ path }) => path.includes(`/${id}/`)).map(({ body }) => body)
      assert.deepStrictEqual(replies("one"), [
        { msgType: "text", text: "one" },
        {
          msgType: "error",
          text: "The agent has answered, but the service did not take the answer. Ask for a shorter one."
        }
      ])
      assert.deepStrictEqual(replies("two"), [{ msgType: "text", text: "two" }])
    })
  )
})
