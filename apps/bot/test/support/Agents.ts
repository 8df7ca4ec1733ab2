import type { withStack } from "./Stack.ts"

/** What the scripted service does with a prompt. */
export type Script = Parameters<typeof withStack>[0]

/** Answers each prompt with its text. */
export const echo: Script = async (turn) => {
  turn.say(`answer to ${turn.text}`)
  return "end_turn"
}

/** Works until the turn is cancelled. */
export const workUntilCancelled: Script = async (turn) => {
  turn.say("working")
  await turn.cancelled
  return "cancelled"
}
