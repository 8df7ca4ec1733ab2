import type { Options } from "../../config/SandboxOptions.ts"
import { AgentFailure } from "../agent/AgentFailure.ts"

/** How much of an agent's output the history of a task takes. */
export interface HistoryLimit {
  /** A turn begins: what the agent writes from now on counts for it. */
  readonly beginTurn: () => void
  /** Whether the agent wrote too much since the last turn began; what it still writes is left out. */
  readonly isReached: () => boolean
  /** Checks what was written; fails once when it becomes too much. */
  readonly check: () => AgentFailure | undefined
  /** Why no turn may begin; undefined where one may. */
  readonly refusal: () => AgentFailure | undefined
}

/** Makes the limit of a task; `historyBytes` is the present size of its history. */
export const make = (
  { maxTaskBytes, maxTurnBytes }: Pick<Options, "maxTaskBytes" | "maxTurnBytes">,
  historyBytes: () => number
): HistoryLimit => {
  let bytesAtTurn = historyBytes()
  let isReached = false
  const isFull = () => historyBytes() >= maxTaskBytes
  return {
    beginTurn: () => {
      bytesAtTurn = historyBytes()
      isReached = false
    },
    isReached: () => isReached,
    check: () => {
      if (isReached || !(isFull() || historyBytes() - bytesAtTurn > maxTurnBytes)) return undefined
      isReached = true
      return failure(
        isFull()
          ? `${full(maxTaskBytes)}, so the agent was stopped. ${workStays} Start a new task to go on.`
          : `The agent wrote more than ${size(maxTurnBytes)} in one turn, so it was stopped. ${workStays} Ask for less at once.`
      )
    },
    refusal: () =>
      isFull()
        ? failure(`${full(maxTaskBytes)}. Nothing was done and nothing was charged. Start a new task to go on.`)
        : undefined
  }
}

const failure = (message: string) => new AgentFailure({ reason: "limit", message })

const full = (bytes: number) =>
  `The history of this task has reached ${size(bytes)}, as much as this service keeps of a task`

const workStays = "What it had done until then stays, and the turn is charged like any other."

const size = (bytes: number): string =>
  bytes < megabyte ? `${Math.round(bytes / 1024)} KiB` : `${Math.round(bytes / megabyte)} MiB`

const megabyte = 1024 * 1024
