import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { type EitherStack, services } from "./BothServices.ts"
import { controls } from "./Controls.ts"
import { buttonsOf } from "./Stack.ts"

const patience = 8000

/** What people and a service do, and what people then see. */
export type Story = (stack: EitherStack) => Promise<void>

/** Tells stories at each service; those of `onlyAt` at one service alone. */
export const tellAtBoth = (
  title: string,
  stories: Readonly<Record<string, Story>>,
  onlyAt: Readonly<Partial<Record<keyof typeof services, Readonly<Record<string, Story>>>>> = {}
) => {
  for (const [name, start] of Object.entries(services))
    describe(`${title} at ${name}`, () => {
      let stack: EitherStack
      beforeAll(async () => {
        stack = await start()
        await stack.connect()
      })
      afterAll(() => stack?.close())

      for (const [story, tell] of Object.entries({ ...stories, ...onlyAt[name as keyof typeof services] }))
        it(story, () => tell(stack), 60_000)
    })
}

/** The first message of a thread, by a mention, and what follows in the thread. */
export const threadOf = async (stack: EitherStack, prompt: string) => {
  const { emulator, runs, shows, you } = stack
  const [ranBefore, threadsBefore] = [runs().length, emulator.threads().length]
  await you.send(emulator.channelId, `<@${emulator.applicationId}> ${prompt}`)
  const { id } = await emulator.waitFor((e) => e.threads()[threadsBefore], { what: "a thread", timeoutMs: patience })
  const cards = () =>
    emulator.messages(id).filter((message) => buttonsOf(message).some(({ label }) => label === "Allow once"))
  return {
    id,
    /** The controls of the newest card. */
    controls: controls(stack, id),
    shows: (words: RegExp) => shows(id, words, patience),
    say: (text: string) => you.send(id, text),
    /** Presses a button of the open permission request. */
    press: async (label: string) => {
      const card = await emulator.waitFor(() => cards()[0], { what: "a permission request", timeoutMs: patience })
      await you.press(id, card.id, buttonsOf(card).find((button) => button.label === label)!.custom_id)
    },
    /** The prompts that the service ran since the first message, and how each ended. */
    ran: () => runs().slice(ranBefore)
  }
}

/** The private answer to a command. */
export const answerTo = async (
  { emulator, you }: EitherStack,
  command: string,
  { channel = emulator.channelId, ...options }: Readonly<Record<string, string>> = {}
) => (await you.command(channel, command, options)).settled()

/** Lets the bot do what a command needs. */
export const allow = async (stack: EitherStack, command: string) => {
  const refusal = await answerTo(stack, command)
  const [button] = buttonsOf(refusal)
  const invited = await stack.you.press(refusal.channel_id, refusal.id, button!.custom_id)
  await stack.link(await invited.settled())
}
