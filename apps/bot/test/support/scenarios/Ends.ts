import { turnEndOf } from "@heddle/bot/view/TurnEnd"
import type { PlainStack } from "../PlainStack.ts"

/** What a thread showed as the end of a turn, with what the service knew at that instant. */
export interface ShownEnd {
  readonly messageId: string
  readonly text: string
  /** The prompts that had run, each with its end. */
  readonly rounds: ReadonlyArray<{ readonly text: string; readonly end: string | undefined }>
}

/** Collects the ends that a thread shows, each when it appears. */
export const watchEnds = ({ emulator, service }: PlainStack, thread: string) => {
  const ends: Array<ShownEnd> = []
  const look = () => {
    for (const message of emulator.messages(thread)) {
      const end = message.author.bot === true ? turnEndOf(message) : undefined
      if (end === undefined || ends.some(({ messageId }) => messageId === message.id)) continue
      ends.push({
        messageId: message.id,
        text: end._tag === "Failed" ? `failed: ${end.text}` : (message.content.split("\n").at(-1) ?? ""),
        rounds: service.rounds.map(({ end, text }) => ({
          text,
          end: end === undefined ? undefined : "failed" in end ? "failed" : end.stopReason
        }))
      })
    }
  }
  const stop = emulator.on(look)
  return { ends, stop: () => (look(), stop()) }
}
