import type { Script } from "@heddle/plain-service"

/** The number of a message, which is in each word of its answer. */
export const numberOf = (text: string): string => /m(\d+) /.exec(text)?.[1] ?? "?"

/** An agent that does what a message says. What waits at a gate goes on when the gates are opened. */
export const makeAgent = () => {
  const said: Array<string> = []
  const gates = new Set<() => void>()
  let areOpen = false
  const gate = () => (areOpen ? Promise.resolve() : new Promise<void>((resolve) => void gates.add(resolve)))
  const script: Script = async ({ ask, say, signal, text }) => {
    // Nobody in the thread waits for the answer to another client.
    if (text.startsWith("other")) {
      say(`Said to ${text}. `)
      return { stopReason: "end_turn" }
    }
    const n = numberOf(text)
    const speak = (word: string) => {
      if (signal.aborted) return
      said.push(word)
      say(`${word}. `)
    }
    if (!text.includes("mute")) speak(`a${n}z`)
    for (const [index, act] of text.split(" ").slice(1).entries()) {
      if (act === "ask") speak(`${await ask({ title: `Ask ${n}` })}${n}z`)
      if (act === "gated" || act === "mute") await gate()
      if (act === "gated") speak(`${"bcd"[index]}${n}z`)
    }
    return text.includes("fail") ? { failed: "the disk is full" } : { stopReason: "end_turn" }
  }
  const openGates = (isForGood: boolean) => {
    areOpen = isForGood
    for (const open of gates) open()
    gates.clear()
  }
  return { said, script, openGates }
}
