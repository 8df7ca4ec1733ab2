import { assert, describe, it } from "@effect/vitest"
import { buttonsOf, withStack } from "../support/Stack.ts"

const create = { method: "POST", route: /^\/channels\/\d+\/messages$/, status: 400 }
const edit = { method: "PATCH", route: /^\/channels\/\d+\/messages\/\d+$/, status: 400 }
const refusal = /⚠️ Discord does not accept this post \(.+\)\. It stays in the task\./

describe("rejected posts", () => {
  it("are noted in the thread, and posted as soon as Discord accepts them", () => {
    let go = () => {}
    return withStack(
      async (turn) => {
        if (turn.text === "go") return "end_turn"
        turn.say(`${turn.text} one.`)
        await new Promise<void>((resolve) => (go = resolve))
        turn.say(" two.")
        await new Promise<void>((resolve) => (go = resolve))
        return "end_turn"
      },
      async ({ emulator, shows, start, startBot, stopBot, you }) => {
        const thread = await start("go")
        await shows(thread, /done ·/)
        const texts = () => emulator.messages(thread).map(({ content }) => content)
        const has = (text: RegExp, not: RegExp) =>
          emulator.waitFor(
            () => (texts().some((each) => text.test(each)) && !texts().some((each) => not.test(each))) || undefined,
            {
              what: `${text} and not ${not} in ${texts().join("|")}`,
              timeoutMs: 10_000
            }
          )
        emulator.fault({ ...create, times: 1 })
        await you.send(thread, "created")
        await has(refusal, /created one/)
        go()
        await has(/created one\. two\./, refusal)
        go()
        await has(/created one\. two\./, refusal)

        await you.send(thread, "edited")
        await has(/edited one\./, refusal)
        const takesAgain = emulator.fault(edit)
        go()
        await has(refusal, /edited one\. two\./)
        await stopBot()
        takesAgain()
        await startBot()
        await has(refusal, /edited one\. two\./)
        go()
        await shows(thread, /edited one\. two\.\s+-# done ·/)
        await has(/edited one\. two\./, refusal)

        await you.send(thread, "refused")
        await has(/refused one\./, refusal)
        emulator.fault(edit)
        go()
        await has(refusal, /refused one\. two\./)
        go()
        await shows(thread, /refused one\.\n[^]*⚠️[^\n]*\n[^\n]*: -# done ·/)
        assert.strictEqual(texts().filter((each) => refusal.test(each)).length, 1)
      }
    )
  }, 60_000)

  it("refuse the agent's request when its card cannot be shown", () =>
    withStack(
      async (turn) => {
        if (turn.text === "go") return "end_turn"
        turn.say(`You chose ${await turn.ask({ toolCallId: "t1", title: "Write report.md" })}.`)
        return "end_turn"
      },
      async ({ emulator, service, shows, start, you }) => {
        const thread = await start("go")
        await shows(thread, /done ·/)
        emulator.fault({ ...create, skip: 1, times: 1 })
        await you.send(thread, "ask")
        const transcript = await shows(
          thread,
          /Could not be shown: Write report\.md[^]*Discord did not take[^]*You chose deny\.[^]*done ·/
        )
        assert.strictEqual(service.answers.length, 1, transcript)
        assert.isFalse(emulator.messages(thread).some((message) => buttonsOf(message).length > 0))
      }
    ))
})
