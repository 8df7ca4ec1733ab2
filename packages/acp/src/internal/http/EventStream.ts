import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ConnectionLost, type TransportError } from "../../AcpError.ts"
import type { Body } from "../../HttpExchange.ts"
import { Heartbeats } from "./Heartbeats.ts"
import * as Http from "./Http.ts"
import type { HttpChannel } from "./HttpChannel.ts"

/** The end of a stream; `clean` says that its server ended it, so nothing of it is lost. */
interface Ended {
  readonly error: TransportError
  readonly clean: boolean
}

/**
 * The stream of a body, read until it breaks. Where its server sends heartbeats, it breaks after the channel's `silence`
 * without a byte, unless the body is paused.
 */
export class EventStream {
  readonly #channel: HttpChannel
  readonly #body: Body
  readonly #heartbeats: Heartbeats
  #over: Exit.Exit<never, Ended> | undefined
  #notify: ((exit: Exit.Exit<never, Ended>) => void) | undefined

  constructor(channel: HttpChannel, body: Body) {
    this.#channel = channel
    this.#body = body
    this.#heartbeats = new Heartbeats(channel.silence, channel.backpressure, () => {
      const description = "The channel's heartbeats have stopped: its server or the way to it is gone"
      this.abort(new ConnectionLost({ description, sent: true }))
    })
  }

  /** Gives its pieces to `read`; fails in every case. Run once, and closed afterwards. */
  ended(read: (text: string) => void): Effect.Effect<never, Ended> {
    // Callbacks and a timer instead of fibers, and no finalizer: thousands of channels may be open and idle.
    return Effect.async<never, Ended>((resume) => {
      if (this.#over !== undefined) return resume(this.#over)
      this.#channel.backpressure.add(this.#body)
      this.#notify = resume
      const feed = (text: string) => {
        read(text)
        this.#heartbeats.received()
      }
      Http.push(this.#body, feed, (exit) => this.#end(endOf(exit)))
    })
  }

  /** Gives up its body. */
  close(): void {
    this.#notify = undefined
    this.#stop()
    this.#body.cancel()
  }

  /** Breaks it from outside. */
  abort(error: TransportError): void {
    this.#end(Exit.fail({ error, clean: false }))
  }

  /** The piece that is being read is a heartbeat. */
  onHeartbeat(): void {
    this.#heartbeats.heartbeat()
  }

  #end(exit: Exit.Exit<never, Ended>): void {
    if (this.#over !== undefined) return
    this.#over = exit
    this.#stop()
    this.#notify?.(exit)
  }

  #stop(): void {
    this.#heartbeats.stop()
    this.#channel.backpressure.remove(this.#body)
  }
}

const endOf = (exit: Exit.Exit<void, ConnectionLost>): Exit.Exit<never, Ended> =>
  Exit.isSuccess(exit)
    ? Exit.fail({
        error: new ConnectionLost({ description: "The server closed the channel", sent: true }),
        clean: true
      })
    : Exit.failCause(Cause.map(exit.cause, (error) => ({ error, clean: false })))
