import { assert, describe, it } from "@effect/vitest"
import { buttonsOf, type Stack, withStack } from "../support/Stack.ts"

const isCard = (message: { readonly components?: unknown }): boolean =>
  buttonsOf(message).some(({ custom_id }) => custom_id.startsWith("p1:"))

const cardsOf = ({ emulator }: Stack, thread: string) => emulator.messages(thread).filter(isCard)

/** More than a hundred requests take a busy machine a while. */
const patience = 20_000

const countOf = (transcript: string, text: RegExp): number => transcript.match(new RegExp(text, "g"))?.length ?? 0

describe("the limits of a turn", () => {
  it(
    "show ten requests at once, delay further ones, refuse too many, and keep all text",
    () =>
      withStack(
        async (turn) => {
          const asked = Array.from({ length: 130 }, (_, n) =>
            turn.ask({ toolCallId: `p${n}`, title: `Request ${n}` }, [
              { optionId: "yes", name: "Allow", kind: "allow_once" },
              { optionId: "no", name: "Reject", kind: "reject_once" }
            ])
          )
          const answers = await Promise.race([turn.cancelled.then(() => []), Promise.all(asked)])
          return answers.length === 0 ? "cancelled" : "end_turn"
        },
        async (stack) => {
          const { emulator, shows, start, you } = stack
          const thread = await start("ask")
          await shows(thread, /100 more requests wait until these are answered/, patience)
          await shows(thread, /too much at once: 20 of its requests were refused without asking you/, patience)
          await emulator.waitFor(() => cardsOf(stack, thread).length === 10, { what: "ten cards", timeoutMs: patience })
          const [card] = cardsOf(stack, thread)
          await you.press(thread, card!.id, buttonsOf(card!)[0]!.custom_id)
          await shows(thread, /Allowed: Request 0/, patience)
          await shows(thread, /Permission needed: Request 10/, patience)
          await shows(thread, /99 more requests wait/, patience)
          await you.send(thread, "stop")
          const transcript = await shows(thread, /stopped ·/, patience)
          assert.strictEqual(countOf(transcript, /No longer open/), 10)
          assert.notMatch(transcript, /Permission needed/)
          await emulator.waitFor((e) => !/more requests wait/.test(e.transcript(thread)), {
            what: "no waiting requests",
            timeoutMs: patience
          })
          assert.isBelow(emulator.messages(thread).length, 40)
        }
      ),
    60_000
  )

  it(
    "end a stopped turn soon with the rest as a file, also after the agent's end",
    () =>
      withStack(
        async (turn) => {
          turn.say("A paragraph of some words, one after the other.\n\n".repeat(700))
          return "end_turn"
        },
        async ({ emulator, shows, start, startBot, stopBot, you }) => {
          emulator.fault({ method: "POST", route: /^\/channels\/\d+\/messages$/, delayMs: 250, times: 30 })
          const thread = await start("tell me a lot")
          await emulator.waitFor((e) => e.messages(thread).length >= 4, { what: "some pages" })
          await you.send(thread, "stop")
          await shows(thread, /comes as a file/, patience)
          const transcript = await shows(
            thread,
            /a stop was requested; the rest is in the file below[^]*done ·/,
            patience
          )
          const files = emulator.messages(thread).flatMap(({ attachments }) => attachments)
          assert.strictEqual(files.length, 1)
          const text = await (await fetch(files[0]!.url)).text()
          assert.strictEqual(text, "A paragraph of some words, one after the other.\n\n".repeat(700))
          assert.isBelow(emulator.messages(thread).length, 12)
          await stopBot()
          await startBot()
          await emulator.quiet(thread, 300)
          assert.strictEqual(emulator.transcript(thread), transcript)
        }
      ),
    60_000
  )
})
