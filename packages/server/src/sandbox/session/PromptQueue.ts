import type { Subscriber } from "../journal/Subscribers.ts"
import type { Turn } from "./SandboxEvent.ts"

/** Maximum of queued prompts of one session; the same maximum counts for its other requests. */
export const maxQueued = { count: 100, bytes: 32 * 1024 * 1024 }

/** The turns that wait for the running one, in the order of their prompts. */
export interface PromptQueue {
  /** Adds a turn; false when the queue is full. */
  readonly add: (turn: Turn) => boolean
  readonly next: () => Turn | undefined
  /** Removes a client's prompt. */
  readonly remove: (subscriber: Subscriber, id: unknown) => Turn | undefined
  /** Removes and returns all turns. */
  readonly clear: () => ReadonlyArray<Turn>
}

/** Tells whether this request of this client started a turn. */
export const isFrom = ({ requester }: Turn, subscriber: Subscriber, id: unknown): boolean =>
  requester?.subscriber === subscriber && requester.id === id

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
      const index = turns.findIndex((turn) => isFrom(turn, subscriber, id))
      return index < 0 ? undefined : turns.splice(index, 1)[0]
    },
    clear: () => turns.splice(0)
  }
}
