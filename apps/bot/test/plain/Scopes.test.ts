import { assert, describe, it } from "@effect/vitest"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { buttonsOf, confirm } from "../support/Stack.ts"

const scopes = ["user.task.readable", "user.task.invokable"] as const
const lacks = {
  "user.task.readable": /permission to see your tasks\. The task was not started, and nothing was charged/,
  "user.task.invokable": /permission to run tasks for you\. The task was not started, and nothing was charged/
}

const creations = ({ service }: PlainStack) =>
  service.requests.filter(({ method, path }) => method === "POST" && path.endsWith("/tasks")).length

/** Presses the button of a refusal, agrees on the page and types its code. */
const allow = async (
  { emulator, you }: PlainStack,
  refusal: Parameters<typeof buttonsOf>[0] & { id: string; channel_id: string }
) => {
  const invited = await (await you.press(refusal.channel_id, refusal.id, buttonsOf(refusal)[0]!.custom_id)).settled()
  await confirm(emulator, invited, undefined, you)
}

describe("a task", () => {
  for (const scope of scopes)
    it(
      scope === "user.task.readable"
        ? "asks for scopes that the grant lacks before it creates a task, and then starts it by itself"
        : `asks for ${scope} before it creates a task, and then starts it by itself`,
      () =>
        withPlainStack({ withheldScopes: [scope] }, async (stack) => {
          const { emulator, service, shows, you } = stack
          const asked = await you.command(emulator.channelId, "task new", { prompt: "one" })
          const refusal = await asked.settled()
          assert.match(refusal.content, lacks[scope])
          assert.strictEqual(creations(stack), 0)
          service.setReadings({ withheldScopes: [] })
          await allow(stack, refusal)
          const thread = await emulator.waitFor((e) => e.threads()[0], { what: "a thread" })
          await shows(thread.id, /Echo: one[^]*done ·/)
          assert.strictEqual(creations(stack), 1)
          assert.lengthOf(service.rounds, 1)
        })
    )

  it("that a message asks for waits for the scopes, too, with a public button", () =>
    withPlainStack({ withheldScopes: ["user.task.readable"] }, async (stack) => {
      const { emulator, service, shows, you } = stack
      await you.send(emulator.channelId, `<@${emulator.applicationId}> one`)
      const refusal = await emulator.waitFor(
        (e) => e.messages(e.channelId).find(({ content }) => lacks["user.task.readable"].test(content)),
        { what: "the refusal" }
      )
      assert.strictEqual(creations(stack), 0)
      service.setReadings({ withheldScopes: [] })
      await allow(stack, refusal)
      const thread = await emulator.waitFor((e) => e.threads()[0], { what: "a thread" })
      await shows(thread.id, /Echo: one[^]*done ·/)
      assert.lengthOf(service.rounds, 1)
    }))
})
