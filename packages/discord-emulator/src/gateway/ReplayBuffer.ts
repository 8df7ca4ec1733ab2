import type { Frame } from "./SessionStore.ts"

/** The most that a session keeps for a client that resumes. */
export const replayLimits = { frames: 10_000, characters: 16 * 1024 * 1024 } as const

/** How many dropped frames stay in the array before it is cut; cutting for each frame would cost too much. */
const maxDroppedFrames = 1000

/** The newest frames of a session, oldest first, within `replayLimits`. */
export class ReplayBuffer {
  #frames: Array<Frame>
  /** The index of the oldest kept frame. */
  #first = 0
  #characters = 0

  constructor(frames: ReadonlyArray<Frame> = []) {
    this.#frames = [...frames]
    for (const { text } of frames) this.#characters += text.length
    this.#trim()
  }

  /** The sequence number of the oldest kept frame. */
  get oldest(): number | undefined {
    return this.#frames[this.#first]?.sequence
  }

  add(frames: ReadonlyArray<Frame>): void {
    for (const frame of frames) {
      this.#frames.push(frame)
      this.#characters += frame.text.length
    }
    this.#trim()
  }

  all(): ReadonlyArray<Frame> {
    return this.#frames.slice(this.#first)
  }

  #trim(): void {
    while (this.#frames.length - this.#first > replayLimits.frames || this.#characters > replayLimits.characters) {
      const oldest = this.#frames[this.#first]
      if (oldest === undefined) break
      this.#characters -= oldest.text.length
      this.#first++
    }
    if (this.#first < maxDroppedFrames) return
    this.#frames = this.#frames.slice(this.#first)
    this.#first = 0
  }
}
