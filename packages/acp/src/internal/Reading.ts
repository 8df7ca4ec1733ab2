import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ConnectionLost, type TransportError } from "../AcpError.ts"
import type { Body } from "../HttpExchange.ts"
import type { Flow } from "./Flow.ts"
import * as Http from "./Http.ts"

/** An event stream that is read. */
export interface Reading {
  /** Reads it until it breaks; fails in every case. Run once. */
  readonly ended: Effect.Effect<never, Ended>
  /** Breaks it from outside. */
  readonly lost: (error: TransportError) => void
}

/** A stream's end; `clean` says that it was ended by its server and so nothing of it is lost. */
export interface Ended {
  readonly error: TransportError
  readonly clean: boolean
}

/** Makes the reading of a body whose sender `flow` may hold back; `silence` milliseconds without a byte end it. */
export const make = (
  body: Body,
  reader: (text: string) => void,
  { flow, silence }: { readonly flow: Flow; readonly silence: number }
): Reading => {
  let over: Exit.Exit<never, Ended> | undefined
  let tell: ((exit: Exit.Exit<never, Ended>) => void) | undefined
  const end = (exit: Exit.Exit<never, Ended>) => {
    if (over !== undefined) return
    over = exit
    tell?.(exit)
  }
  const lost = (error: TransportError) => end(Exit.fail({ error, clean: false }))
  // Callbacks and a timer instead of fibers: thousands of channels may be open and idle.
  const ended = Effect.async<never, Ended>((resume) => {
    if (over !== undefined) return resume(over)
    let heard = false
    let quiet = 0
    const watchdog = setInterval(() => {
      // Nothing can be heard of a sender that is held back.
      quiet = heard || flow.paused() ? 0 : quiet + 1
      heard = false
      if (quiet < 3) return
      const description = "The channel is silent: its server or the way to it is gone"
      lost(new ConnectionLost({ description, sent: true }))
    }, silence / 3)
    const leave = flow.add(body)
    const stop = () => {
      clearInterval(watchdog)
      leave()
    }
    tell = (exit) => {
      stop()
      resume(exit)
    }
    const feed = (text: string) => {
      heard = true
      reader(text)
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
  return { ended, lost }
}

const closed = () => new ConnectionLost({ description: "The server closed the channel", sent: true })
