import type { WebSocket } from "ws"
import { type Dispatched, dispatched } from "./Dispatched.ts"
import { type Dispatch, Intent, withoutContent } from "./Dispatch.ts"

/** How many events a session keeps for a client that comes back. */
const bufferSize = 10_000

/** One identified client: what it wants to hear, what it was sent, and its socket while it has one. */
export class Session {
  readonly id: string
  readonly intents: number
  readonly shard: readonly [number, number]
  socket: WebSocket | undefined
  /** When the socket went away, in milliseconds. */
  lostAt = 0
  #sequence = 0
  #sent: Array<{ readonly sequence: number; readonly text: string }> = []

  constructor(id: string, intents: number, shard: readonly [number, number], socket: WebSocket) {
    this.id = id
    this.intents = intents
    this.shard = shard
    this.socket = socket
  }

  get sequence(): number {
    return this.#sequence
  }

  /** Sends an event now, or keeps it for the resume. */
  send(event: string, data: object): void {
    if (dispatched.hasSubscribers) dispatched.publish({ event, data } satisfies Dispatched)
    const sequence = ++this.#sequence
    const text = JSON.stringify({ op: 0, s: sequence, t: event, d: data })
    this.#sent.push({ sequence, text })
    if (this.#sent.length > bufferSize) this.#sent.splice(0, this.#sent.length - bufferSize)
    this.socket?.send(text)
  }

  /** Sends an event if the intents and the shard of this client let it through. */
  offer(dispatch: Dispatch, guildId: string): void {
    if (dispatch.intents !== 0 && (dispatch.intents & this.intents) === 0) return
    const [shard, count] = this.shard
    const wanted = dispatch.direct ? 0 : Number((BigInt(guildId) >> 22n) % BigInt(count))
    if (shard !== wanted) return
    const hidden = dispatch.guarded === true && (this.intents & Intent.content) === 0
    this.send(dispatch.event, hidden ? withoutContent(dispatch.data) : dispatch.data)
  }

  /** Whether everything after `sequence` is still kept. */
  canReplay(sequence: number): boolean {
    const oldest = this.#sent[0]?.sequence ?? this.#sequence + 1
    return sequence <= this.#sequence && sequence >= oldest - 1
  }

  /** Sends everything after `sequence` again, then tells that this was all. */
  replay(sequence: number): void {
    for (const sent of this.#sent) if (sent.sequence > sequence) this.socket?.send(sent.text)
    this.send("RESUMED", { _trace: [] })
  }
}
