import { assert, describe, it } from "@effect/vitest"
import { withPlainStack } from "../support/PlainStack.ts"
import { press } from "../support/Stack.ts"

describe("a service that lists the oldest tasks first", () => {
  it("has the newest tasks first in /task list and in suggestions, as any other service", () =>
    // Times in whole seconds would not tell these tasks apart.
    withPlainStack({ taskOrder: "oldestFirst", times: "utc" }, async ({ emulator, service, you }) => {
      const { access_token } = service.grant()
      const headers = { Authorization: `Bearer ${access_token}`, "Content-Type": "application/json" }
      for (let n = 1; n <= 12; n++) {
        const body = JSON.stringify({ prompt: "one", name: `task ${n}` })
        await fetch(`${service.url}/openapi/v2/tasks`, { method: "POST", headers, body })
      }
      const newestFirst = Array.from({ length: 12 }, (_, n) => `task ${12 - n}`)
      const namesOf = ({ embeds }: typeof page) => embeds[0]?.description?.match(/(?<=\*\*)task \d+/g) ?? []
      const page = await (await you.command(emulator.channelId, "task list")).settled()
      const listed = namesOf(page)
      assert.deepEqual([...listed, ...namesOf(await press(you, page))], newestFirst)
      const suggested = await you.autocomplete(emulator.channelId, "task status", { task: "" }, "task")
      assert.deepEqual(
        suggested.map(({ name }) => name.split(" · ")[0]),
        newestFirst
      )
    }))
})
