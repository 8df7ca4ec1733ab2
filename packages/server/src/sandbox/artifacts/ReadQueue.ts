/** A read that waits for its turn. */
export interface Read {
  /** Bytes that will be read. */
  readonly size: number
}

/** Runs reads: a limited number at once, the smallest first. */
export interface ReadQueue<A extends Read> {
  readonly put: (read: A) => void
  /** Removes a read that has not started. */
  readonly drop: (read: A) => void
}

/** Maximum size of a small read. Larger reads have their own pool, so that a note does not wait for a film. */
export const maxSmallBytes = 8 * 1024 ** 2

/** Makes the pools; `run` never fails. */
export const make = <A extends Read>(run: (read: A) => Promise<void>): ReadQueue<A> => {
  const pools = [pool(6, run), pool(2, run)] as const
  const poolOf = ({ size }: A) => pools[size <= maxSmallBytes ? 0 : 1]
  return {
    put: (read) => poolOf(read).put(read),
    drop: (read) => poolOf(read).drop(read)
  }
}

const pool = <A extends Read>(concurrency: number, run: (read: A) => Promise<void>): ReadQueue<A> => {
  const waiting = new Set<A>()
  /** Largest first; reads are taken from the end. Undefined when a read was added since. */
  let order: Array<A> | undefined
  let running = 0
  let isScheduled = false

  const next = (): A | undefined => {
    order ??= [...waiting].sort((a, b) => b.size - a.size)
    for (let read = order.pop(); read !== undefined; read = order.pop()) if (waiting.delete(read)) return read
    return undefined
  }
  const startReads = () => {
    while (running < concurrency) {
      const read = next()
      if (read === undefined) return
      running += 1
      void run(read).then(() => {
        running -= 1
        startReads()
      })
    }
  }
  return {
    put: (read) => {
      waiting.add(read)
      order = undefined
      if (isScheduled) return
      isScheduled = true
      // Sorts once for all reads of one tick.
      queueMicrotask(() => {
        isScheduled = false
        startReads()
      })
    },
    drop: (read) => {
      waiting.delete(read)
    }
  }
}
