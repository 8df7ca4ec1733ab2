import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AssistantHarness from "./support/AssistantHarness.ts"

const questionnaire = JSON.stringify([
  { id: "colour", question: "Which colour?", header: "Colour", options: [{ label: "Red" }, { label: "Blue" }] },
  { question: "Which sizes?", multiSelect: true, options: [{ label: "S", description: "small" }, { label: "M" }] }
])

describe("questions of the agent", { timeout: 40_000 }, () => {
  it.scopedLive("are answered by the application where the service allows it (variant A)", () =>
    Effect.gen(function* () {
      const service = yield* AssistantHarness.service({ contract: { permissionResponse: "accept" } })
      const [app, other] = [yield* service.app(), yield* service.app("Other")]
      yield* AssistantHarness.program(service.url, (yield* service.credential).token)

      const first = yield* app.send("ask Write report.md")
      const asked = yield* app.question(first)
      assert.strictEqual(asked.role, "assistant")
      assert.strictEqual(asked.msg_type, "permission_request")
      assert.match(String(asked.content[0]), /^Write report\.md\n/)
      const { requestId } = asked.metadata
      assert.deepInclude(asked.metadata, {
        msgType: "permission_request",
        about: first,
        answerable: true,
        state: "open"
      })
      assert.deepStrictEqual(asked.metadata.questions, [
        {
          id: "q_0",
          question: "Write report.md",
          multiSelect: false,
          options: [
            { value: "yes", label: "Allow", description: "allow_once" },
            { value: "no", label: "Deny", description: "reject_once" }
          ]
        }
      ])
      const refused: ReadonlyArray<readonly [Effect.Effect<{ readonly status: number }>, number]> = [
        [app.post({ content: "no json", msg_type: "permission_response" }), 400],
        [app.post({ content: '{"outcome":"selected"}', msg_type: "permission_response" }), 400],
        [app.answer(requestId, { q_0: "maybe" }), 400],
        [app.answer(requestId, { q_0: ["yes"] }), 400],
        [app.answer(requestId, {}), 400],
        [app.answer(requestId, { q_0: "yes", q_1: "yes" }), 400],
        [app.answer(requestId, { q_0: "yes" }, "whatever"), 400],
        [app.answer("nothing", { q_0: "yes" }), 404],
        [other.answer(requestId, { q_0: "yes" }), 404]
      ]
      for (const [index, [call, status]] of refused.entries()) {
        assert.strictEqual((yield* call).status, status, String(index))
      }
      assert.strictEqual((yield* app.answer(requestId, { q_0: "yes" })).status, 200)
      assert.strictEqual((yield* app.answer(requestId, { q_0: "no" })).status, 409)
      const answered = yield* app.reply(first)
      assert.deepStrictEqual(answered.content, ['answer {"outcome":"selected","optionId":"yes"}'])
      const [, response] = yield* app.history(`?message_id=${first}`)
      assert.strictEqual(response?.role, "user")
      assert.strictEqual(response?.msg_type, "permission_response")
      assert.strictEqual((yield* app.question(first)).metadata["state"], "answered")

      const second = yield* app.send(`question ${questionnaire}`)
      const form = yield* app.question(second)
      assert.strictEqual(form.msg_type, "questionnaire")
      assert.deepStrictEqual(
        form.metadata.questions?.map(({ id, multiSelect }) => [id, multiSelect]),
        [
          ["q_0", false],
          ["q_1", true]
        ]
      )
      assert.strictEqual((yield* app.answer(form.metadata["requestId"], { q_0: "Red", q_1: "S" })).status, 400)
      assert.strictEqual((yield* app.answer(form.metadata["requestId"], { q_0: "Red", q_1: ["S", "M"] })).status, 200)
      assert.deepStrictEqual((yield* app.reply(second)).content, [
        'answer {"outcome":"selected","optionId":"go","answers":{"colour":"Red","q_1":["S","M"]}}'
      ])

      const third = yield* app.send("ask Delete everything")
      const cancelled = yield* app.question(third)
      assert.strictEqual((yield* app.answer(cancelled.metadata["requestId"], {}, "cancelled")).status, 200)
      assert.match(String((yield* app.reply(third)).content[0]), /"optionId":"no"/)

      // A question that the agent takes back, or that a turn has left behind, is not open any more.
      const fourth = yield* app.send("askBriefly")
      const brief = yield* app.question(fourth)
      assert.match(String((yield* app.reply(fourth)).content[0]), /withdrawn/)
      assert.strictEqual((yield* app.answer(brief.metadata["requestId"], { q_0: "yes" })).status, 409)
    })
  )

  it.scopedLive("close when the program is killed, and are asked again by its next run", () =>
    Effect.gen(function* () {
      const service = yield* AssistantHarness.service({ contract: { permissionResponse: "accept" } })
      const app = yield* service.app()
      const { token } = yield* service.credential
      const program = yield* AssistantHarness.program(service.url, token)
      const sent = yield* app.send("ask Go on?")
      const before = yield* app.question(sent)
      yield* program.stop("SIGKILL")
      yield* AssistantHarness.program(service.url, token)
      const asked = yield* app.poll(app.history(`?message_id=${sent}`), (all) => all.length === 2)
      assert.strictEqual((yield* app.answer(before.metadata["requestId"], { q_0: "yes" })).status, 409)
      assert.strictEqual((yield* app.answer(asked[1]?.metadata["requestId"], { q_0: "yes" })).status, 200)
      assert.match(String((yield* app.reply(sent)).content[0]), /"optionId":"yes"/)
    })
  )

  it.scopedLive("are for the user at the computer by default (variant B)", () =>
    Effect.gen(function* () {
      const service = yield* AssistantHarness.service()
      const app = yield* service.app()
      yield* AssistantHarness.program(service.url, (yield* service.credential).token)
      const sent = yield* app.send("ask Write report.md")
      // The program of this test has no terminal.
      assert.match(String((yield* app.reply(sent)).content[0]), /"optionId":"no"/)
      const asked = yield* app.question(sent)
      assert.match(String(asked.content[0]), /There is no one at the computer to ask/)
      assert.deepInclude(asked.metadata, { answerable: false, state: "withdrawn" })
      const refused = yield* app.answer(asked.metadata["requestId"], { q_0: "yes" })
      assert.strictEqual(refused.status, 400)
      assert.match(String(refused.json["error_description"]), /msg_type not allowed/)
    })
  )

  it.scopedLive("are not asked with --approve allow or deny", () =>
    Effect.gen(function* () {
      const service = yield* AssistantHarness.service({ contract: { permissionResponse: "accept" } })
      const app = yield* service.app()
      for (const [approve, option] of [
        ["allow", "yes"],
        ["deny", "no"]
      ] as const) {
        const { token } = yield* service.credential
        const program = yield* AssistantHarness.program(service.url, token, { args: ["--approve", approve] })
        const sent = yield* app.send("ask Write report.md")
        assert.deepStrictEqual((yield* app.reply(sent)).content, [
          `answer {"outcome":"selected","optionId":"${option}"}`
        ])
        assert.lengthOf(yield* app.history(`?message_id=${sent}`), 1)
        yield* program.stop("SIGTERM")
      }
    })
  )
})
