/** Bounds the bytes that all channels of this process hold together, whatever each of them may hold. */
export interface FrameBudget {
  readonly add: (holder: Holder) => void
  readonly remove: (holder: Holder) => void
  /** Notes that a channel has got a frame of this size. */
  readonly note: (bytes: number) => void
}

/** A channel that holds frames. */
export interface Holder {
  /** The bytes that are unsent or kept for a resume. */
  readonly heldBytes: () => number
  /** Drops what is kept for a resume. */
  readonly dropSent: () => void
  /** Closes the channel, because its reader does not keep up. */
  readonly cutOff: () => void
}

/** Makes a budget. Above it no channel can be resumed, and those that hold the most are closed. */
export const make = (maxBytes: number): FrameBudget => {
  const holders = new Set<Holder>()
  let uncheckedBytes = 0

  const heldBytes = () => [...holders].reduce((sum, holder) => sum + holder.heldBytes(), 0)
  const check = () => {
    uncheckedBytes = 0
    if (heldBytes() <= maxBytes) return
    for (const holder of holders) holder.dropSent()
    const largestFirst = [...holders].sort((one, other) => other.heldBytes() - one.heldBytes())
    for (const holder of largestFirst) {
      if (heldBytes() <= maxBytes) return
      holder.cutOff()
    }
  }

  return {
    add: (holder) => holders.add(holder),
    remove: (holder) => holders.delete(holder),
    note: (bytes) => {
      // A check looks at all channels, so it runs for a part of the budget at a time.
      uncheckedBytes += bytes
      if (uncheckedBytes > maxBytes / 16) check()
    }
  }
}
