import type { Emulator } from "@heddle/discord-emulator"
import type { ScriptedAgent } from "./ScriptedAgent.ts"
import type { SessionService } from "./SessionService.ts"

/** What the agents did. */
export interface AgentRecord {
  /** How each turn ended, by its prompt. */
  readonly ends: Map<string, string>
  /** How each of the agents' texts begins. */
  readonly said: Set<string>
}

/** An agent that notes what it does. */
export const recorded =
  (agent: ScriptedAgent, { ends, said }: AgentRecord): ScriptedAgent =>
  async (turn) => {
    const stopReason = await agent({
      ...turn,
      say: (text) => {
        said.add(/[\w ,.]+/.exec(text)?.[0].trim() ?? "")
        turn.say(text)
      }
    })
    ends.set(turn.text, stopReason)
    return stopReason
  }

/**
 * Watches that the threads claim nothing which the service or its agents have not confirmed, and that words of agents
 * stay. Gives what was wrong.
 */
export const watchClaims = (
  emulator: Emulator,
  service: SessionService,
  { ends, said }: AgentRecord
): { readonly wrong: ReadonlyArray<string>; readonly stop: () => void } => {
  const wrong: Array<string> = []
  const shown = new Map<string, Set<string>>()
  const check = (channelId: string) => {
    const transcript = emulator.transcript(channelId)
    const answers = JSON.stringify(service.answers())
    const own = [...ends].filter(([prompt]) => transcript.includes(prompt))
    const claims: ReadonlyArray<readonly [claim: string, isTrue: boolean]> = [
      ["✅ Allowed: ", answers.includes('"optionId":"allow"')],
      ["✅ Answered: ", answers.includes('"answers"')],
      ["-# stopped ·", own.some(([, stopReason]) => stopReason === "cancelled")],
      ["was not started", false]
    ]
    for (const [claim, isTrue] of claims) if (!isTrue && transcript.includes(claim)) wrong.push(`claimed: ${claim}`)
    if (transcript.split("-# done ·").length - 1 > own.length)
      wrong.push(`claimed: done, ${own.length + 1} times\n${transcript}\n`)
    const here = shown.get(channelId) ?? new Set()
    shown.set(channelId, here)
    for (const words of said) {
      if (transcript.includes(words)) here.add(words)
      else if (here.delete(words)) wrong.push(`no longer shown: ${words}`)
    }
  }
  const stop = emulator.on((event) => {
    if ("channelId" in event && event.type.startsWith("message_")) check(event.channelId)
  })
  return { wrong, stop }
}
