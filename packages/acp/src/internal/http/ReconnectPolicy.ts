import * as MonotonicClock from "@heddle/core/MonotonicClock"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import type { TransportError } from "../../AcpError.ts"
import * as Ticket from "../../Ticket.ts"
import type { Broken, Options } from "./HttpChannel.ts"

/** A connection that the server may still have, and how to start over without it. */
interface Resumable {
  readonly discard: () => void
}

/** What is remembered of the breaks of one stream. */
interface Memory {
  /** Tries since the backoff started over. */
  attempts: number
  /** The present stream brought something. */
  hasProgressed: boolean
  /** The wait before the present try, and when it ended, in milliseconds. */
  waited: number
  triedAt: number
  /** Refusals in a row, each of a fresh ticket. */
  refusals: number
  /** In a row: the server still has the old socket. */
  conflicts: number
  /** Refusals with 429 in a row. */
  rateLimits: number
  minimum: number
}

/** Decides what follows a broken stream. */
export class ReconnectPolicy {
  readonly #ticket: Options["ticket"]
  readonly #first: Duration.DurationInput
  readonly #longest: Duration.DurationInput
  readonly #memory: Memory = {
    attempts: 0,
    hasProgressed: false,
    waited: 0,
    triedAt: 0,
    refusals: 0,
    conflicts: 0,
    rateLimits: 0,
    minimum: 0
  }

  constructor({ backoff, ticket }: Pick<Options, "ticket" | "backoff">) {
    this.#ticket = ticket
    this.#first = backoff?.first ?? "250 millis"
    this.#longest = backoff?.longest ?? "30 seconds"
  }

  /** The wait in milliseconds before the next try, or the error that ends the channel. */
  next(broken: Broken, resumable?: Resumable): Effect.Effect<number, TransportError> {
    const memory = this.#memory
    return Effect.flatMap(MonotonicClock.now, (now) => {
      startOver(memory, now)
      const remedy = remedyFor(broken, memory, resumable !== undefined)
      if (remedy !== "KeepTrying") memory.conflicts = 0
      if (broken.status !== 429) memory.rateLimits = 0
      // Only refusals in a row show that a fresh ticket does not help.
      if (remedy !== "KeepTrying" && (broken.ticket === undefined || (broken.status ?? 0) >= 500)) memory.refusals = 0
      return this.#waitFor(remedy, broken, resumable)
    }).pipe(
      Effect.tap((wait) =>
        Effect.map(MonotonicClock.now, (now) => {
          memory.waited = wait
          memory.triedAt = now + wait
        })
      )
    )
  }

  /** A stream is open. */
  opened(): void {
    this.#memory.refusals = 0
  }

  /** The stream brought something: the backoff starts over if it also lasted as long as the wait before it. */
  progressed(): void {
    this.#memory.hasProgressed = true
  }

  /** The server asks for at least this wait (`retry:`). */
  setMinimum(millis: number): void {
    this.#memory.minimum = Math.min(millis, Duration.toMillis(this.#longest))
  }

  #waitFor(remedy: Remedy, broken: Broken, resumable?: Resumable): Effect.Effect<number, TransportError> {
    switch (remedy) {
      case "Fail":
        return Effect.fail(broken.error)
      case "KeepTrying":
        this.#memory.conflicts++
        return Effect.succeed(conflictWait)
      case "StartOver":
        resumable?.discard()
        return Effect.succeed(0)
      case "RenewTicket":
        return broken.ticket === undefined ? this.#backOff() : this.#renew(broken, broken.ticket)
      case "BackOff":
        return broken.status === 429
          ? rateLimited(this.#memory, broken)
          : Effect.map(this.#backOff(), (wait) =>
              Math.max(wait, requestedMillis(broken), requestedMillis(broken.error))
            )
    }
  }

  #backOff(): Effect.Effect<number> {
    const memory = this.#memory
    const delay = RetryPolicy.exponentialDelay(memory.attempts++, this.#first, this.#longest)
    const wait = Duration.toMillis(delay)
    return Effect.map(Random.nextRange(0.75, 1.25), (jitter) => Math.max(wait * jitter, memory.minimum))
  }

  /** The link moves and the token ends: only when a fresh ticket is refused, too, is the refusal final. */
  #renew({ error, status }: Broken, refused: Ticket.TicketValue): Effect.Effect<number, TransportError> {
    return Effect.gen(this, function* () {
      const renewed = yield* Effect.either(this.#ticket.renew(refused))
      if (Either.isLeft(renewed)) {
        if (renewed.left.gone) return yield* renewed.left
        return Math.max(yield* this.#backOff(), requestedMillis(renewed.left))
      }
      this.#memory.refusals++
      if (!Ticket.same(renewed.right, refused)) return 0
      return status === 401 ? yield* this.#backOff() : yield* error
    })
  }
}

/** A stream that ends at once, again and again, must not start the backoff over each time. */
const startOver = (memory: Memory, now: number): void => {
  if (memory.hasProgressed && now - memory.triedAt >= memory.waited) memory.attempts = 0
  memory.hasProgressed = false
}

const rateLimited = (memory: Memory, broken: Broken): Effect.Effect<number> =>
  Effect.map(Random.nextRange(1, 1.25), (jitter) => {
    const wait = Duration.toMillis(RetryPolicy.waitAfter(++memory.rateLimits, {}))
    return Math.max(Math.max(wait, requestedMillis(broken)) * jitter, memory.minimum)
  })

const requestedMillis = (error: object): number => Duration.toMillis(RetryPolicy.requestedWait(error))

type Remedy = "Fail" | "KeepTrying" | "StartOver" | "RenewTicket" | "BackOff"

const remedyFor = ({ error, status = 0, ticket }: Broken, memory: Readonly<Memory>, isResumable: boolean): Remedy => {
  if (error._tag === "TicketError" && error.gone) return "Fail"
  if (error._tag === "ChannelRefused" && ticket === undefined) return "Fail"
  if (status === 409 && isResumable && memory.conflicts < 8) return "KeepTrying"
  const isTemporary = status === 0 || status === 401 || status === 429 || status >= 500
  if (isResumable && !isTemporary) return "StartOver"
  // Without a status no request can have the ticket; a redirect may be that of a link that has moved.
  const isTicketRefused = renewableStatuses.has(status) || (error._tag === "ChannelRefused" && status < 400)
  if (ticket !== undefined && isTicketRefused) return memory.refusals >= 2 ? "Fail" : "RenewTicket"
  return error._tag === "ChannelRefused" && !isTemporary && status !== 409 ? "Fail" : "BackOff"
}

const renewableStatuses: ReadonlySet<number> = new Set([401, 403, 404, 410])

const conflictWait = 250
