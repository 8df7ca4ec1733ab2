import { assert, describe, it } from "@effect/vitest"
import * as AssistantQuestion from "@heddle/bot/model/AssistantQuestion"
import { column } from "@heddle/bot/store/database/Json"
import { AssistantMessage, MessageId } from "@heddle/core/domain/AssistantMessage"
import * as Option from "effect/Option"

const message = (more: Partial<ConstructorParameters<typeof AssistantMessage>[0]>) =>
  new AssistantMessage({ messageId: MessageId.make("m"), role: "assistant", msgType: "permission_request", ...more })

const read = (more: Parameters<typeof message>[0]) =>
  Option.getOrUndefined(AssistantQuestion.fromMessage(message(more)))

const option = (value: string, label = value) => ({ value, label })
const yesOrNo = { options: [option("yes"), option("no")], multiSelect: false }

describe("a question of the assistant", () => {
  it("is read from any place in the metadata and the content", () => {
    const questions = [{ question: "Go on?", options: ["yes", "no"] }]
    const expected = { requestId: "r", answerable: true, questions: [{ id: "q_0", question: "Go on?", ...yesOrNo }] }
    for (const metadata of [
      { requestId: "r", questions },
      { request_id: "r", payload: { questions } },
      { kind: "x", source: { requestId: "r", questions } },
      { source: { requestId: "r" }, questions },
      { request: { id: "r", toolCall: { rawInput: { questions } } }, requestId: "r" },
      { items: [{ requestId: "r", questions }] },
      { id: "r", questions }
    ])
      assert.deepEqual(read({ metadata }), expected, JSON.stringify(metadata))
    assert.deepEqual(read({ msgType: "text", content: [{ type: "form", requestId: "r", questions }] }), expected)
  })

  it("is one of several that stand by their keys or names", () => {
    const [red, size] = [
      { question: "Which colour?", options: ["red"] },
      { question: "Which size?", options: ["small"] }
    ]
    const texts = (metadata: object) =>
      read({ metadata: { requestId: "r", ...metadata } })?.questions.map(({ id, question }) => [id, question])
    const both = [
      ["q_0", "Which colour?"],
      ["q_1", "Which size?"]
    ]
    assert.deepEqual(texts({ questions: { q_0: red, q_1: size } }), both)
    assert.deepEqual(texts({ questions: { colour: red, size } }), both)
    assert.deepEqual(texts({ q_0: red, q_1: size }), both)
    assert.deepEqual(texts({ payload: { q_1: size } }), both.slice(1))
    assert.deepEqual(texts({ questions: red }), both.slice(0, 1))
  })

  it("is one of several, whatever their list is called, and of the fields of a form", () => {
    const colour = { title: "Which colour?", options: ["red", "blue"] }
    const size = { title: "Which size?", type: "string", enum: ["small", "large"] }
    const asked = (metadata: object) =>
      read({ metadata: { requestId: "r", ...metadata } })?.questions.map(({ id, options, question }) => [
        id,
        question,
        ...options.map(({ value }) => value)
      ])
    const both = [
      ["q_0", "Which colour?", "red", "blue"],
      ["q_1", "Which size?", "small", "large"]
    ]
    assert.deepEqual(asked({ items: [colour, size] }), both)
    assert.deepEqual(asked({ form: { note: "Both.", steps: [colour, size] } }), both)
    assert.deepEqual(asked({ requestedSchema: { type: "object", properties: { colour, size } } }), both)
    assert.deepEqual(asked({ questions: { type: "object", properties: { colour, size } } }), both)
    assert.deepEqual(asked({ first: colour }), both.slice(0, 1))
    const oneOf = [{ const: "red", title: "Red" }, { const: "blue" }]
    assert.deepEqual(asked({ schema: { properties: { colour: { title: "Which colour?", oneOf } } } }), both.slice(0, 1))
  })

  it("can be answered here only as a whole", () => {
    const colour = { title: "Which colour?", options: ["red", "blue"] }
    const size = { title: "Which size?", options: ["small", "large"] }
    const asked = (metadata: object, content: ReadonlyArray<Record<string, unknown>> = []) => {
      const question = read({ metadata: { requestId: "r", ...metadata }, content: [...content] })
      return (
        question && [AssistantQuestion.isAnswerable(question), ...question.questions.map(({ question }) => question)]
      )
    }
    const form = { type: "object", properties: { colour, name: { type: "string" } } }
    assert.deepEqual(asked({ requestedSchema: form }), [false, "Which colour?", "name"])
    assert.deepEqual(asked({ items: [colour, { title: "Your name?" }] }), [false, "Which colour?", "Your name?"])
    assert.deepEqual(asked({ q_0: colour, q_1: "Your name?" }), [false, "Which colour?", "Your name?"])
    assert.deepEqual(asked({}, [colour, size]), [false, "Which colour?"])
    assert.deepEqual(asked({ q_0: colour, size }), [false, "Which colour?"])
    assert.deepEqual(asked({ items: [{ data: colour }, { data: size }] }), [false, "Which colour?"])
    assert.deepEqual(asked({ questions: [{ ...colour, id: "q_1" }, size] })?.[0], false)
    assert.deepEqual(asked({ questions: [colour, size] }, [colour, size]), [true, "Which colour?", "Which size?"])
    const echo = { questions: [colour, size], toolCall: { rawInput: { questions: [colour, size] } } }
    assert.deepEqual(asked(echo), [true, "Which colour?", "Which size?"])
    assert.deepEqual(asked({ a: { b: { c: { d: { items: [colour, size] } } } } })?.[0], true)
  })

  it("cannot be answered here while a part of it cannot be read or is not shown", () => {
    const colour = { question: "Which colour?", options: ["red", "blue"] }
    const size = { question: "Which size?", options: ["small", "large"] }
    const name = { type: "string" }
    const allow = (title: string) => ({ toolCall: { title }, options: ["Allow", "Deny"] })
    const properties = { colour, address: { type: "object", properties: { street: { type: "string" } } } }
    const parts: Readonly<Record<string, readonly [metadata: object, content?: ReadonlyArray<object>]>> = {
      "without words in a list": [{ questions: [colour, name] }],
      "in words of another name": [{ questions: [colour, { ...name, description: "Your name" }] }],
      "with options of another shape": [{ questions: [colour, { options: { s: "Small" } }] }],
      "a field of a form in `questions`": [{ questions: { type: "object", properties: { colour, name } } }],
      "named in `questions`": [{ questions: { colour, name } }],
      "by its key": [{ questions: { q_0: colour, q_1: name } }],
      "by its key in the message": [{ q_0: colour, q_1: name }],
      "in a list of another name": [{ items: [colour, name] }],
      "in a form within a form": [{ requestedSchema: { properties } }],
      "beside a form within a form": [{ requestedSchema: { properties: { first: { properties: { colour } }, name } } }],
      "another question without options": [{ colour, name: { question: "Your name?" } }],
      "another list of questions": [{ questions: [colour], more: { questions: ["Your name?"] } }],
      "another list in the content": [{ questions: [colour] }, [{ questions: [{ title: "Your name?" }] }]],
      "a field beside it": [{ fields: { colour: { ...colour, label: "Colour" }, why: { label: "Reason" } } }],
      "a prompt beside it": [{ fields: { colour, why: { prompt: "Why?" } } }],
      "in a list of inputs": [{ selects: [colour], inputs: [{ label: "Reason" }] }],
      "that is required": [{ ...colour, comment: { title: "Comment", required: true } }],
      "a field for a text": [{ ...colour, comment: { type: "text", name: "Comment" } }],
      "a field for a longer text": [{ ...colour, comment: { type: "textarea" } }],
      "in the form of a tool": [{ toolCall: { rawInput: { fields: { colour, why: { prompt: "Why?" } } } } }],
      "in a form that a tool gets": [{ args: { fields: { colour, why: { label: "Reason" } } } }],
      "that is of a type": [{ ...colour, sure: { title: "Sure?", type: "boolean" } }],
      "an input in a choice": [
        { question: "Which?", options: ["red", { label: "Other", input: { placeholder: "Which?" } }] }
      ],
      "an option that cannot be read": [{ questions: [{ question: "Which?", options: ["red", { size: [] }] }] }],
      "far inside": [{ ...colour, a: { b: { c: { d: { e: size } } } } }],
      "two approvals": [{}, [allow("ls"), allow("rm")]],
      "two approvals that differ beside their words": [
        {},
        [
          { ...colour, of: "a" },
          { ...colour, of: "b" }
        ]
      ],
      "two requests": [
        {
          items: [
            { requestId: "r1", ...colour },
            { requestId: "r2", ...size }
          ]
        }
      ]
    }
    for (const [what, [metadata, content = []]] of Object.entries(parts)) {
      const question = read({
        metadata: { requestId: "r", ...metadata },
        content: content.map((each) => ({ ...each }))
      })
      assert.isFalse(AssistantQuestion.isAnswerable(question!), what)
    }
  })

  it("has the options of a tool approval", () => {
    const options = [
      { optionId: "a", name: "Allow", kind: "allow_once" },
      { optionId: "b", name: "Reject", kind: "reject_once" }
    ]
    const asked = { ...yesOrNo, options: [option("a", "Allow"), option("b", "Reject")] }
    const kinds = ["allow_once", "reject_once"]
    const expected = asked.options.map((each, at) => ({ ...each, description: kinds[at] }))
    const titled = read({ metadata: { requestId: "r", toolCall: { title: "Write a.md" }, options } })
    assert.deepEqual(titled?.questions, [{ id: "q_0", question: "Write a.md", multiSelect: false, options: expected }])
    const untitled = read({ content: ["May I?"], metadata: { requestId: "r", options } })
    const input = { prompt: "Sum it up", label: "fetch", headers: [{ type: "string" }] }
    for (const tool of [
      { toolCall: { title: "Fetch", rawInput: input } },
      { toolCall: { title: "Ask the wiki", rawInput: { repository: "a/b", question: "How does it work?" } } },
      { tool: "Fetch", tool_input: input },
      { tool_name: "Fetch", input },
      { toolName: "Fetch", parameters: input },
      { tool: { name: "Fetch", input } },
      { tool_use: { name: "Fetch", input } },
      { function: { name: "fetch", arguments: input } }
    ]) {
      const question = read({ metadata: { requestId: "r", options, ...tool } })
      assert.isTrue(AssistantQuestion.isAnswerable(question!), JSON.stringify(tool))
    }
    const ownInput = read({ metadata: { requestId: "r", options, input: { label: "Reason" } } })
    assert.isFalse(AssistantQuestion.isAnswerable(ownInput!))
    assert.deepEqual([untitled?.questions[0]?.question, untitled?.text], ["May I?", undefined])
  })

  it("keeps the positions of its questions and the keys that the document names", () => {
    const ids = (questions: ReadonlyArray<unknown>) =>
      read({ metadata: { requestId: "r", questions } })?.questions.map(({ id }) => id)
    assert.deepEqual(ids([{ question: "a" }, null, { id: "size", question: "c" }, "d"]), ["q_0", "q_2", "q_3"])
    assert.deepEqual(
      ids([
        { id: "q_1", question: "a" },
        { id: "q_2", question: "b" }
      ]),
      ["q_1", "q_2"]
    )
  })

  it("has a deadline that counts from its creation, unless that shows that the clocks differ", () => {
    const deadlineOf = (metadata: Record<string, unknown>, createdAt?: string) => {
      const asked = message({ metadata, ...(createdAt === undefined ? {} : { createdAt }) })
      return AssistantQuestion.withDeadline({ answerable: true, questions: [] }, asked, 10_000).expiresAt
    }
    const at = (millis: number) => new Date(millis).toISOString()
    assert.strictEqual(deadlineOf({ timeoutMs: 500 }, at(2000)), 2500)
    assert.strictEqual(deadlineOf({ timeoutMs: 500 }, at(90_000)), 10_500)
    assert.strictEqual(deadlineOf({ timeoutMs: 500 }, "soon"), 10_500)
    assert.strictEqual(deadlineOf({ expiresAt: at(3000) }, at(2000)), 3000)
    assert.isUndefined(deadlineOf({ expiresAt: at(1000) }, at(2000)))
    assert.strictEqual(deadlineOf({ expiresAt: at(3000) }), 3000)
  })

  it("shows the words of a message that its questions do not repeat", () => {
    const metadata = { requestId: "r", questions: [{ question: "Go on?", options: ["yes", "no"] }] }
    assert.isUndefined(read({ content: ["Go on?"], metadata })?.text)
    assert.strictEqual(read({ content: ["First:", "Go on?"], metadata })?.text, "First:")
    const unreadable = read({ content: ["Well?"], metadata: {} })
    assert.deepEqual(unreadable, { text: "Well?", answerable: true, questions: [] })
    assert.isFalse(AssistantQuestion.isAnswerable(unreadable!))
  })

  it("is neither a text with suggestions nor an answer", () => {
    assert.isUndefined(read({ msgType: "text", metadata: { requestId: "trace", questions: ["And then?"] } }))
    assert.isUndefined(read({ msgType: "text", metadata: { model: { name: "m", options: ["a", "b"] } } }))
    assert.isUndefined(read({ msgType: "permission_response", metadata: { requestId: "r" } }))
  })

  it("is closed when its message says so", () => {
    const isOpen = (metadata: Record<string, unknown>) => AssistantQuestion.isOpen(message({ metadata }))
    assert.deepEqual([{}, { state: "open" }, { status: "waiting" }].map(isOpen), [true, true, true])
    assert.deepEqual([{ state: "answered" }, { status: "withdrawn" }].map(isOpen), [false, false])
  })

  it("comes back from its row as it was, also without its request", () => {
    const row = column(AssistantQuestion.AssistantQuestion)
    for (const metadata of [{}, { requestId: "r", questions: [{ question: "Go on?", options: ["yes", "no"] }] }]) {
      const question = read({ content: ["Well?"], metadata })!
      assert.deepEqual(row.read(row.write(question)), question)
    }
  })
})
