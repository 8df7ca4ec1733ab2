import * as Permission from "@heddle/acp/Permission"
import * as Question from "@heddle/acp/Question"
import { assert, describe, it } from "@effect/vitest"

const form = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name", description: "Your full name", minLength: 2, maxLength: 5 },
    colour: { type: "string", enum: ["red", "blue"], default: "red" },
    size: { type: "string", oneOf: [{ const: "s", title: "Small", description: "up to 5" }, { const: "l" }] },
    tags: { type: "array", items: { type: "string", enum: ["a", "b", "c"] }, minItems: 1, maxItems: 2 },
    kinds: { type: "array", items: { anyOf: [{ const: "x", title: "X" }] } },
    ratio: { type: "number", minimum: 0, maximum: 1 },
    count: { type: "integer" },
    sure: { type: "boolean", default: false },
    later: { type: "hologram" },
    odd: 7
  },
  required: ["name", "tags", "sure"]
}

const questions = Question.fromForm(form)
const find = (id: string) => {
  const found = questions.find((question) => question.id === id)
  assert.isDefined(found)
  return found
}

describe("Question", () => {
  it("is read from every kind of field of a form", () => {
    assert.deepStrictEqual(
      questions.map(({ id, kind, multiSelect, required }) => [id, kind, multiSelect, required]),
      [
        ["name", "text", false, true],
        ["colour", "choice", false, false],
        ["size", "choice", false, false],
        ["tags", "choice", true, true],
        ["kinds", "choice", true, false],
        ["ratio", "number", false, false],
        ["count", "integer", false, false],
        ["sure", "boolean", false, true],
        ["later", "text", false, false]
      ]
    )
    assert.deepStrictEqual(find("name"), {
      id: "name",
      question: "Your full name",
      header: "Name",
      kind: "text",
      options: [],
      multiSelect: false,
      freeText: false,
      required: true,
      atLeast: 2,
      atMost: 5
    })
    assert.deepStrictEqual(find("size").options, [
      { value: "s", label: "Small", description: "up to 5" },
      { value: "l", label: "l" }
    ])
    assert.deepStrictEqual([find("colour").suggested, find("sure").suggested], ["red", false])
    for (const schema of [undefined, 7, {}, { properties: [] }]) assert.deepStrictEqual(Question.fromForm(schema), [])
  })

  it("takes answers as people type them and as programs give them, and says what is wrong with the others", () => {
    const right = [
      ["name", "Ada"],
      ["colour", "blue"],
      ["tags", ["a", "c"]],
      ["tags", "b"],
      ["ratio", "0.5"],
      ["ratio", 1],
      ["count", "-3"],
      ["sure", false],
      ["sure", "true"],
      ["count", undefined],
      ["colour", ""]
    ] as const
    for (const [id, value] of right) assert.isUndefined(Question.problem(find(id), value), id)
    const wrong = [
      ["name", undefined],
      ["name", ""],
      ["name", "A"],
      ["name", "Augusta Ada"],
      ["name", ["Ada"]],
      ["colour", "green"],
      ["colour", ["red", "blue"]],
      ["tags", []],
      ["tags", ["a", "b", "c"]],
      ["tags", ["d"]],
      ["ratio", "half"],
      ["ratio", 2],
      ["ratio", true],
      ["count", 1.5],
      ["count", " "],
      ["sure", "perhaps"]
    ] as const
    for (const [id, value] of wrong) assert.isDefined(Question.problem(find(id), value), `${id} ${String(value)}`)
  })

  it("gives a form its types back and nothing it did not ask for", () => {
    assert.deepStrictEqual(
      Question.toContent(questions, { name: "Ada", ratio: "0.5", sure: "true", tags: "a", count: "", more: 1 }),
      { name: "Ada", tags: ["a"], ratio: 0.5, sure: true }
    )
    assert.deepStrictEqual(Question.toContent(questions, Object.create({ name: "inherited" })), {})
  })

  it("of an agent's own takes words beside its options", () => {
    const [question] = Question.fromRawInput({ questions: [{ question: "Which?", options: ["a"] }] })
    assert.isDefined(question)
    assert.isUndefined(Question.problem(question, "neither"))
    assert.deepStrictEqual(Question.fromRawInput({ questions: [7, { question: "Why?" }] })[0], {
      id: "q_1",
      question: "Why?",
      kind: "text",
      options: [],
      multiSelect: false,
      freeText: true,
      required: false
    })
  })

  it("by the name of what every object has is not answered by that", () => {
    const properties = JSON.parse('{"constructor":{"type":"string"},"__proto__":{"type":"string"}}')
    const request = Permission.fromRequest("elicitation", "1", {
      mode: "form",
      requestedSchema: { properties, required: ["constructor", "__proto__"] }
    })
    assert.isDefined(request)
    assert.match(Permission.problem(request, Permission.answered({})) ?? "", /An answer is required/)
    const answers = JSON.parse('{"constructor":"a","__proto__":"b"}')
    assert.isUndefined(Permission.problem(request, Permission.answered(answers)))
    assert.strictEqual(
      JSON.stringify(Permission.toResult(request, Permission.answered(answers))),
      '{"action":"accept","content":{"constructor":"a","__proto__":"b"}}'
    )
  })
})
