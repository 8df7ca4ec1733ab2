/** A read that waits for its turn. */
export interface Read {
  /** Bytes that will be read. */
  readonly size: number
}

/** Runs reads, few at once and small ones first. */
export interface ReadQueue<A extends Read> {
  readonly put: (read: A) => void
  /** Takes one back that has not begun. */
  readonly drop: (read: A) => void
}

/** Reads of up to this many bytes are small; the others have a lane of their own, so that no note waits for a film. */
export const small = 8 * 1024 ** 2

/** Makes the lanes; `run` never fails. */
export const make = <A extends Read>(run: (read: A) => Promise<void>): ReadQueue<A> => {
  const lanes = [lane(6, run), lane(2, run)] as const
  const laneOf = ({ size }: A) => lanes[size <= small ? 0 : 1]
  return {
    put: (read) => laneOf(read).put(read),
    drop: (read) => laneOf(read).drop(read)
  }
}

const lane = <A extends Read>(atOnce: number, run: (read: A) => Promise<void>): ReadQueue<A> => {
  const waiting = new Set<A>()
  // The largest first, to be taken from the end.
  let order: Array<A> = []
  let sorted = true
  let running = 0

  const next = (): A | undefined => {
    if (!sorted) {
      order = [...waiting].sort((a, b) => b.size - a.size)
      sorted = true
    }
    for (let read = order.pop(); read !== undefined; read = order.pop()) if (waiting.delete(read)) return read
    return undefined
  }
  const fill = () => {
    while (running < atOnce) {
      const read = next()
      if (read === undefined) return
      running += 1
      void run(read).then(() => {
        running -= 1
        fill()
      })
    }
  }
  let filling = false
  return {
    put: (read) => {
      waiting.add(read)
      sorted = false
      if (filling) return
      filling = true
      // What comes together is sorted together.
      queueMicrotask(() => {
        filling = false
        fill()
      })
    },
    drop: (read) => {
      waiting.delete(read)
    }
  }
}
