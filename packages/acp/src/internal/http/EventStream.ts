import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ConnectionLost, type TransportError } from "../../AcpError.ts"
import type { Body } from "../../HttpExchange.ts"
import type { Backpressure } from "./Backpressure.ts"
import * as Http from "./Http.ts"

/** An event stream that is read until it breaks. */
export interface EventStream {
  /** Reads the stream; fails in every case. Run once. */
  readonly ended: Effect.Effect<never, Ended>
  /** Breaks it from outside. */
  readonly abort: (error: TransportError) => void
}

/** The end of a stream; `clean` says that its server ended it, so nothing of it is lost. */
interface Ended {
  readonly error: TransportError
  readonly clean: boolean
}

/** Reads the pieces of a stream; it reports the pieces that are heartbeats. */
export type NewReader = (onHeartbeat: () => void) => (text: string) => void

/**
 * Makes the stream of a body. Where its server sends heartbeats, it breaks after `silence` milliseconds without a byte,
 * unless the body is paused.
 */
export const make = (
  body: Body,
  newReader: NewReader,
  { backpressure, silence }: { readonly backpressure: Backpressure; readonly silence: number }
): EventStream => {
  let over: Exit.Exit<never, Ended> | undefined
  let notify: ((exit: Exit.Exit<never, Ended>) => void) | undefined
  const end = (exit: Exit.Exit<never, Ended>) => {
    if (over !== undefined) return
    over = exit
    notify?.(exit)
  }
  const abort = (error: TransportError) => end(Exit.fail({ error, clean: false }))
  // Callbacks and a timer instead of fibers: thousands of channels may be open and idle.
  const ended = Effect.async<never, Ended>((resume) => {
    if (over !== undefined) return resume(over)
    const watchdog = watch(silence, backpressure, () => {
      const description = "The channel's heartbeats have stopped: its server or the way to it is gone"
      abort(new ConnectionLost({ description, sent: true }))
    })
    const leave = backpressure.add(body)
    const stop = () => {
      watchdog.stop()
      leave()
    }
    notify = (exit) => {
      stop()
      resume(exit)
    }
    const reader = newReader(watchdog.onHeartbeat)
    const feed = (text: string) => {
      reader(text)
      watchdog.received()
    }
    Http.push(body, feed, (exit) =>
      end(
        Exit.match(exit, {
          onSuccess: () => Exit.fail({ error: closed(), clean: true }),
          onFailure: (cause) => Exit.failCause(Cause.map(cause, (error) => ({ error, clean: false })))
        })
      )
    )
    return Effect.sync(() => {
      stop()
      body.cancel()
    })
  })
  return { ended, abort }
}

/**
 * Reports the end of heartbeats, with a third of the limit as tolerance. Two heartbeats in a row show that a server sends
 * them; the limit is then `silence`, or three times their interval where that is longer.
 */
const watch = (silence: number, backpressure: Backpressure, onSilence: () => void) => {
  let limit = 0
  let timer: ReturnType<typeof setInterval> | undefined
  let hasReceived = false
  let quiet = 0
  let isHeartbeat = false
  /** When the last heartbeat came, if nothing came since. */
  let heartbeatAt: number | undefined

  const check = () => {
    quiet = hasReceived || backpressure.isPaused() ? 0 : quiet + 1
    hasReceived = false
    if (quiet >= 3) onSilence()
  }
  const expectWithin = (millis: number) => {
    if (millis <= limit || millis > maxTimer) return
    limit = millis
    clearInterval(timer)
    timer = setInterval(check, limit / 3)
  }
  return {
    onHeartbeat: () => {
      isHeartbeat = true
      const now = performance.now()
      if (heartbeatAt !== undefined) expectWithin(Math.max(silence, 3 * (now - heartbeatAt)))
      heartbeatAt = now
    },
    received: () => {
      hasReceived = true
      if (!isHeartbeat) heartbeatAt = undefined
      isHeartbeat = false
    },
    stop: () => clearInterval(timer)
  }
}

/** The longest delay of a timer. */
const maxTimer = 2 ** 31 - 1

const closed = () => new ConnectionLost({ description: "The server closed the channel", sent: true })
