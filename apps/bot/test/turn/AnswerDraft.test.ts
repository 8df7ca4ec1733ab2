import { assert, describe, it } from "@effect/vitest"
import * as Question from "@heddle/acp/Question"
import * as AnswerDraft from "@heddle/bot/turn/session/AnswerDraft"
import { json } from "@heddle/bot/store/PermissionRow"
import type { PermissionRow } from "@heddle/bot/store/PermissionRow"
import { permissionRow } from "../support/PermissionRows.ts"

const many = Array.from({ length: 60 }, (_, n) => `v${n}`)

const questions = Question.fromForm({
  type: "object",
  properties: {
    name: { type: "string", minLength: 2 },
    count: { type: "integer", minimum: 1 },
    sure: { type: "boolean" },
    colour: { type: "string", enum: ["red", "blue"] },
    tags: { type: "array", items: { type: "string", enum: many }, maxItems: 3 }
  },
  required: ["name"]
})

/** Uses controls one after the other, as the row keeps what each of them makes. */
const after = (from: PermissionRow, ...uses: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]>) => {
  let current = from
  let last: AnswerDraft.ActionResult = { _tag: "InvalidAction" }
  for (const [customId, ...values] of uses) {
    const found = AnswerDraft.parse(customId, values)
    assert.isDefined(found, customId)
    last = AnswerDraft.apply(current, found.action)
    if (last._tag === "Draft") current = { ...current, ...last.draft }
  }
  return { row: current, last }
}

describe("AnswerDraft", () => {
  it("reads only the ids of its own controls", () => {
    assert.deepEqual(AnswerDraft.parse("p1:r:3", []), { permissionId: "r", action: { _tag: "Choose", option: 3 } })
    assert.deepEqual(AnswerDraft.parse("q1:r:s:1:2", ["26", "x", "27"])?.action, {
      _tag: "Pick",
      questionIndex: 1,
      optionPage: 2,
      pickedIndexes: [26, 27]
    })
    for (const id of ["", "c1:connect", "p1:r:x", "p1::1", "q1:r", "q1:r:z", "q1:r:g:-1", "q2:r:f", "q1:r:o"]) {
      assert.isUndefined(AnswerDraft.parse(id, []), id)
    }
  })

  it("steps through a form and returns the requested types", () => {
    const { last, row: walked } = after(
      permissionRow({ questions }),
      ["q1:p:t:0", " Ada "],
      ["q1:p:t:1", "7"],
      ["q1:p:s:2:0", "1"],
      ["q1:p:s:3:0", "1"],
      ["q1:p:s:4:0", "3"],
      ["q1:p:g:4:1"],
      ["q1:p:s:4:1", "30"],
      ["q1:p:f"]
    )
    assert.strictEqual(walked.questionIndex, 4)
    assert.deepEqual(last, {
      _tag: "Answer",
      answer: {
        _tag: "Answered",
        answers: { name: "Ada", count: 7, sure: false, colour: "blue", tags: ["v3", "v30"] }
      }
    })
  })

  it("keeps an invalid answer, reports it, and leads back to it", () => {
    const { last, row: walked } = after(permissionRow({ questions }), ["q1:p:t:1", "seven"], ["q1:p:f"])
    assert.deepInclude(walked, { questionIndex: 0, draft: { count: "seven" } })
    assert.deepInclude(last, { _tag: "Draft", problem: { _tag: "Missing" } })
    const again = after(walked, ["q1:p:t:0", "Ada"], ["q1:p:f"])
    assert.deepInclude(again.last, { problem: { _tag: "WrongKind", kind: "integer" } })
    assert.strictEqual(again.row.questionIndex, 1)
    assert.strictEqual(after(again.row, ["q1:p:t:1", ""], ["q1:p:f"]).last._tag, "Answer")
  })

  it("keeps own text beside choices, and choices of other pages", () => {
    const [question] = Question.fromRawInput({ questions: [{ question: "Which?", options: many, multiSelect: true }] })
    assert.isDefined(question)
    const asked = permissionRow({ form: "question", questions: [question] })
    assert.deepInclude(after(asked, ["q1:p:f"]).last, { _tag: "Draft", problem: { _tag: "NothingAnswered" } })
    const { row: walked } = after(
      asked,
      ["q1:p:s:0:0", "2", "1"],
      ["q1:p:t:0", "another"],
      ["q1:p:s:0:2", "59"],
      ["q1:p:s:0:0", "0"]
    )
    assert.deepEqual(walked.draft, { q_0: ["v0", "v59", "another"] })
    assert.strictEqual(AnswerDraft.writtenAnswer(question, walked.draft["q_0"]), "another")
    assert.deepEqual(after(walked, ["q1:p:t:0", ""]).row.draft, { q_0: ["v0", "v59"] })
    assert.deepEqual(after(walked, ["q1:p:n"]).last, { _tag: "Answer", answer: { _tag: "Declined" } })
  })

  it("ignores answers to missing questions", () => {
    for (const id of ["p1:p:0", "q1:p:g:9:0", "q1:p:s:9:0", "q1:p:t:9", "q1:p:w:0"]) {
      assert.strictEqual(after(permissionRow({ questions }), [id]).last._tag, "InvalidAction", id)
    }
  })

  it("keeps answers for any question name, in the row and for the agent", () => {
    const names = ["constructor", "__proto__", "toString"]
    const properties = JSON.parse(`{${names.map((name) => `"${name}":{"type":"string"}`).join(",")}}`)
    const asked = permissionRow({ questions: Question.fromForm({ properties, required: names }) })
    const early = AnswerDraft.apply(asked, { _tag: "Send" })
    assert.deepInclude(early, { problem: { _tag: "Missing" } })
    let current = asked
    for (const step of names.keys()) {
      const { last } = after(current, [`q1:p:t:${step}`, `answer ${step}`])
      assert.strictEqual(last._tag, "Draft")
      if (last._tag === "Draft") {
        const draft = json.answers.read(json.answers.write(last.draft.draft))
        current = { ...current, ...last.draft, draft }
      }
    }
    const sent = AnswerDraft.apply(current, { _tag: "Send" })
    assert.strictEqual(sent._tag, "Answer")
    if (sent._tag !== "Answer") return
    const answer = json.answer.read(json.answer.write(sent.answer))
    assert.deepEqual(
      answer._tag === "Answered" ? Object.entries(answer.answers) : [],
      names.map((name, step): [string, string] => [name, `answer ${step}`])
    )
  })
})
