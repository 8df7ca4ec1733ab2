import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Options from "../../CallOptions.ts"
import type { Pages } from "../Pages.ts"
import { withCode } from "./ClientError.ts"

/** Default options of calls. */
export interface Defaults {
  /** How long one attempt may take; 30,000 by default. */
  readonly timeoutMs?: number | undefined
  /** How long one call may take with all its attempts and waits; 120,000 by default. */
  readonly deadlineMs?: number | undefined
  /** How many tries a call has: 4 by default, 1 for `none`. Renewing a refused token does not count. */
  readonly retry?: "default" | "none" | number | undefined
  /** Extra headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Options of one call. */
export interface CallOptions extends Defaults {
  /** Ends the call, closes its connection, and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** The client was closed before or during this call; a write may have been received. */
export class ClientClosed extends Error {
  override readonly name = "ClientClosed"
  readonly code = "client_closed"
  constructor() {
    super("The client is closed. Make a new one.")
  }
}

/** Runs the effects of one client as promises. */
export interface Runner {
  readonly run: <A, E>(effect: Effect.Effect<A, E>, options: CallOptions | undefined) => Promise<A>
  readonly iterate: <A, E>(pages: Pages<A, E>, options: CallOptions | undefined) => AsyncIterable<A>
  readonly close: () => Promise<void>
}

export const make = (defaults: Defaults): Runner => {
  const interrupts = new Set<() => void>()
  let isClosed = false

  const run = async <A, E>(
    effect: Effect.Effect<A, E>,
    options: CallOptions = {},
    stop: AbortSignal | undefined = undefined
  ): Promise<A> => {
    const signals = [options.signal, stop].filter((signal) => signal !== undefined)
    for (const signal of signals) signal.throwIfAborted()
    if (isClosed) throw new ClientClosed()
    const fiber = Effect.runFork(
      effect.pipe(Options.with(toCallOptions(options)), Options.with(toCallOptions(defaults)))
    )
    const interrupt = () => fiber.unsafeInterruptAsFork(FiberId.none)
    interrupts.add(interrupt)
    for (const signal of signals) signal.addEventListener("abort", interrupt)
    const exit = await new Promise<Exit.Exit<A, E>>((resolve) => fiber.addObserver(resolve))
    for (const signal of signals) signal.removeEventListener("abort", interrupt)
    interrupts.delete(interrupt)
    if (Exit.isSuccess(exit)) return exit.value
    if (Cause.isInterruptedOnly(exit.cause)) {
      for (const signal of signals) signal.throwIfAborted()
      throw new ClientClosed()
    }
    // Spans wrap errors in a proxy; callers get the original error.
    throw withCode(Cause.originalError(Cause.squash(exit.cause)))
  }

  return {
    run: (effect, options) => run(effect, options),
    iterate: (pages, options) => ({
      [Symbol.asyncIterator]: () => makeIterator(pages, (effect, stop) => run(effect, options, stop))
    }),
    close: async () => {
      isClosed = true
      for (const interrupt of interrupts) interrupt()
    }
  }
}

/** Asks for pages on demand. Leaving the loop early interrupts the running request. */
const makeIterator = <A, E>(
  pages: Pages<A, E>,
  run: <B, E2>(effect: Effect.Effect<B, E2>, stop: AbortSignal) => Promise<B>
): AsyncIterator<A, undefined> => {
  const stop = new AbortController()
  const buffer: Array<A> = []
  let nextPage: Effect.Effect<ReadonlyArray<A> | undefined, E> | undefined
  let queue: Promise<unknown> = Promise.resolve()

  const end = () => {
    stop.abort()
    buffer.length = 0
  }

  const step = async (): Promise<IteratorResult<A, undefined>> => {
    try {
      while (buffer.length === 0 && !stop.signal.aborted) {
        nextPage ??= await run(pages, stop.signal)
        const page = await run(nextPage, stop.signal)
        if (page === undefined) end()
        else buffer.push(...page)
      }
    } catch (error) {
      // A loop that the caller left ends without an error; other failures go to the caller.
      const wasLeft = stop.signal.aborted
      end()
      if (!wasLeft) throw error
    }
    const [value] = buffer.splice(0, 1)
    return stop.signal.aborted || value === undefined ? { done: true, value: undefined } : { done: false, value }
  }

  return {
    next: () => {
      const next = queue.then(step, step)
      queue = next
      return next
    },
    return: async () => {
      end()
      return { done: true, value: undefined }
    }
  }
}

const toCallOptions = (options: Defaults): Options.Options => ({
  ...(options.timeoutMs === undefined ? {} : { timeout: Duration.millis(options.timeoutMs) }),
  ...(options.deadlineMs === undefined ? {} : { deadline: Duration.millis(options.deadlineMs) }),
  ...(options.retry === undefined ? {} : { retry: options.retry }),
  ...(options.headers === undefined ? {} : { headers: options.headers })
})
