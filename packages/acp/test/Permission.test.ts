import * as Permission from "@heddle/acp/Permission"
import { assert, describe, it } from "@effect/vitest"

describe("Permission", () => {
  const options = [
    { optionId: "a", name: "Allow", kind: "allow" },
    { optionId: "r", name: "Reject", kind: "reject" }
  ]

  it("is read with the kinds of option that vendors invent and the barest of tool calls", () => {
    const permission = Permission.fromParams("r1", { sessionId: "s", toolCall: { toolCallId: "1" }, options })
    assert.deepStrictEqual(
      permission?.options.map(({ kind }) => kind),
      ["allow", "reject"]
    )
    assert.deepStrictEqual(permission?.questions, [])
  })

  it("carries questions and their answers", () => {
    const questions = [
      {
        question: "Which colour?",
        header: "Colour",
        options: [{ label: "Red", description: "warm" }, { label: "Blue" }]
      },
      { question: "Which sizes?", options: ["S", "M"], multiSelect: true }
    ]
    const permission = Permission.fromParams("r1", {
      sessionId: "s",
      toolCall: { toolCallId: "1", rawInput: { questions } },
      options
    })
    assert.deepStrictEqual(permission?.questions[1], {
      id: "q_1",
      question: "Which sizes?",
      kind: "choice",
      options: [
        { value: "S", label: "S" },
        { value: "M", label: "M" }
      ],
      multiSelect: true,
      freeText: true,
      required: false
    })
    const answers = { q_0: "Red", q_1: ["S", "M"] }
    assert.isDefined(permission)
    assert.deepStrictEqual(Permission.toResult(permission, Permission.selected("a", answers)), {
      outcome: { outcome: "selected", optionId: "a", answers },
      _meta: { answers }
    })
  })

  it("is nothing without options", () => {
    assert.isUndefined(Permission.fromParams("r1", { sessionId: "s", toolCall: { toolCallId: "1" } }))
  })

  it("keeps what can be read of odd options", () => {
    const permission = Permission.fromParams("r1", {
      sessionId: "s",
      toolCall: { toolCallId: "1", title: 7 },
      options: [
        { optionId: "a" },
        { name: "no id" },
        "b",
        { optionId: "c", name: "C", kind: "later", extra: 1, _meta: {} }
      ]
    })
    assert.deepStrictEqual<unknown>(permission?.options, [
      { optionId: "a", name: "a", kind: "unknown" },
      { optionId: "c", name: "C", kind: "later", extra: 1, _meta: {} }
    ])
  })

  it("takes the mildest refusal that is offered, whatever the vendor calls it", () => {
    const refusals = [
      [["allow_once", "reject_always", "reject_once"], "2"],
      [["allow", "reject"], "1"],
      [["allow_once", "reject_always"], "1"]
    ] as const
    for (const [kinds, optionId] of refusals) {
      const request = Permission.fromParams("r1", {
        sessionId: "s",
        toolCall: { toolCallId: "1" },
        options: kinds.map((kind, n) => ({ optionId: `${n}`, name: kind, kind }))
      })
      assert.isDefined(request)
      for (const answer of [Permission.declined, Permission.expired]) {
        assert.deepStrictEqual(Permission.toResult(request, answer), { outcome: { outcome: "selected", optionId } })
      }
      assert.deepStrictEqual(Permission.toResult(request, Permission.cancelled), { outcome: { outcome: "cancelled" } })
    }
  })

  it("carries answers by the mildest consent, and none where only refusals are offered", () => {
    const asking = (...kinds: ReadonlyArray<string>) => {
      const request = Permission.fromParams("r1", {
        sessionId: "s",
        toolCall: { toolCallId: "1", rawInput: { questions: [{ question: "Well?" }] } },
        options: kinds.map((kind) => ({ optionId: kind, name: kind, kind }))
      })
      assert.isDefined(request)
      return request
    }
    const answer = Permission.answered({ q_0: "Yes" })
    assert.deepNestedInclude(Permission.toResult(asking("allow_always", "allow_once"), answer) as object, {
      "outcome.optionId": "allow_once"
    })
    assert.deepNestedInclude(Permission.toResult(asking("reject", "allow"), answer) as object, {
      "outcome.optionId": "allow"
    })
    assert.isDefined(Permission.problem(asking("reject_once"), answer))
  })

  it("says in the words of each form that nothing was decided", () => {
    const question = Permission.fromRequest("question", "r1", { schema: { questions: [{ question: "Well?" }] } })
    const form = Permission.fromRequest("elicitation", "r1", { mode: "form", message: "Who?", requestedSchema: {} })
    assert.isDefined(question)
    assert.isDefined(form)
    const results = (request: Permission.PermissionRequest) =>
      [Permission.declined, Permission.expired, Permission.cancelled].map((answer) =>
        Permission.toResult(request, answer)
      )
    assert.deepStrictEqual(results(question), [
      { outcome: { outcome: "cancelled", reason: "declined" } },
      { outcome: { outcome: "cancelled", reason: "timeout" } },
      { outcome: { outcome: "cancelled", reason: "turn cancelled" } }
    ])
    assert.deepStrictEqual(results(form), [{ action: "decline" }, { action: "cancel" }, { action: "cancel" }])
    assert.deepStrictEqual([form.message, form.sessionId, form.questions], ["Who?", undefined, []])
    assert.isUndefined(Permission.problem(form, Permission.answered({})), "a form without fields asks for a plain yes")
    assert.deepStrictEqual(Permission.toResult(form, Permission.answered({})), { action: "accept", content: {} })
  })
})
