import { assert, describe, it } from "@effect/vitest"
import type { PlainServiceOptions } from "@heddle/plain-service"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { writeAsAnother } from "../support/scenarios/AnotherClient.ts"
import { loadedAfter, prompts } from "../support/scenarios/ReplayReadings.ts"
import { buttonsOf } from "../support/Stack.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)

const capabilities = { image: false, audio: false, embeddedContext: false }

describe("files of a first prompt that the service runs at once", () => {
  for (const initialize of ["bare", "full"] as const)
    it(`come as text in a second prompt (initialize ${initialize})`, () =>
      withPlainStack({ initialize, promptCapabilities: capabilities }, async (stack) => {
        const file = { name: "data.csv", data: bytesOf("a,b\n1,2"), contentType: "text/csv" }
        const thread = await stack.start("look", { file })
        const transcript = await stack.shows(thread, /Echo: look[^]*data\.csv[^]*a,b[^]*done ·/, 15_000)
        assert.match(transcript, /files go to the agent in a second prompt, which is charged like any other/)
        const [first, second, ...more] = stack.service.rounds.map(({ text }) => text)
        assert.strictEqual(first, "look")
        assert.match(second ?? "", /^The attached file "data\.csv":\n```\na,b\n1,2\n```$/)
        assert.deepEqual(more, [])
      }))

  it("are named to the person and the agent where the agent takes no such files", () =>
    withPlainStack({ initialize: "full", promptCapabilities: capabilities }, async (stack) => {
      const file = { name: "photo.png", data: new Uint8Array([137, 80, 0, 71]), contentType: "image/png" }
      const thread = await stack.start("look", { file })
      const transcript = await stack.shows(thread, /Echo: look[^]*cannot be passed on to you[^]*done ·/, 15_000)
      assert.match(transcript, /in a second prompt/)
      assert.match(transcript, /The agent of this task does not take files of this kind.*photo\.png/)
      assert.lengthOf(stack.service.rounds, 2)
    }))

  it("come as images where the agent takes them", () =>
    withPlainStack(
      {
        initialize: "full",
        promptCapabilities: { ...capabilities, image: true },
        script: async ({ blocks, say }) => {
          say(blocks.map(({ mimeType, type }) => `${type} ${String(mimeType)}`).join(", "))
          return { stopReason: "end_turn" }
        }
      },
      async (stack) => {
        const file = { name: "photo.png", data: new Uint8Array([137, 80, 0, 71]), contentType: "image/png" }
        const thread = await stack.start("look", { file })
        const transcript = await stack.shows(thread, /text undefined[^]*image image\/png[^]*done ·/, 15_000)
        assert.notMatch(transcript, /does not take files/)
      }
    ))

  it("come with their message later in the task, and no more is said", () =>
    withPlainStack({}, async (stack) => {
      const thread = await stack.start("one")
      await stack.shows(thread, /Echo: one[^]*done ·/, 15_000)
      const file = { name: "data.csv", data: bytesOf("a,b"), contentType: "text/csv" }
      await stack.you.send(thread, "", [file])
      const transcript = await stack.shows(thread, /Echo: The attached file "data\.csv"[^]*a,b[^]*done ·/, 15_000)
      assert.notInclude(transcript, "second prompt")
    }))
})

const notes = { name: "notes.txt", data: bytesOf("hello notes"), contentType: "text/plain" }
const sentNotes = 'The attached file "notes.txt":\n```\nhello notes\n```'
const announced = /files go to the agent in a second prompt/

/** Each prompt runs for a moment, so that the first one is followed. */
const slowly: PlainServiceOptions["script"] = async ({ index, say, text }) => {
  await new Promise((resolve) => setTimeout(resolve, 1000))
  say(`Echo${index}: ${text}. `)
  return { stopReason: "end_turn" }
}

const clickSend = async ({ emulator, you }: PlainStack, thread: string) => {
  const isOffer = ({ label = "" }) => label === "Send it"
  const card = await emulator.waitFor(() => emulator.messages(thread).find((each) => buttonsOf(each).some(isOffer)), {
    what: "the button"
  })
  await you.press(thread, card.id, buttonsOf(card).find(isOffer)!.custom_id)
}

describe.concurrent("the prompt with the files of a first prompt", { timeout: 60_000 }, () => {
  for (const replay of ["full", "withoutUserMessages"] as const)
    it(`holds the files only, however often the service is busy (replay ${replay})`, () =>
      withPlainStack({ replay, script: slowly }, async (stack) => {
        const effect = { status: 429, retryAfterSeconds: 0 }
        stack.service.addFault({ rpcMethod: "session/prompt", when: "before", effect, times: 5 })
        const thread = await stack.start("one", { file: notes })
        await stack.shows(thread, /Echo0: one\.[^]*second prompt[^]*Echo1: The attached[^]*done ·/, 40_000)
        assert.deepEqual(prompts(stack), ["one", sentNotes])
      }))

  for (const effect of [{ status: 503 }, { status: 404 }, "reset"] as const)
    it(`is sent again where the history shows that it is not there (${JSON.stringify(effect)})`, () =>
      withPlainStack({ replay: "full", script: slowly }, async (stack) => {
        stack.service.addFault({ rpcMethod: "session/prompt", when: "before", effect })
        const thread = await stack.start("one", { file: notes })
        await stack.shows(thread, /Echo1: The attached[^]*done ·/, 30_000)
        assert.deepEqual(prompts(stack), ["one", sentNotes])
      }))

  it("is sent again after a restart of the bot", () =>
    withPlainStack({ replay: "full", script: slowly }, async (stack) => {
      const { service } = stack
      const effect = { status: 503 }
      service.addFault({ rpcMethod: "session/prompt", when: "before", effect, times: 1000 })
      const thread = await stack.start("one", { file: notes })
      await stack.emulator.waitFor(() => service.requests.some(({ rpcMethod }) => rpcMethod === "session/prompt"), {
        what: "a refused prompt"
      })
      await loadedAfter(stack, async () => {
        await stack.stopBot()
        service.clearFaults()
        await stack.startBot()
      })
      await stack.shows(thread, /Echo1: The attached[^]*done ·/, 30_000)
      assert.deepEqual(prompts(stack), ["one", sentNotes])
    }))

  it("is offered once more where nothing shows whether it arrived", () =>
    withPlainStack({ replay: "withoutUserMessages", script: slowly }, async (stack) => {
      stack.service.addFault({ rpcMethod: "session/prompt", when: "before", effect: { status: 503 } })
      const thread = await stack.start("one", { file: notes })
      await stack.shows(thread, /second prompt[^]*It is not known whether the agent got this message/, 30_000)
      await clickSend(stack, thread)
      await stack.shows(thread, /Echo1: The attached[^]*done ·/, 30_000)
      assert.deepEqual(prompts(stack), ["one", sentNotes])
    }))

  it("has its notice above its answer, also where a replay joins the answers", () =>
    withPlainStack({ replay: "withoutUserMessages", script: slowly }, async (stack) => {
      const { service } = stack
      service.addFault({ rpcMethod: "session/prompt", when: "after", effect: { status: 503 } })
      const thread = await stack.start("one", { file: notes })
      await stack.emulator.waitFor(() => service.requests.some(({ rpcMethod }) => rpcMethod === "session/prompt"), {
        what: "the prompt with the files"
      })
      await stack.stopBot()
      await stack.startBot()
      await stack.shows(thread, /Echo0: one\.[^]*second prompt[^]*Echo1: The attached[^]*done ·/, 30_000)
      assert.deepEqual(prompts(stack), ["one", sentNotes])
    }))

  for (const how of ["fails", "is stopped"] as const)
    it(`is left to the person where the work on the words ${how}`, () => {
      const script: PlainServiceOptions["script"] = async ({ index, say, signal, text }) => {
        say(`Echo${index}: ${text}. `)
        if (index > 0) return { stopReason: "end_turn" }
        if (how === "fails") return { failed: "disk" }
        await new Promise((resolve) => signal.addEventListener("abort", resolve))
        return { stopReason: "cancelled" }
      }
      return withPlainStack({ replay: "full", script }, async (stack) => {
        const thread = await stack.start("one", { file: notes })
        if (how === "is stopped") {
          await stack.shows(thread, /Echo0: one/)
          await stack.you.send(thread, "stop")
        }
        const shown = await stack.shows(thread, /Your files were not sent[^]*nothing was charged for them/i, 20_000)
        assert.notMatch(shown, announced)
        await clickSend(stack, thread)
        await stack.shows(thread, /Echo1: The attached[^]*done ·/, 20_000)
        assert.deepEqual(prompts(stack), ["one", sentNotes])
      })
    })

  it("comes before a message that waits", () =>
    withPlainStack({ replay: "full", script: slowly }, async (stack) => {
      const thread = await stack.start("one", { file: notes })
      await stack.you.send(thread, "two")
      await stack.shows(thread, /Echo2: two[^]*done ·/, 30_000)
      assert.deepEqual(prompts(stack), ["one", sentNotes, "two"])
    }))

  it("is offered where the words turn out to be in the task", () =>
    withPlainStack({ replay: "full", firstPrompt: "waits", script: slowly }, async (stack) => {
      const thread = await stack.start("one", { file: notes })
      await stack.shows(thread, /files were not sent/, 30_000)
      await writeAsAnother(stack.service, "one")
      await stack.you.send(thread, "two")
      await stack.shows(thread, /Already in the task[^]*Echo1: two[^]*Your files were not sent/, 30_000)
      await clickSend(stack, thread)
      await stack.shows(thread, /Echo2: The attached[^]*done ·/, 30_000)
      assert.deepEqual(prompts(stack), ["one", "two", sentNotes])
    }))

  it("is none where the message is sent once more with its files", () =>
    withPlainStack({ replay: "none", firstPrompt: "waits", script: slowly }, async (stack) => {
      const thread = await stack.start("one", { file: notes })
      await stack.shows(thread, /not known whether the agent got this message[^]*files were not sent/, 30_000)
      await clickSend(stack, thread)
      await stack.shows(thread, /Echo0: one[^]*done ·/, 30_000)
      assert.deepEqual(prompts(stack), [`one\n\n${sentNotes}`])
    }))
})
