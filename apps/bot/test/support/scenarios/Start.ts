import type { PlainStack } from "../PlainStack.ts"
import { buttonsOf } from "../Stack.ts"
import type { Scenario } from "./Scenario.ts"

const patience = { what: "a thread or a choice", timeoutMs: 40_000 }

/** Starts the task of a story. Where its start is not known, it is sent once more. Gives how often it was sent. */
export const start = async (stack: PlainStack, { creation }: Scenario, prompt: string) => {
  const { emulator, service, you } = stack
  if (creation !== undefined) service.addFault({ method: "POST", path: /\/tasks$/, ...creation })
  const threadId = () => emulator.threads()[0]?.id
  const sendButton = () =>
    you
      .ephemerals()
      .flatMap((message) => buttonsOf(message).map(({ custom_id: id }) => ({ message, id })))
      .find(({ id }) => id?.endsWith(":send"))
  await you.command(emulator.channelId, "task new", { prompt })
  const isRefused = () => you.ephemerals().some(({ content }) => content.includes("was not started"))
  await emulator.waitFor(() => threadId() !== undefined || sendButton() !== undefined || isRefused(), patience)
  if (threadId() !== undefined) return { thread: threadId()!, sends: 1 }
  const button = sendButton()
  if (button === undefined) await you.command(emulator.channelId, "task new", { prompt })
  else await you.press(button.message.channel_id, button.message.id, button.id)
  return { thread: await emulator.waitFor(threadId, patience), sends: 2 }
}
