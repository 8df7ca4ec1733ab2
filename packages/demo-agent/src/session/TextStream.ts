import { setImmediate, setTimeout } from "node:timers/promises"

/** Splits a text into lines and sentences; joined, they are the text again. */
export const splitPieces = (text: string): ReadonlyArray<string> =>
  text
    .split(/(?<=\n)/)
    .flatMap((line) => (line.startsWith("|") || line.length < 80 ? [line] : line.split(/(?<=[.!?] )(?=[A-Z*“])/)))

/** Yields to the event loop or waits for `HEDDLE_AGENT_PACE_MS`; returns at once when the turn is cancelled. */
export const pause = (signal: AbortSignal): Promise<void> =>
  PACE_MS > 0
    ? // The turn checks the signal itself, so an aborted wait is no error.
      setTimeout(PACE_MS, undefined, { signal }).catch(() => undefined)
    : setImmediate()

const PACE_MS = Number(process.env["HEDDLE_AGENT_PACE_MS"] ?? 0)
