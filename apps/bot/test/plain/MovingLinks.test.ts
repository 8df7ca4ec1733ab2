import { assert, describe, it } from "@effect/vitest"
import { controls } from "../support/Controls.ts"
import { withPlainStack } from "../support/PlainStack.ts"

describe("a service where each query of a task moves its link", () => {
  for (const endedTickets of ["keepStreams", "cutStreams"] as const)
    for (const replay of ["full", "withoutUserMessages"] as const)
      it(
        `takes prompts, and a query between them ends nothing (${endedTickets}, replay ${replay})`,
        { timeout: 60_000 },
        () =>
          withPlainStack({ linkMovesOnQuery: true, endedTickets, replay }, async (stack) => {
            const thread = await stack.start("one")
            await stack.shows(thread, /Echo: one[^]*done ·/, 20_000)
            await stack.you.send(thread, "two")
            await stack.shows(thread, /Echo: two[^]*done ·/, 20_000)
            const status = await (await stack.you.command(thread, "task status")).settled()
            assert.match(status.content, /is \*idle\*/)
            await stack.you.send(thread, "three")
            await stack.shows(thread, /Echo: three[^]*done ·/, 20_000)
            assert.deepEqual(
              stack.service.rounds.map(({ text }) => text),
              ["one", "two", "three"]
            )
          })
      )

  for (const endedTickets of ["keepStreams", "cutStreams"] as const)
    it(`hands over the answer to a permission request of the first prompt (${endedTickets})`, { timeout: 60_000 }, () =>
      withPlainStack(
        {
          linkMovesOnQuery: true,
          endedTickets,
          script: async ({ ask, say }) => {
            say(`Chosen: ${await ask({ title: "Write report.md" })}`)
            return { stopReason: "end_turn" }
          }
        },
        async (stack) => {
          const thread = await stack.start("one")
          await controls(stack, thread).press(/^p1:/)
          await stack.shows(thread, /Chosen: allow[^]*done ·/, 20_000)
          assert.lengthOf(stack.service.rounds, 1)
        }
      )
    )

  for (const endedTickets of ["keepStreams", "cutStreams"] as const)
    it(`does not lose its session to a download or to /task open (${endedTickets})`, { timeout: 60_000 }, () => {
      let go = () => {}
      const opened = new Promise<void>((resolve) => (go = resolve))
      return withPlainStack(
        {
          linkMovesOnQuery: true,
          endedTickets,
          script: async ({ artifact, index, say }) => {
            say("Begun.")
            if (index === 0) return { stopReason: "end_turn" }
            const file = { type: "media", uri: "agent:///artifacts/a.bin", name: "a.bin", mimeType: "application/zip" }
            artifact("created", file, Buffer.from("bytes"))
            await opened
            say(" Ended.")
            return { stopReason: "end_turn" }
          }
        },
        async (stack) => {
          const { emulator, service, shows, start, you } = stack
          const thread = await start("one")
          await shows(thread, /done ·/, 20_000)
          await you.send(thread, "two")
          await emulator.waitFor(() => /a\.bin/.test(emulator.transcript(thread)), { what: "the file" })
          const [task] = service.tasks()
          const sessions = () =>
            service.requests.filter(({ method, path, rpcMethod }) =>
              method === "GET" ? path.endsWith(`/tasks/${task!.taskId}`) : rpcMethod === "session/load"
            ).length
          const before = sessions()
          const download = await (await you.command(thread, "artifacts download", { name: "a.bin" })).settled()
          assert.strictEqual(await (await fetch(download.attachments[0]!.url)).text(), "bytes")
          const link = await (await you.command(thread, "task open", { task: task!.taskId })).settled()
          assert.include(link.content, `<#${thread}>`)
          assert.strictEqual(sessions(), before)
          go()
          await shows(thread, /Ended\.[^]*done ·/, 20_000)
          assert.strictEqual(sessions(), before)
        }
      )
    })
})
