import type { PlainStack } from "../PlainStack.ts"
import { patience } from "../Stack.ts"

const replays = ["full", "withoutUserMessages", "none"] as const
const initializes = ["bare", "full"] as const
export const readings = replays.flatMap((replay) => initializes.map((initialize) => ({ replay, initialize })))
export const named = ({ initialize, replay }: (typeof readings)[number]) =>
  `(replay ${replay}, initialize ${initialize})`
export const prompts = ({ service }: PlainStack) => service.rounds.map(({ text }) => text)

const loads = ({ service }: PlainStack) =>
  service.requests.filter(({ rpcMethod, status }) => rpcMethod === "session/load" && status === 202).length

/** Waits until the bot has loaded the session, more often than before. */
export const isLoaded = (stack: PlainStack, before = 0) =>
  stack.emulator.waitFor(() => loads(stack) > before, { what: "the session is loaded", timeoutMs: patience })

/** Does something, and waits until the bot has loaded the session anew. */
export const loadedAfter = async (stack: PlainStack, act: () => unknown) => {
  const before = loads(stack)
  await act()
  await isLoaded(stack, before)
}

export const unknown = "It is not known whether the agent got this message"

/** A promise that resolves with `go`. */
export const gated = () => {
  let go = () => {}
  const opened = new Promise<void>((resolve) => (go = resolve))
  return { go: () => go(), opened }
}
