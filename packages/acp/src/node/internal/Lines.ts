/** A line that was longer than the limit, by its beginning. */
export interface TooLong {
  readonly sample: string
}

/**
 * Cuts chunks of bytes into lines, whole characters guaranteed; undefined ends the input.
 *
 * A line above `maxBytes` is given up at the limit, reported once, and input goes on after its newline.
 */
export const lines = (maxBytes: number, onLine: (line: string | TooLong) => void) => {
  let parts: Array<Buffer> = []
  let size = 0
  let skipping = false

  const finish = (last: Buffer) => {
    if (skipping) {
      skipping = false
      return
    }
    const whole = parts.length === 0 ? last : Buffer.concat([...parts, last])
    parts = []
    size = 0
    if (whole.length > maxBytes) onLine({ sample: whole.toString("utf8", 0, 200) })
    else if (whole.length > 0) onLine(whole.toString("utf8"))
  }

  const keep = (rest: Buffer) => {
    if (skipping || rest.length === 0) return
    parts.push(rest)
    size += rest.length
    if (size <= maxBytes) return
    const sample = Buffer.concat(parts).toString("utf8", 0, 200)
    parts = []
    size = 0
    skipping = true
    onLine({ sample })
  }

  return (chunk: Buffer | undefined): void => {
    if (chunk === undefined) return finish(Buffer.alloc(0))
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      finish(chunk.subarray(from, at))
      from = at + 1
    }
    keep(chunk.subarray(from))
  }
}
