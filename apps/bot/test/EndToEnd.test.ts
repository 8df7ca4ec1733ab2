import { assert, describe, it } from "@effect/vitest"
import { withRealStack } from "./support/RealStack.ts"
import { buttonsOf } from "./support/Stack.ts"

const csv = new TextEncoder().encode(
  [
    "date,region,price",
    ...Array.from(
      { length: 500 },
      (_, n) => `2025-01-${String((n % 28) + 1).padStart(2, "0")},${n % 2 === 0 ? "EU" : "US"},${n}.50`
    )
  ].join("\n")
)

describe("the bot with the real service and its built-in agent", () => {
  it(
    "connects through the real pages, works on a file, survives a restart during a request, and continues with the same data",
    () =>
      withRealStack(async ({ emulator, firstThread, link, startBot, stopBot, you }) => {
        const asked = await you.command(emulator.channelId, "task new", {
          prompt: "What is in this file?",
          file: { name: "orders.csv", data: csv, contentType: "text/csv" }
        })
        await link(await asked.settled())
        const { shows, thread } = await firstThread(20_000)
        await shows(/Permission needed/)

        await stopBot()
        await startBot()
        const card = emulator.messages(thread.id).find((message) => buttonsOf(message).length > 0)!
        await you.press(thread.id, card.id, buttonsOf(card)[0]!.custom_id)
        const first = await shows(/done ·/)
        assert.match(first, /500 rows/)
        assert.match(first, /Allowed:/)
        assert.match(first, /report\.md/)
        assert.isTrue(
          emulator.messages(thread.id).some(({ embeds }) => embeds.some(({ image }) => image !== undefined))
        )
        assert.strictEqual(first.match(/Permission needed/g), null)

        await you.send(thread.id, "only rows where region is EU")
        const second = await shows(/done ·[^]*done ·/)
        assert.match(second.slice(first.length - 200), /250/)
        assert.strictEqual(emulator.threads().length, 1)
      }),
    60_000
  )
})
