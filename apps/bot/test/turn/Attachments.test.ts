import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Attachments from "@heddle/bot/turn/prompt/Attachments"
import { toBlocks } from "@heddle/bot/turn/prompt/Prompt"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"

/** Serves files by path once `together` requests wait. */
const files = (together: number) =>
  Effect.acquireRelease(
    Effect.async<{ readonly url: string; readonly close: () => void }>((resume) => {
      const waiting: Array<() => void> = []
      const server = createServer((request, response: ServerResponse) => {
        waiting.push(() => response.end(`bytes of ${request.url}`))
        if (waiting.length === together) for (const serve of waiting) serve()
      })
      server.listen(0, "127.0.0.1", () =>
        resume(
          Effect.succeed({
            url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
            close: () => {
              server.closeAllConnections()
              server.close()
            }
          })
        )
      )
    }),
    ({ close }) => Effect.sync(close)
  )

const named = (url: string, names: ReadonlyArray<string>) =>
  names.map((name) => ({ name, url: `${url}/${name}`, size: 10, contentType: "text/plain" }))

describe("the files of a message", () => {
  it.scoped("are fetched concurrently and delivered in order", () =>
    Effect.gen(function* () {
      const { url } = yield* files(4)
      const fetched = yield* Attachments.fetchAll(named(url, ["a", "b", "c", "d"]))
      const { blocks, rejectedNames } = toBlocks("look", fetched, {})
      const [block] = blocks
      assert.deepEqual(rejectedNames, [])
      assert.match(block?.type === "text" ? block.text : "", /look[^]*bytes of \/a[^]*of \/b[^]*of \/c[^]*of \/d/)
    })
  )

  it.scoped("are unavailable when they take more than a minute in total", () =>
    Effect.gen(function* () {
      const { url } = yield* files(3)
      const fetching = yield* Effect.fork(Effect.flip(Attachments.fetchAll(named(url, ["a", "b"]))))
      yield* TestClock.adjust("59 seconds")
      assert.isNull(fetching.unsafePoll())
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(fetching)
      assert.deepEqual([error._tag, error.name], ["AttachmentUnreadable", "a"])
    })
  )

  it("go as the kinds of content that the agent takes, with their names", () => {
    const file = (name: string, contentType: string) =>
      [{ name, contentType, url: "", size: 2 }, new Uint8Array([0, 1])] as const
    const files = [file("cat.png", "image/png"), file("hi.wav", "audio/wav"), file("orders.xlsx", "application/zip")]
    const all = toBlocks("look", files, { image: true, audio: true, embeddedContext: true })
    assert.deepEqual(all.rejectedNames, [])
    assert.deepEqual(all.blocks.slice(1), [
      { type: "image", data: "AAE=", mimeType: "image/png", uri: "attachment:///cat.png" },
      { type: "resource", resource: { uri: "attachment:///hi.wav", mimeType: "audio/wav", blob: "AAE=" } },
      { type: "resource", resource: { uri: "attachment:///orders.xlsx", mimeType: "application/zip", blob: "AAE=" } }
    ])
    const sound = toBlocks("look", files, { audio: true })
    assert.deepEqual(sound.rejectedNames, ["cat.png", "orders.xlsx"])
    assert.deepEqual(sound.blocks.slice(1), [{ type: "audio", data: "AAE=", mimeType: "audio/wav" }])
  })
})
