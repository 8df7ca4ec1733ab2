import { assert, describe, it } from "@effect/vitest"
import { choose, inChat } from "../support/session/AssistantChats.ts"
import { buttonsOf } from "../support/Stack.ts"

const questions = {
  "as the permission requests of agents have them": [
    { question: "Which colour?", header: "Colour", options: ["red", { label: "blue" }] },
    { question: "Which sizes?", multiSelect: true, options: [{ label: "small" }, { label: "large" }] }
  ],
  "with names, values and ids of their own": [
    {
      id: "c",
      title: "Which colour?",
      choices: [
        { name: "Red", value: "red" },
        { title: "Blue", value: "blue" }
      ]
    },
    { id: 7, prompt: "Which sizes?", multiple: true, options: [{ text: "small" }, { optionId: "large", name: "Big" }] }
  ],
  "by the keys of their answers": {
    q_0: { question: "Which colour?", options: ["red", "blue"] },
    q_1: { question: "Which sizes?", multiSelect: true, options: ["small", "large"] }
  },
  "by names of their own": {
    colour: { question: "Which colour?", options: ["red", "blue"] },
    sizes: { question: "Which sizes?", multiSelect: true, options: ["small", "large"] }
  },
  "as the fields of a form": {
    type: "object",
    properties: {
      colour: { type: "string", title: "Which colour?", enum: ["red", "blue"] },
      sizes: { type: "array", title: "Which sizes?", items: { anyOf: [{ const: "small" }, { const: "large" }] } }
    }
  }
} as const

describe.concurrent(
  "questions of the assistant at a service that keeps the document and nothing more",
  { timeout: 60_000 },
  () => {
    for (const messageContent of ["blocks", "strings"] as const)
      for (const [name, asked] of Object.entries(questions))
        it(`are answered where the service takes answers (${messageContent}; ${name})`, () =>
          inChat({ assistant: "A", messageContent }, async (stack, thread, shows) => {
            const { answer, requestId } = stack.service.assistant.ask("Before I paint:", asked)
            await shows(/Before I paint:[^]*Which colour\?[^]*Which sizes\?[^]*Choose below/)
            await choose(stack, thread, 0, "1")
            await shows(/➤ [Bb]lue/)
            await choose(stack, thread, 1, "0", "1")
            await shows(/Answered\. The assistant goes on/)
            assert.deepEqual(await answer, {
              outcome: "selected",
              requestId,
              answers: { q_0: "blue", q_1: ["small", "large"] }
            })
          }))

    it("are left to the person at the computer where the service takes none", () =>
      inChat({ assistant: "B" }, async (stack, thread, shows) => {
        const { assistant } = stack.service
        assistant.ask("May I?", [{ question: "May I paint?", options: ["yes", "no"] }])
        await shows(/May I paint\?[^]*Choose below/)
        await choose(stack, thread, 0, "0")
        await shows(/This service lets only the person at the computer answer\. [^]*nothing was changed/)
        assert.notMatch(stack.emulator.transcript(thread), /Answered\. The assistant/)
        assert.deepEqual(
          assistant.messages.filter(({ role }) => role === "user").map(({ msg_type }) => msg_type),
          ["text"]
        )
      }))

    it("stay open while the assistant is offline, and nothing is claimed of the answer", () =>
      inChat({ assistant: "A" }, async (stack, thread, shows) => {
        const { service } = stack
        const { answer } = service.assistant.ask("", [{ question: "May I paint?", options: ["yes", "no"] }])
        await shows(/May I paint\?[^]*Choose below/)
        service.setReadings({ assistantOnline: false })
        await choose(stack, thread, 0, "0")
        await shows(/offline\. Your message may not have been delivered[^]*Choose below/)
        service.setReadings({ assistantOnline: true })
        await choose(stack, thread, 0, "1")
        await shows(/Answered\. The assistant goes on/)
        assert.deepEqual((await answer).answers, { q_0: "no" })
        assert.notMatch(stack.emulator.transcript(thread), /may not have been delivered/)
      }))

    for (const effect of [{ status: 502 }, { status: 500 }, "reset", "hang"] as const)
      it(`say that it is not known whether an answer arrived, and take another (${JSON.stringify(effect)})`, () =>
        inChat({ assistant: "A" }, async (stack, thread, shows) => {
          const { service, you } = stack
          service.assistant.ask("", [{ question: "May I paint?", options: ["yes", "no"] }])
          await shows(/May I paint\?[^]*Choose below/)
          service.addFault({ method: "POST", path: /localassistant\/message$/, when: "after", effect })
          await choose(stack, thread, 0, "0")
          const transcript = await shows(/It is not known whether your answer arrived/)
          assert.match(transcript, /➤ yes[^]*Nothing is charged for it\. Look at your computer, or answer again/)
          assert.notMatch(transcript, /Choose below|Answered\. The assistant/)
          assert.notMatch(
            you
              .ephemerals(thread)
              .map(({ content }) => content)
              .join(),
            /charged|task list/
          )
          await choose(stack, thread, 0, "1")
          assert.notMatch(await shows(/no longer open: it was answered, or/), /➤/)
        }))

    for (const restarts of [false, true])
      it(`close at the deadline that the assistant names${restarts ? ", also after a restart" : ""}`, () =>
        inChat({ assistant: "A" }, async (stack, thread, shows) => {
          const { service, startBot, stopBot } = stack
          const may = [{ question: "May I paint?", options: ["yes", "no"] }]
          let taken = false
          void service.assistant.ask("", may, { timeoutMs: 4000 }).answer.then(() => (taken = true))
          await shows(/May I paint\?[^]*Choose below[^]*Open until/)
          if (restarts) {
            await stopBot()
            await startBot()
          }
          const transcript = await shows(
            /The time that the assistant gave for this answer is over\. No answer was sent/
          )
          assert.notMatch(transcript, /Choose below/)
          assert.isFalse(taken)
        }))

    const anHour = 3_600_000
    for (const [name, limit] of [
      ["an instant", () => ({ expiresAt: new Date(Date.now() - anHour).toISOString() })],
      ["a time limit", () => ({ timeoutMs: anHour })]
    ] as const)
      it(`are shown as closed when ${name} of theirs passed while the bot was down`, () =>
        inChat({ assistant: "A" }, async (stack, thread, shows) => {
          const { emulator, service, startBot, stopBot } = stack
          await stopBot()
          service.assistant.ask("", [{ question: "May I paint?", options: ["yes", "no"] }], limit())
          Object.assign(service.assistant.messages.at(-1)!, {
            created_at: new Date(Date.now() - 2 * anHour).toISOString()
          })
          await startBot()
          const transcript = await shows(/May I paint\?/)
          assert.match(transcript, /The time that the assistant gave for this answer is over\. No answer was sent/)
          assert.notMatch(transcript, /Choose below/)
          assert.isTrue(emulator.messages(thread).every((message) => buttonsOf(message).length === 0))
        }))

    it("refuse a late choice in words, before the card closes", () =>
      inChat({ assistant: "A" }, async (stack, thread, shows) => {
        const { emulator, service } = stack
        const may = [{ question: "May I paint?", options: ["yes", "no"] }]
        let taken = false
        const expiresAt = Date.now() + 4000
        void service.assistant
          .ask("", may, { expiresAt: new Date(expiresAt).toISOString() })
          .answer.then(() => (taken = true))
        await shows(/May I paint\?[^]*Choose below[^]*Open until/)
        const repair = emulator.fault({ method: "PATCH", route: /^\/channels\//, status: 503 })
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, expiresAt + 50 - Date.now())))
        await choose(stack, thread, 0, "0")
        await shows(/The time that the assistant gave for this answer is over\. No answer was sent/)
        repair()
        assert.isFalse(taken)
      }))

    it("are not called unanswered while a choice from before the deadline is on its way", () =>
      inChat({ assistant: "A" }, async (stack, thread, shows) => {
        const { emulator, service } = stack
        const delay = {
          method: "POST",
          path: /localassistant\/message$/,
          when: "before",
          effect: { delayMs: 5000 }
        } as const
        const may = [{ question: "May I paint?", options: ["yes", "no"] }]
        const { answer } = service.assistant.ask("", may, { timeoutMs: 4000 })
        await shows(/May I paint\?[^]*Open until/)
        service.addFault(delay)
        await choose(stack, thread, 0, "0")
        let wasCalledUnanswered = false
        await emulator.waitFor(
          () => {
            const transcript = emulator.transcript(thread)
            wasCalledUnanswered ||= transcript.includes("No answer was sent")
            return transcript.includes("Answered. The assistant goes on")
          },
          { what: "the answer", timeoutMs: 20_000 }
        )
        assert.isFalse(wasCalledUnanswered)
        assert.deepEqual((await answer).answers, { q_0: "yes" })
      }))

    it("claim nothing at the deadline of an answer whose outcome is not known", () =>
      inChat({ assistant: "A" }, async (stack, thread, shows) => {
        const { service } = stack
        service.assistant.ask("", [{ question: "May I paint?", options: ["yes", "no"] }], { timeoutMs: 4000 })
        await shows(/May I paint\?[^]*Open until/)
        service.setReadings({ assistantOnline: false })
        await choose(stack, thread, 0, "0")
        const transcript = await shows(/is over\./)
        assert.match(transcript, /It is not known whether your answer arrived: \S*assistant history\S* shows it/)
        assert.notMatch(transcript, /No answer was sent|Choose below/)
      }))

    it("say as much as could be understood", () =>
      inChat({}, async ({ emulator, service, you }, _, shows) => {
        const { assistant } = service
        assistant.say({ text: "Shall I go on?", msgType: "permission_request", metadata: { shape: ["unknown"] } })
        await shows(/The assistant asks[^]*Shall I go on\?[^]*only be answered on your computer/)
        const asked = [{ question: "How many?" }, { question: "Which?", options: ["this", "that"] }]
        assistant.say({
          text: "",
          msgType: "questionnaire",
          metadata: { source: { requestId: "r", questions: asked } }
        })
        await shows(/How many\?[^]*Which\?[^]*• this\n.*• that[^]*only be answered on your computer/)
        assistant.say({ text: "Just words.", metadata: { requestId: "trace", questions: ["What else?"] } })
        await shows(/\]: Just words\./)
        const page = await (await you.command(emulator.channelId, "assistant history")).settled()
        assert.match(page.embeds[0]?.description ?? "", /How many\?\nWhich\?/)
      }))
  }
)
