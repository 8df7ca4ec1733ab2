import type { Dispatch } from "./Dispatch.ts"
import { offlinePresence, type Presence } from "./Presence.ts"
import { type RecordedDispatch, recordedDispatches } from "./RecordedDispatch.ts"
import { ReplayBuffer, replayLimits } from "./ReplayBuffer.ts"
import { filterForSession } from "./SessionFilter.ts"
import type { RestoredSession, SessionLog, SessionRecord } from "./SessionStore.ts"
import type { Transport } from "./Transport.ts"

/** One identified client: its options, the events it received, and its connection while it has one. */
export class Session {
  transport: Transport | undefined
  #disconnectedAt: number | undefined
  #record: SessionRecord
  #sequence = 0
  #position = 0
  #loggedFrames = 0
  #ended = false
  readonly #buffer: ReplayBuffer
  readonly #log: SessionLog

  constructor(record: SessionRecord, log: SessionLog, restored?: Omit<RestoredSession, "record">) {
    this.#record = record
    this.#log = log
    this.#buffer = new ReplayBuffer(restored?.frames)
    if (restored === undefined) log.saveRecord(record)
    else {
      this.#position = restored.position
      this.#sequence = restored.frames.at(-1)?.sequence ?? 0
      // The end of the log may be half written.
      this.#rewriteLog()
    }
  }

  get record(): SessionRecord {
    return this.#record
  }

  get sequence(): number {
    return this.#sequence
  }

  /** An ended session cannot be resumed. */
  get ended(): boolean {
    return this.#ended
  }

  /** The position in the journal of the last change that this session received. */
  get position(): number {
    return this.#position
  }

  /** The presence that others see. */
  get presence(): Presence {
    return this.transport === undefined ? offlinePresence : this.#record.presence
  }

  set presence(presence: Presence) {
    this.#record = { ...this.#record, presence }
    this.#log.saveRecord(this.#record)
  }

  /** Sends an event now, or keeps it for the resume. */
  send(event: string, data: object): void {
    this.#send([payloadOf(event, data)], this.#position)
  }

  /** Sends the events of the change `position` that the intents and the shard of this client let through. */
  dispatch(dispatches: ReadonlyArray<Dispatch>, guildId: string, position = this.#position): void {
    const received = filterForSession(this.#record, dispatches, guildId)
    const payloads = received.map(({ data, event }) => payloadOf(event, data))
    if (payloads.length > 0) this.#send(payloads, position)
  }

  /** Whether every event after `sequence` is kept. */
  canReplay(sequence: number): boolean {
    const oldest = this.#buffer.oldest ?? this.#sequence + 1
    return sequence <= this.#sequence && sequence >= oldest - 1
  }

  /** Sends every event after `sequence` again, then RESUMED. */
  replay(sequence: number): void {
    for (const frame of this.#buffer.all()) if (frame.sequence > sequence) this.transport?.send(frame.text)
    this.send("RESUMED", { _trace: [] })
  }

  /** Keeps the session for a resume. */
  disconnect(): void {
    this.transport = undefined
    this.#disconnectedAt = performance.now()
  }

  /** How long the session has had no connection. */
  disconnectedMs(): number {
    return this.transport === undefined ? performance.now() - (this.#disconnectedAt ?? Number.NEGATIVE_INFINITY) : 0
  }

  /** Ends the session for good. */
  end(): void {
    this.#ended = true
    this.transport = undefined
    this.#log.remove()
  }

  /** Closes the log, so that the next run can restore the session. */
  close(): void {
    this.#log.close()
  }

  #send(payloads: ReadonlyArray<string>, position: number): void {
    const frames = payloads.map((payload) => {
      const sequence = ++this.#sequence
      return { sequence, text: `{"op":0,"s":${sequence},${payload}}` }
    })
    this.#position = position
    this.#log.append(frames, position)
    this.#loggedFrames += frames.length
    this.#buffer.add(frames)
    if (this.#loggedFrames > 2 * replayLimits.frames) this.#rewriteLog()
    for (const { text } of frames) this.transport?.send(text)
  }

  #rewriteLog(): void {
    const frames = this.#buffer.all()
    this.#log.rewrite(this.#record, frames, this.#position)
    this.#loggedFrames = frames.length
  }
}

/** The name and data of a dispatch payload, without its operation and sequence number. */
const payloadOf = (event: string, data: object): string => {
  if (recordedDispatches.hasSubscribers) recordedDispatches.publish({ event, data } satisfies RecordedDispatch)
  return `"t":"${event}","d":${JSON.stringify(data)}`
}
