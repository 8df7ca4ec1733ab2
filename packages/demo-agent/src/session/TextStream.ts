import { setImmediate, setTimeout } from "node:timers/promises"

/** Cuts a text into lines and sentences; joined again they give the text. */
export const pieces = (text: string): ReadonlyArray<string> =>
  text
    .split(/(?<=\n)/)
    .flatMap((line) => (line.startsWith("|") || line.length < 80 ? [line] : line.split(/(?<=[.!?] )(?=[A-Z*“])/)))

/** Lets the event loop turn, or waits for `HEDDLE_AGENT_PACE_MS`; ends at once when the turn is cancelled. */
export const pause = (signal: AbortSignal): Promise<void> =>
  PACE > 0
    ? // A wait that is cut short is no failure: the turn looks at the signal itself.
      setTimeout(PACE, undefined, { signal }).catch(() => undefined)
    : setImmediate()

const PACE = Number(process.env["HEDDLE_AGENT_PACE_MS"] ?? 0)
