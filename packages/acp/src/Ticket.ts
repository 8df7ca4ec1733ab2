import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { TicketError } from "./AcpError.ts"

/** The link and token of a channel; `expireAt` is in Unix seconds. */
export interface TicketValue {
  readonly link: string
  readonly token: Redacted.Redacted
  readonly expireAt?: number
}

/** The link and token of one task (contract 2.7, 5.7), renewed when the service refuses the token. */
export class Ticket extends Context.Tag("@heddle/acp/Ticket")<
  Ticket,
  {
    /** The ticket to use now; fetched at first, and kept until it was refused. */
    readonly current: Effect.Effect<TicketValue, TicketError>
    /** Replaces a ticket that was refused, unless another caller has replaced it already. */
    readonly renew: (failed: TicketValue) => Effect.Effect<TicketValue, TicketError>
  }
>() {}

/**
 * Makes a ticket from the call that fetches one; one such call runs at a time.
 *
 * A ticket is not replaced ahead of its end: at some services each call moves the link, which ends open connections.
 */
export const make = Effect.fn("Ticket.make")(function* (
  fetch: Effect.Effect<TicketValue, TicketError>
): Effect.fn.Return<Ticket["Type"]> {
  const cache: Cache = { fetch, lock: Effect.unsafeMakeSemaphore(1), value: undefined }
  return {
    // The span is made for each use: one that is kept holds the stack of its caller.
    current: Effect.suspend(() => Effect.withSpan(read(cache, undefined), "Ticket.current")),
    renew: (failed) => Effect.withSpan(read(cache, failed), "Ticket.renew")
  }
})

interface Cache {
  readonly fetch: Effect.Effect<TicketValue, TicketError>
  readonly lock: Effect.Semaphore
  value: TicketValue | undefined
}

/** The ticket of a cache; fetched where there is none, or where it is the one that was refused. */
const read = (cache: Cache, failed: TicketValue | undefined): Effect.Effect<TicketValue, TicketError> =>
  Effect.suspend(() => {
    const { value } = cache
    return value === undefined || (failed !== undefined && same(value, failed))
      ? Effect.map(cache.fetch, (fetched) => (cache.value = fetched))
      : Effect.succeed(value)
  }).pipe(cache.lock.withPermits(1))

/** Why a task has no channel, in the shape of the errors of `@heddle/core`: a tag, and the reason `ended`. */
export interface ChannelError {
  readonly _tag: string
  readonly message: string
  readonly reason?: unknown
  readonly retryAfter?: unknown
}

/**
 * Makes a ticket from a call that waits for a task's channel, such as `tasks.awaitChannel(taskId)` of `@heddle/core`.
 *
 * Its error becomes the `cause` of a `TicketError`, which is `gone` if the task was not found or has ended.
 */
export const fromChannel = <E extends ChannelError>(
  channel: Effect.Effect<TicketValue, E>
): Effect.Effect<Ticket["Type"]> =>
  make(
    Effect.mapError(channel, (cause) => {
      const { message, retryAfter } = cause
      return new TicketError({
        description: `The task has no channel: ${message}`,
        gone: isGone(cause),
        ...(typeof retryAfter === "number" ? { retryAfter } : {}),
        cause
      })
    })
  )

/** Tells whether two tickets are the same link and token. */
export const same = (a: TicketValue, b: TicketValue): boolean =>
  a.link === b.link && Redacted.value(a.token) === Redacted.value(b.token)

const isGone = ({ _tag, reason }: ChannelError): boolean =>
  _tag === "NotFound" || (_tag === "ChannelUnavailable" && reason === "ended")
