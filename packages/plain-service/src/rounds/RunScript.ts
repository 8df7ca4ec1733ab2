import { setTimeout as sleep } from "node:timers/promises"
import type { Round, RoundEnd, Script } from "./Round.ts"

/** Why a round is aborted. */
export type AbortReason = "cancel" | "restart"

/** Runs a script to its end; a cancelled one has a short time to end by itself (6). */
export const runScript = async (script: Script, round: Round, graceMs: number): Promise<RoundEnd> => {
  const { signal } = round
  const finished = Promise.resolve()
    .then(() => script(round))
    .catch((error: unknown): RoundEnd => ({ failed: error instanceof Error ? error.message : String(error) }))
  const aborted = new Promise<RoundEnd>((resolve) => {
    signal.addEventListener("abort", () => {
      if (signal.reason === "restart") resolve({ failed: "the service restarted" })
      else void sleep(graceMs, undefined, { ref: false }).then(() => resolve({ stopReason: "cancelled" }))
    })
  })
  const end = await Promise.race([finished, aborted])
  return signal.reason === "cancel" && "stopReason" in end ? { stopReason: "cancelled" } : end
}
