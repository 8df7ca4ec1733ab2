/** The frames of a channel that are not written yet, and those that are kept for a resumption. Event ids begin at 1. */
export class FrameWindow {
  private frames: Array<Buffer> = []
  /** The event id of `frames[0]`. */
  private first = 1
  /** The event id of the next frame to write. */
  next = 1
  private keptBytes = 0
  unsentBytes = 0

  private readonly window: number

  constructor(window: number) {
    this.window = window
  }

  /** How many frames wait to be written. */
  get waiting(): number {
    return this.first + this.frames.length - this.next
  }

  push(frame: Buffer): void {
    this.frames.push(frame)
    this.keptBytes += frame.length
    this.unsentBytes += frame.length
  }

  /** Takes the next frame to write. */
  take(): Buffer | undefined {
    const frame = this.frames[this.next - this.first]
    if (frame === undefined) return undefined
    this.next += 1
    this.unsentBytes -= frame.length
    return frame
  }

  /** Whether everything after an event is still kept. */
  holdsAfter(eventId: number): boolean {
    return Number.isSafeInteger(eventId) && eventId >= this.first - 1 && eventId < this.first + this.frames.length
  }

  /** Goes on after an event that {@link holdsAfter}. */
  rewind(eventId: number): void {
    this.next = eventId + 1
    this.unsentBytes = this.frames.slice(this.next - this.first).reduce((sum, frame) => sum + frame.length, 0)
  }

  /** Drops what was written already and exceeds the window, in large steps. */
  evict(): void {
    if (this.keptBytes - this.unsentBytes < 2 * this.window) return
    let drop = 0
    while (drop < this.next - this.first && this.keptBytes - this.unsentBytes > this.window) {
      this.keptBytes -= this.frames[drop]?.length ?? 0
      drop += 1
    }
    this.frames = this.frames.slice(drop)
    this.first += drop
  }

  clear(): void {
    this.frames = []
  }
}
