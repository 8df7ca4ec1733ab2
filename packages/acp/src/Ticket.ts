import * as Clock from "effect/Clock"
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

/** The link and token of one task (contract 2.7, 5.7), renewed when needed. */
export class Ticket extends Context.Tag("@heddle/acp/Ticket")<
  Ticket,
  {
    /** The ticket to use now; fetched at first, and again after 80 % of its life. */
    readonly current: Effect.Effect<TicketValue, TicketError>
    /** Replaces a ticket that was refused, unless another caller has replaced it already. */
    readonly renew: (failed: TicketValue) => Effect.Effect<TicketValue, TicketError>
  }
>() {}

/** Makes a ticket from the call that fetches one; one such call runs at a time. */
export const make = Effect.fn("Ticket.make")(function* (
  fetch: Effect.Effect<TicketValue, TicketError>
): Effect.fn.Return<Ticket["Type"]> {
  const lock = yield* Effect.makeSemaphore(1)
  let cached: CachedTicket | undefined

  const replace = Effect.gen(function* () {
    const value = yield* fetch
    const now = yield* Clock.currentTimeMillis
    cached = { value, renewAt: renewAt(value, now) }
    return value
  })

  const renewEarly = (kept: CachedTicket) =>
    replace.pipe(
      // The old ticket still works, so an early renewal that fails is repeated later.
      Effect.catchAll((error) =>
        Clock.currentTimeMillis.pipe(
          Effect.map((now) => {
            kept.renewAt = now + minIntervalMs
          }),
          Effect.andThen(Effect.logDebug("A ticket could not be renewed ahead of its end", error.description)),
          Effect.as(kept.value)
        )
      )
    )

  const current = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (cached === undefined) return yield* replace
    if (now < cached.renewAt) return cached.value
    const expired = cached.value.expireAt !== undefined && now >= cached.value.expireAt * 1000
    return yield* expired ? replace : renewEarly(cached)
  }).pipe(lock.withPermits(1), Effect.withSpan("Ticket.current"))

  const renew = Effect.fn("Ticket.renew")(function* (failed: TicketValue) {
    return cached === undefined || same(cached.value, failed) ? yield* replace : cached.value
  }, lock.withPermits(1))

  return { current, renew }
})

/** Why a task has no channel, in the shape of the errors of `@heddle/core`: a tag, and the reason `ended`. */
export interface ChannelError {
  readonly _tag: string
  readonly message: string
  readonly reason?: unknown
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
    Effect.mapError(
      channel,
      (cause) =>
        new TicketError({ description: `The task has no channel: ${cause.message}`, gone: isGone(cause), cause })
    )
  )

/** Tells whether two tickets are the same link and token. */
export const same = (a: TicketValue, b: TicketValue): boolean =>
  a.link === b.link && Redacted.value(a.token) === Redacted.value(b.token)

interface CachedTicket {
  readonly value: TicketValue
  renewAt: number
}

const isGone = ({ _tag, reason }: ChannelError): boolean =>
  _tag === "NotFound" || (_tag === "ChannelUnavailable" && reason === "ended")

const minIntervalMs = 10_000

const renewAt = (value: TicketValue, now: number): number => {
  if (value.expireAt === undefined) return Number.POSITIVE_INFINITY
  return now + Math.max((value.expireAt * 1000 - now) * 0.8, minIntervalMs)
}
