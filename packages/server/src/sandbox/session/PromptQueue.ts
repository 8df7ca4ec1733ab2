import type { Subscriber } from "../journal/Subscribers.ts"
import type { Turn } from "./SandboxEvent.ts"

/** How much one session may have waiting for its agent: of prompts, and again of other requests. */
export const maxQueued = { count: 100, bytes: 32 * 1024 * 1024 }

/** The turns that wait for the running one, in the order of their prompts. */
export interface PromptQueue {
  /** Adds a turn; false when the queue is full. */
  readonly add: (turn: Turn) => boolean
  readonly next: () => Turn | undefined
  /** Takes a client's prompt back. */
  readonly remove: (subscriber: Subscriber, id: unknown) => Turn | undefined
  /** Takes all turns back. */
  readonly clear: () => ReadonlyArray<Turn>
}

/** Whether a turn is the one that this client asked for with this request. */
export const isOf = ({ asker }: Turn, subscriber: Subscriber, id: unknown): boolean =>
  asker?.subscriber === subscriber && asker.id === id

export const make = (): PromptQueue => {
  const turns: Array<Turn> = []
  return {
    add: (turn) => {
      const bytes = turns.reduce((sum, { size }) => sum + size, turn.size)
      if (turns.length >= maxQueued.count || bytes > maxQueued.bytes) return false
      turns.push(turn)
      return true
    },
    next: () => turns.shift(),
    remove: (subscriber, id) => {
      const at = turns.findIndex((turn) => isOf(turn, subscriber, id))
      return at < 0 ? undefined : turns.splice(at, 1)[0]
    },
    clear: () => turns.splice(0)
  }
}
