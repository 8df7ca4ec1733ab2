import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { confirm, press } from "../support/Stack.ts"

const sending = { method: "POST", path: /\/localassistant\/message$/ } as const
const lost = [{ status: 502 }, { status: 503 }, { status: 408 }, { status: 409 }, "reset"] as const
const unknown = /not known whether your message reached the service[^]*not sent a second time/

const sendings = ({ service }: PlainStack) =>
  service.requests.filter(({ method, path }) => method === "POST" && sending.path.test(path)).length

/** What the person said, as the assistant has it. */
const said = ({ service }: PlainStack) =>
  service.assistant.messages.filter(({ role }) => role === "user").map(({ content }) => JSON.stringify(content))

/** Allows what the chat needs, and opens it. */
const openChat = async ({ emulator, you }: PlainStack) => {
  const ask = async () => (await you.command(emulator.channelId, "assistant chat")).settled()
  await confirm(emulator, await press(you, await ask()), undefined, you)
  const opened = await ask()
  return /<#(\d+)>/.exec(opened.content)?.[1] ?? ""
}

const bySend = async ({ emulator, you }: PlainStack, message: string) =>
  (await (await you.command(emulator.channelId, "assistant send", { message })).settled()).content

describe.concurrent(
  "messages to the local assistant at a service without idempotency keys",
  { timeout: 60_000 },
  () => {
    for (const effect of lost)
      for (const times of [1, 4])
        it(
          `are sent once when the answer is lost (${JSON.stringify(effect)}, ${times} times)`,
          { timeout: 20_000 },
          () =>
            withPlainStack({}, async (stack) => {
              const thread = await openChat(stack)
              stack.service.addFault({ ...sending, when: "after", effect, times })
              await stack.you.send(thread, "one")
              await stack.emulator.waitFor(() => said(stack).length === 1, { what: "the message" })
              stack.service.clearFaults()
              // It is followed as if the answer had come.
              stack.service.assistant.say("heard one")
              const transcript = await stack.shows(thread, /heard one/, 15_000)
              assert.notMatch(transcript, unknown)
              assert.strictEqual(sendings(stack), 1)
              stack.service.addFault({ ...sending, when: "after", effect, times })
              assert.match(await bySend(stack, "two"), /^Sent to your local assistant/)
              assert.strictEqual(sendings(stack), 2)
              assert.lengthOf(said(stack), 2)
            })
        )

    it("are followed by no look for an answer before the service wants one", { timeout: 30_000 }, () =>
      withPlainStack({}, async (stack) => {
        const thread = await openChat(stack)
        const path = /\/localassistant\/message$/
        const effect = { status: 429, retryAfterSeconds: 61 }
        stack.service.addFault({ method: "GET", path, when: "before", effect, times: 1000 })
        await stack.you.send(thread, "one")
        const looks = () =>
          stack.service.requests.filter(
            (request) => request.method === "GET" && path.test(request.path) && request.status === 429
          )
        await stack.emulator.waitFor(() => looks().length > 0, { what: "a look", timeoutMs: 15_000 })
        // The message itself is a reason for one more.
        await setTimeout(1500)
        const { length } = looks()
        await setTimeout(4000)
        assert.lengthOf(looks(), length)
      })
    )

    it(
      "are told as unknown when they are not in the conversation, also after the same words",
      { timeout: 40_000 },
      () =>
        withPlainStack({}, async (stack) => {
          const thread = await openChat(stack)
          await stack.you.send(thread, "yes")
          await stack.emulator.waitFor(() => said(stack).length === 1, { what: "the message" })
          stack.service.addFault({ ...sending, when: "before", effect: "reset" })
          await stack.you.send(thread, "yes")
          await stack.shows(thread, unknown, 15_000)
          assert.strictEqual(sendings(stack), 2)
          assert.match(await bySend(stack, "no"), /^Sent/)
          stack.service.addFault({ ...sending, when: "before", effect: "reset" })
          assert.match(await bySend(stack, "no"), unknown)
          assert.strictEqual(sendings(stack), 4)
          assert.lengthOf(said(stack), 2)
        })
    )

    it("are told as unknown where the same words were written at the computer before", { timeout: 40_000 }, () =>
      withPlainStack({}, async (stack) => {
        const { assistant } = stack.service
        const thread = await openChat(stack)
        assistant.say({ text: "yes", role: "user" })
        stack.service.addFault({ ...sending, when: "before", effect: "reset" })
        await stack.you.send(thread, "yes")
        await stack.shows(thread, unknown, 15_000)
        assistant.say({ text: "no", role: "user" })
        stack.service.addFault({ ...sending, when: "before", effect: "reset" })
        assert.match(await bySend(stack, "no"), unknown)
        stack.service.addFault({ ...sending, when: "after", effect: "reset" })
        assert.match(await bySend(stack, "no"), /^Sent/)
        assert.strictEqual(sendings(stack), 3)
      })
    )

    for (const when of ["after", "before"] as const)
      it(
        `are not sent again when the bot stops before the answer (${when} the service acts)`,
        { timeout: 30_000 },
        () =>
          withPlainStack({}, async (stack) => {
            const thread = await openChat(stack)
            stack.service.addFault({ ...sending, when, effect: "hang" })
            await stack.you.send(thread, "one")
            await stack.emulator.waitFor(() => sendings(stack) === 1, { what: "the sending" })
            await stack.stopBot()
            await stack.startBot()
            if (when === "before") await stack.shows(thread, unknown, 15_000)
            else {
              stack.service.assistant.say("heard one")
              assert.notMatch(await stack.shows(thread, /heard one/, 15_000), unknown)
            }
            assert.strictEqual(sendings(stack), 1)
          })
      )
  }
)
