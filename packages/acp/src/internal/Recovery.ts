import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import type { TransportError } from "../AcpError.ts"
import * as Ticket from "../Ticket.ts"
import type { Broken, Options } from "./HttpChannel.ts"

/** A connection that may be taken up again, and how it is given up. */
export interface Held {
  readonly drop: () => void
}

/** Decides what follows a broken stream. */
export interface Recovery {
  /** The wait in milliseconds before the next try, or the error that ends the channel. */
  readonly next: (broken: Broken, held?: Held) => Effect.Effect<number, TransportError>
  /** A stream is open. */
  readonly opened: () => void
  /** The stream brought something: the next break is a new one. */
  readonly proved: () => void
  /** The server wants at least this wait (`retry:`). */
  readonly atLeast: (millis: number) => void
}

/** Makes the memory of one stream's breaks. */
export const make = (options: Pick<Options, "ticket" | "backoff">): Recovery => {
  const first = Duration.toMillis(options.backoff?.first ?? "250 millis")
  const longest = Duration.toMillis(options.backoff?.longest ?? "30 seconds")
  const { ticket } = options
  let attempts = 0
  let refused = 0
  let conflicts = 0
  let shortest = 0

  const next = Effect.fnUntraced(function* (broken: Broken, held?: Held) {
    const { error, status } = broken
    if (error._tag === "TicketError" && error.gone) return yield* error
    if (error._tag === "ChannelRefused" && broken.ticket === undefined) return yield* error
    if (status === 409 && held !== undefined && conflicts < 8) {
      // The server still holds the old socket of this connection.
      conflicts++
      return 250
    }
    conflicts = 0
    // Only refusals in a row tell that a fresh ticket does not help.
    if (broken.ticket === undefined || (status ?? 0) >= 500) refused = 0
    if (status !== undefined && status !== 401 && status !== 429 && status < 500 && held !== undefined) {
      held.drop()
      return 0
    }
    if (broken.ticket !== undefined && (status === 401 || status === 403 || status === 404 || status === 410)) {
      // The link moves and the token ends: only when a fresh ticket is refused, too, is the answer final.
      if (refused >= 2) return yield* error
      const renewed = yield* Effect.either(ticket.renew(broken.ticket))
      if (Either.isLeft(renewed)) {
        if (renewed.left.gone) return yield* renewed.left
      } else {
        refused++
        if (!Ticket.same(renewed.right, broken.ticket)) return 0
        if (status !== 401) return yield* error
      }
    } else if (error._tag === "ChannelRefused" && status !== 409 && status !== 429 && (status ?? 0) < 500) {
      return yield* error
    }
    const wait = Math.min(longest, first * 2 ** attempts++)
    const jitter = yield* Random.nextRange(0.75, 1.25)
    return Math.max(wait * jitter, shortest)
  })

  return {
    next,
    opened: () => {
      refused = 0
    },
    proved: () => {
      attempts = 0
    },
    atLeast: (millis) => {
      shortest = Math.min(millis, longest)
    }
  }
}
