import { assert, describe, it } from "@effect/vitest"
import { withPlainStack } from "../support/PlainStack.ts"

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
