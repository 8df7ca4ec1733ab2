import type { PlainServiceOptions } from "@heddle/plain-service"
import { type PlainStack, withPlainStack } from "../PlainStack.ts"
import { buttonsOf, confirm, press } from "../Stack.ts"

/** Runs a test in the chat of a connected person with their assistant. */
export const inChat = (
  options: PlainServiceOptions,
  use: (stack: PlainStack, thread: string, shows: (words: RegExp) => Promise<string>) => Promise<void>
) =>
  withPlainStack(options, async (stack) => {
    const { emulator, you } = stack
    const open = async () => (await you.command(emulator.channelId, "assistant chat")).settled()
    await confirm(emulator, await press(you, await open()), undefined, you)
    const thread = /<#(\d+)>/.exec((await open()).content)?.[1] ?? ""
    await you.send(thread, "hello")
    await emulator.waitFor(() => stack.service.assistant.messages.length > 0, { what: "the message at the service" })
    await use(stack, thread, (words) => stack.shows(thread, words, 30_000))
  })

/** Chooses options below the newest question, by their positions. */
export const choose = async (
  { emulator, you }: PlainStack,
  thread: string,
  row: number,
  ...positions: ReadonlyArray<string>
) => {
  const card = emulator.messages(thread).findLast((message) => buttonsOf(message).length > 0)!
  await you.select(thread, card.id, buttonsOf(card)[row]!.custom_id, positions)
}
