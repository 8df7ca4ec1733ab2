import { Intent } from "./Codes.ts"
import { type Dispatched, dispatched } from "./RecordedDispatch.ts"
import { type Dispatch, withoutContent } from "./Dispatch.ts"
import { offlinePresence, type Presence } from "./Presence.ts"
import type { Frame, RestoredSession, SessionLog, SessionRecord } from "./SessionStore.ts"
import type { Wire } from "./Wire.ts"

/** How many events, and how much text of them, a session keeps for a client that comes back. */
const kept = { frames: 10_000, characters: 16 * 1024 * 1024 } as const

/** One identified client: what it wants to hear, what it was sent, and its connection while it has one. */
export class Session {
  wire: Wire | undefined
  /** When the connection went away, in milliseconds. */
  lostAt = 0
  #record: SessionRecord
  #frames: Array<Frame> = []
  /** Frames before this index are no longer kept. */
  #first = 0
  #characters = 0
  #sequence = 0
  #position = 0
  #written = 0
  #ended = false
  readonly #log: SessionLog

  constructor(record: SessionRecord, log: SessionLog, restored?: Omit<RestoredSession, "record">) {
    this.#record = record
    this.#log = log
    if (restored === undefined) {
      log.note(record)
      return
    }
    this.#frames = [...restored.frames]
    this.#position = restored.position
    this.#written = restored.frames.length
    this.#sequence = restored.frames.at(-1)?.sequence ?? 0
    for (const { text } of restored.frames) this.#characters += text.length
    this.#forget()
    // What a killed process left half written must not stay in the middle.
    this.#rewrite()
  }

  get id(): string {
    return this.#record.id
  }

  get record(): SessionRecord {
    return this.#record
  }

  get sequence(): number {
    return this.#sequence
  }

  /** It is over: whoever has its connection has to identify anew. */
  get ended(): boolean {
    return this.#ended
  }

  /** The number of the last change that this session was told of. */
  get position(): number {
    return this.#position
  }

  /** What others see of this client now. */
  get presence(): Presence {
    return this.wire === undefined ? offlinePresence : this.#record.presence
  }

  set presence(presence: Presence) {
    this.#record = { ...this.#record, presence }
    this.#log.note(this.#record)
  }

  /** Sends an event now, or keeps it for the resume. */
  send(event: string, data: object): void {
    this.#send([bodyOf(event, data)], this.#position)
  }

  /**
   * Sends the events of one change, of the number `position`, as far as the intents and the shard of this client let
   * them through.
   */
  offer(dispatches: ReadonlyArray<Dispatch>, guildId: string, position = this.#position): void {
    const { intents } = this.#record
    const bodies: Array<string> = []
    for (const dispatch of dispatches) {
      if (dispatch.intents !== 0 && (dispatch.intents & intents) === 0) continue
      if (!this.handles(dispatch.direct ? undefined : guildId)) continue
      const hidden = dispatch.guarded === true && (intents & Intent.content) === 0
      const data = hidden ? withoutContent(dispatch.data) : dispatch.data
      bodies.push(bodyOf(dispatch.event, data))
    }
    if (bodies.length > 0) this.#send(bodies, position)
  }

  /** Whether events of a guild come to this shard; those of no guild go to the first. */
  handles(guildId: string | undefined): boolean {
    const [shard, count] = this.#record.shard
    if (count === 1) return true
    return shard === (guildId === undefined ? 0 : Number((BigInt(guildId) >> 22n) % BigInt(count)))
  }

  /** Whether everything after `sequence` is still kept. */
  canReplay(sequence: number): boolean {
    const oldest = this.#frames[this.#first]?.sequence ?? this.#sequence + 1
    return sequence <= this.#sequence && sequence >= oldest - 1
  }

  /** Sends everything after `sequence` again, then tells that this was all. */
  replay(sequence: number): void {
    for (let index = this.#first; index < this.#frames.length; index++) {
      const frame = this.#frames[index]
      if (frame !== undefined && frame.sequence > sequence) this.wire?.send(frame.text)
    }
    this.send("RESUMED", { _trace: [] })
  }

  /** Ends it for good: it cannot be resumed, and its connection no longer belongs to it. */
  end(): void {
    this.#ended = true
    this.wire = undefined
    this.#log.remove()
  }

  /** Leaves it for the next run. */
  close(): void {
    this.#log.close()
  }

  #send(bodies: ReadonlyArray<string>, position: number): void {
    const frames = bodies.map((body) => {
      const sequence = ++this.#sequence
      return { sequence, text: `{"op":0,"s":${sequence},${body}}` }
    })
    this.#position = position
    this.#log.append(frames, position)
    this.#written += frames.length
    for (const frame of frames) {
      this.#frames.push(frame)
      this.#characters += frame.text.length
    }
    this.#forget()
    if (this.#written > 2 * kept.frames) this.#rewrite()
    for (const { text } of frames) this.wire?.send(text)
  }

  #forget(): void {
    while (this.#frames.length - this.#first > kept.frames || this.#characters > kept.characters) {
      const oldest = this.#frames[this.#first]
      if (oldest === undefined) break
      this.#characters -= oldest.text.length
      this.#first++
    }
    // Moving the rest to the front for each event that goes would cost more than the event.
    if (this.#first < 1000) return
    this.#frames = this.#frames.slice(this.#first)
    this.#first = 0
  }

  #rewrite(): void {
    const frames = this.#frames.slice(this.#first)
    this.#log.rewrite(this.#record, frames, this.#position)
    this.#written = frames.length
  }
}

const bodyOf = (event: string, data: object): string => {
  if (dispatched.hasSubscribers) dispatched.publish({ event, data } satisfies Dispatched)
  return `"t":"${event}","d":${JSON.stringify(data)}`
}
