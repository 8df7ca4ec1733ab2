/** The unsent frames of a channel, and the sent ones that are kept for a resume. Event ids begin at 1. */
export class FrameWindow {
  private frames: Array<Buffer> = []
  /** The event id of `frames[0]`. */
  private firstId = 1
  /** The event id of the next frame to write. */
  nextId = 1
  keptBytes = 0
  unsentBytes = 0

  private readonly windowBytes: number

  constructor(windowBytes: number) {
    this.windowBytes = windowBytes
  }

  /** The number of unsent frames. */
  get waitingCount(): number {
    return this.firstId + this.frames.length - this.nextId
  }

  push(frame: Buffer): void {
    this.frames.push(frame)
    this.keptBytes += frame.length
    this.unsentBytes += frame.length
  }

  /** Takes the next frame to write. */
  take(): Buffer | undefined {
    const frame = this.frames[this.nextId - this.firstId]
    if (frame === undefined) return undefined
    this.nextId += 1
    this.unsentBytes -= frame.length
    return frame
  }

  /** Tells whether all frames after an event are kept. */
  hasAllAfter(eventId: number): boolean {
    return Number.isSafeInteger(eventId) && eventId >= this.firstId - 1 && eventId < this.firstId + this.frames.length
  }

  /** Continues after an event that {@link hasAllAfter} accepts. */
  rewind(eventId: number): void {
    this.nextId = eventId + 1
    this.unsentBytes = this.frames.slice(this.nextId - this.firstId).reduce((sum, frame) => sum + frame.length, 0)
  }

  /** Drops sent frames that exceed the window, in large steps. */
  evict(): void {
    if (this.keptBytes - this.unsentBytes < 2 * this.windowBytes) return
    let dropCount = 0
    while (dropCount < this.nextId - this.firstId && this.keptBytes - this.unsentBytes > this.windowBytes) {
      this.keptBytes -= this.frames[dropCount]?.length ?? 0
      dropCount += 1
    }
    this.frames = this.frames.slice(dropCount)
    this.firstId += dropCount
  }

  /** Drops all sent frames: the client cannot resume. */
  dropSent(): void {
    this.frames = this.frames.slice(this.nextId - this.firstId)
    this.firstId = this.nextId
    this.keptBytes = this.unsentBytes
  }

  clear(): void {
    this.frames = []
    this.keptBytes = 0
    this.unsentBytes = 0
  }
}
