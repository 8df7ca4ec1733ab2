import { assert, describe, it } from "@effect/vitest"
import * as Question from "@heddle/acp/Question"
import type { AgentRequest } from "@heddle/bot/model/Conversation"
import { modalToWire, toWire } from "@heddle/bot/discord/MessageBody"
import { chinese, english } from "@heddle/bot/messages/Translations"
import * as QuestionCard from "@heddle/bot/view/QuestionCard"
import * as RequestCard from "@heddle/bot/view/RequestCard"

const asked = (more: Partial<AgentRequest>): AgentRequest => ({
  _tag: "AgentRequest",
  id: "p",
  form: "permission",
  title: "Write report.md",
  detail: "```diff\n+a\n```",
  options: [],
  questions: [],
  draft: {},
  questionIndex: 0,
  optionPage: 0,
  deadline: 1_700_000_000_500,
  outcome: { _tag: "Open" },
  ...more
})

const cardOf = (request: AgentRequest, messages: typeof english, uploadLimit = 10_000) =>
  RequestCard.post(request, messages, uploadLimit)

const options = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `Option ${n}`, kind: n === 0 ? "allow_once" : "reject_once" }))

const long = "word ".repeat(2000)

const monster = Question.fromRawInput({
  questions: Array.from({ length: 4 }, (_, n) => ({
    question: `${n} ${long}`,
    header: long,
    multiSelect: n % 2 === 0,
    options: Array.from({ length: 70 }, (_, at) => ({ label: `${at} ${long}`, description: long }))
  }))
})

/** Discord's limits of a message with boxes and controls. */
const fits = (request: AgentRequest) => {
  const post = cardOf(request, english)
  const { components } = toWire({ content: post.content, embeds: post.embeds, rows: post.rows })
  const [embed] = post.embeds
  assert.isAtMost(embed!.title!.length, 256)
  assert.isAtMost(embed!.description!.length, 4096)
  assert.isAtMost(components.length, 5)
  const ids = new Set<string>()
  for (const { components: row } of components) {
    assert.isTrue(row.length > 0 && row.length <= 5)
    for (const control of row) {
      const id = "custom_id" in control ? control.custom_id : ""
      assert.isTrue(id !== "" && id.length <= 100 && !ids.has(id), id)
      ids.add(id)
      if (!("options" in control)) continue
      assert.strictEqual(row.length, 1)
      assert.isTrue(control.options.length > 0 && control.options.length <= 25)
      assert.isAtMost(control.max_values, control.options.length)
      for (const each of control.options) {
        assert.isAtMost(each.label.length, 100)
        assert.isAtMost(each.description?.length ?? 0, 100)
      }
    }
  }
  return post
}

/** The labels of the buttons for options. */
const labels = (named: ReadonlyArray<readonly [name: string, kind: string]>, messages: typeof english) =>
  cardOf(asked({ options: named.map(([name, kind]) => ({ name, kind })) }), messages)
    .rows.flat()
    .flatMap((control) => ("label" in control ? [control.label] : []))

const idsOf = (request: AgentRequest) =>
  fits(request)
    .rows.flat()
    .map((control) => control.customId)

describe("the card of a request", () => {
  it("shows a permission's own buttons below the action and the deadline", () => {
    const open = fits(asked({ options: options(7) }))
    assert.deepEqual(
      open.rows.map((row) => row.length),
      [5, 2]
    )
    assert.strictEqual(open.rows[0]![0]!.customId, "p1:p:0")
    assert.match(open.embeds[0]!.description!, /\+a[^]*<t:1700000000:R>/)
  })

  it("has all of a long request as a file beside it, open and answered, unless the file is too large", () => {
    const answered = {
      _tag: "Answered",
      answers: [{ question: undefined, answer: "Option 0" }],
      allowed: true,
      answeredBy: "1",
      answeredAt: 0
    } as const
    for (const outcome of [{ _tag: "Open" }, answered] as const) {
      const request = asked({ options: options(2), outcome, wholeDetail: "é".repeat(5000) })
      const { embeds, files } = fits(request)
      assert.deepEqual(
        files.map(({ name, text }) => ({ name, text })),
        [{ name: "changes.diff", text: request.wholeDetail }]
      )
      assert.match(embeds[0]!.description!, /\+a\n```[^]*All of it is in the file `changes\.diff`/)
      const large = cardOf(request, english, 9999)
      assert.lengthOf(large.files, 0)
      assert.match(large.embeds[0]!.description!, /All of it is 10 KB\. That is too large[^]*limit is 10 KB/)
      const command = cardOf({ ...request, detail: "Run all" }, english)
      assert.strictEqual(command.files[0]?.name, "request.txt")
    }
    assert.lengthOf(cardOf(asked({}), english).files, 0)
    assert.lengthOf(cardOf(asked({ wholeDetail: "x", outcome: { _tag: "Unshown" } }), english).files, 0)
  })

  it("says on each button what its kind does, beside what the agent's words add to that", () => {
    const named = [
      ["Always allow in this session", "allow_always"],
      ["Go on", "allow_once"],
      ["Allow", "reject_once"],
      ["Allow once", "reject_once"],
      ["Rejection notes", "reject_once"],
      ["Never mind", "reject_always"],
      ["Always allow", "allow_once"],
      ["Elsewhere", "redirect"],
      ["word ".repeat(40), "allow_always"]
    ] as const
    const long = `Always allow: ${"word ".repeat(40)}`
    assert.deepEqual(labels(named, english), [
      "Always allow in this session",
      "Allow once: Go on",
      "Reject: Allow",
      "Reject: Allow once",
      "Reject: Rejection notes",
      "Always reject: Never mind",
      "Allow once: Always allow",
      "Elsewhere",
      `${long.slice(0, 79)}…`
    ])
    assert.deepEqual(labels(named, chinese).slice(0, 4), [
      "始终允许（仅本次会话）",
      "允许一次：Go on",
      "拒绝：允许",
      "拒绝：允许一次"
    ])
  })

  it("says once what the agent's words say no more than the kind, also where they say less", () => {
    const said = {
      allow_once: [
        "Allow",
        " allow once ",
        "allow_once",
        "ALLOW-ONCE",
        "Yes",
        "✅ Approve",
        "允许",
        "允许一次",
        "本次允许"
      ],
      allow_always: ["Allow", "Always allow", "allow_always", "Always", "始终允许", "总是允许", "Yes"],
      reject_once: ["Reject", "reject_once", "Deny.", "No", "拒绝", "拒绝一次", "不允许"],
      reject_always: ["Reject", "Always deny", "reject-always", "Never allow", "始终拒绝", "从不允许"]
    }
    for (const [kind, names] of Object.entries(said))
      for (const name of names)
        for (const messages of [english, chinese])
          assert.deepEqual(
            labels([[name, kind]], messages),
            [messages.requestCards.optionKinds[kind as keyof typeof said]],
            `${name} for ${kind}`
          )
    // Two options that mean the same keep their names apart.
    const twice = [
      ["Yes", "allow_once"],
      ["Allow", "allow_once"]
    ] as const
    assert.deepEqual(labels(twice, english), ["Allow once: Yes", "Allow once: Allow"])
    const request = asked({ options: [{ name: "No", kind: "reject_once" }] })
    const answers = [{ question: undefined, answer: "No" }]
    const outcome = { _tag: "Answered", answers, allowed: false, answeredBy: "1", answeredAt: 0 } as const
    const answered = cardOf({ ...request, outcome }, chinese)
    assert.match(answered.embeds[0]!.description!, /^拒绝 — /)
    const [list] = cardOf(asked({ options: options(21) }), english)
      .rows.flat()
      .flatMap((control) => ("options" in control ? [control.options] : []))
    assert.deepEqual(
      list?.slice(0, 2).map(({ label }) => label),
      ["Allow once: Option 0", "Reject: Option 1"]
    )
  })

  it("shows where links of the action lead", () => {
    const { embeds } = cardOf(asked({ detail: "Open [docs](https://evil.example)" }), english)
    assert.match(embeds[0]!.description!, /^Open \[docs\]\u200b\(https:\/\/evil\.example\)/)
  })

  it("pages options that exceed the buttons", () => {
    assert.deepEqual(idsOf(asked({ options: options(60) })), ["q1:p:o", "q1:p:p:1"])
    assert.deepEqual(idsOf(asked({ options: options(60), optionPage: 1 })), ["q1:p:o", "q1:p:p:0", "q1:p:p:2"])
    const last = fits(asked({ options: options(60), optionPage: 2 })).rows[0]![0]!
    assert.deepInclude("options" in last ? last.options.at(-1) : {}, { value: "59", label: "Reject: Option 59" })
  })

  it("shows who answered, the answer and the time", () => {
    const told = (outcome: AgentRequest["outcome"], more: Partial<AgentRequest> = {}) => {
      const post = fits(asked({ ...more, outcome }))
      assert.deepEqual(post.rows, [])
      assert.strictEqual(post.key, cardOf(asked({}), english).key)
      return `${post.embeds[0]!.title}\n${post.embeds[0]!.description}`
    }
    const [which] = Question.fromRawInput({ questions: [{ question: "Which?" }] })
    const by = { _tag: "Answered", answeredBy: "42", answeredAt: 5000 } as const
    assert.strictEqual(
      told({ ...by, answers: [{ question: undefined, answer: "Always" }], allowed: true }),
      "✅ Allowed: Write report.md\nAlways — by <@42>, <t:5:f>\n\n```diff\n+a\n```"
    )
    assert.match(told({ ...by, answers: [], allowed: false }), /❌ Not allowed: Write report\.md\nby <@42>/)
    assert.match(
      told({ ...by, answers: [{ question: which!, answer: "a*b" }], allowed: true }, { form: "question" }),
      /✅ Answered: [^]*\*\*Which\?\*\*\n> a\\\*b\nby <@42>/
    )
    const allowed = { ...by, answers: [{ question: undefined, answer: "Allow" }], allowed: true } as const
    for (const [delivery, title] of [
      ["Sending", /^⏳ Sending the answer: [^]*has not confirmed this answer yet/],
      ["Sent", /^📨 Answer sent: [^]*Allow — by <@42>[^]*has not shown yet that it went on with it/],
      ["NotConfirmed", /^⚠️ Answer not confirmed: [^]*Allow — by <@42>[^]*agent may not have it/]
    ] as const) {
      assert.match(told({ ...allowed, delivery }), title)
      assert.notMatch(told({ ...allowed, delivery }), /✅|Allowed/)
    }
    assert.match(told({ _tag: "ConnectionLost" }), /^⚠️ Can no longer be answered: [^]*connection [^]* is gone/)
    assert.match(told({ _tag: "Expired", isRefused: true }), /Not answered in time[^]*so it was refused/)
    assert.notMatch(told({ _tag: "Expired", isRefused: false }), /refused/)
    assert.match(told({ _tag: "Withdrawn" }), /No longer open/)
  })

  it("shows one question at a time with its draft and its problem", () => {
    const [first, second] = Question.fromForm({
      properties: {
        size: { type: "integer", title: "Size", maximum: 9 },
        kind: { type: "string", title: "Kind", enum: ["a", "b"], enumNames: [] }
      },
      required: ["size"]
    })
    const form = asked({
      form: "elicitation",
      questions: [first!, second!],
      title: "About you",
      detail: "About you",
      draft: { size: "12" }
    })
    const one = fits(form)
    assert.match(one.embeds[0]!.title!, /^Question 1 of 2: About you$/)
    assert.match(one.embeds[0]!.description!, /^\*\*Size\*\*[^]*> 12\n⚠️ The maximum is 9/)
    assert.deepEqual(idsOf(form), ["q1:p:w:0", "q1:p:g:1:0", "q1:p:f", "q1:p:n"])
    assert.deepEqual(idsOf({ ...form, questionIndex: 1 }), ["q1:p:s:1:0", "q1:p:g:0:0", "q1:p:f", "q1:p:n"])
    assert.deepEqual(idsOf(asked({ form: "elicitation", detail: "Sure?" })), ["q1:p:f", "q1:p:n"])
  })

  it("fits questions of any size on every page", () => {
    for (const [step] of monster.entries()) {
      for (const page of [0, 1, 2]) {
        const draft = { q_0: [long, "0"], q_1: long }
        fits(
          asked({
            form: "question",
            title: long,
            detail: long,
            questions: monster,
            questionIndex: step,
            optionPage: page,
            draft
          })
        )
      }
    }
    fits(asked({ title: long, detail: long, options: options(90).map((each) => ({ ...each, name: long })) }))
  })

  it("says why an answered request is open again, above the deadline", () => {
    const again = (removedAuthors: ReadonlyArray<string>) =>
      asked({ options: options(2), outcome: { _tag: "Open", removedAuthors } })
    const textOf = (request: AgentRequest, messages = english) => cardOf(request, messages).embeds[0]!.description!
    assert.match(textOf(again(["1", "2"])), /⚠️ The answer of <@1>, <@2> was not sent, [^\n]+answer again\.\n\n⏳/)
    assert.match(textOf(again(["1"]), chinese), /⚠️ <@1> 已不能在这里回答[^\n]+\n\n⏳/)
    assert.match(textOf(again([])), /⚠️ Discord did not tell whether/)
    assert.notMatch(textOf(asked({ options: options(2) })), /⚠️/)
    const people = Array.from({ length: 30 }, (_, n) => String(10n ** 18n + BigInt(n)))
    fits({ ...again(people), detail: long })
  })

  it("opens forms within Discord's limits", () => {
    for (const question of monster) {
      const wire = modalToWire(QuestionCard.answerForm("p", 0, question, long, english))
      assert.isAtMost(wire.title.length, 45)
      const label = wire.components[0]!
      assert.isTrue("label" in label && label.label.length <= 45 && (label.description?.length ?? 0) <= 100)
    }
    const [text] = Question.fromForm({ properties: { a: { type: "string", minLength: 9000, maxLength: 0 } } })
    assert.deepInclude(QuestionCard.answerForm("p", 0, text!, "", english).fields[0]!, { minLength: 1, maxLength: 1 })
  })

  it("replaces invisible names by a neutral text, and shows direction characters", () => {
    const named = ["", "\u200b\u2060", "\u0000\u202e", "\u3164", "\u202econstructor"]
    const request = asked({
      title: "\u202e\u200b",
      detail: "`\u202etxt.exe`",
      options: named.map((name) => ({ name, kind: "allow_once" }))
    })
    for (const [messages, words] of [
      [english, ["Permission needed: Use a tool", "Option", "Allow once: "]],
      [chinese, ["需要许可：使用工具", "选项", "允许一次："]]
    ] as const) {
      const { rows: buttons, embeds } = cardOf(request, messages)
      assert.strictEqual(embeds[0]!.title, words[0])
      assert.match(embeds[0]!.description!, /^`⟨U\+202E⟩txt\.exe`/)
      assert.deepEqual(
        buttons.flat().map((button) => ("label" in button ? button.label : "")),
        [1, 2, 3, 4].map((n) => `${words[2]}${words[1]} ${n}`).concat(`${words[2]}constructor`)
      )
      const answers = [{ question: undefined, answer: "\u200b\u2060" }]
      const outcome = { _tag: "Answered", answers, allowed: true, answeredBy: "1", answeredAt: 0 } as const
      assert.match(
        cardOf({ ...request, outcome }, messages).embeds[0]!.description!,
        new RegExp(`^${words[2]}${words[1]} 2`)
      )
    }
  })

  it("does not treat inherited properties as answers", () => {
    const fields = JSON.parse(
      '{"constructor":{"type":"string"},"__proto__":{"type":"string"},"toString":{"type":"array"}}'
    )
    const questions = Question.fromForm({ type: "object", properties: fields })
    assert.strictEqual(questions.length, 3)
    for (const step of questions.keys()) {
      const post = cardOf(asked({ form: "elicitation", questions, questionIndex: step }), english)
      assert.notMatch(post.embeds[0]!.description!, /Your answer/)
    }
  })
})
