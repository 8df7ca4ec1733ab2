import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Options from "../../CallOptions.ts"
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
export interface Runner<R> {
  readonly run: <A, E>(effect: Effect.Effect<A, E, R>, options: CallOptions | undefined) => Promise<A>
  readonly iterate: <A, E>(stream: Stream.Stream<A, E, R>, options: CallOptions | undefined) => AsyncIterable<A>
  readonly close: () => Promise<void>
}

export const make = <R>(layer: Layer.Layer<R>, defaults: Defaults): Runner<R> => {
  const runtime = ManagedRuntime.make(layer)
  const interrupts = new Set<() => void>()
  let isClosed = false

  const run = async <A, E>(
    effect: Effect.Effect<A, E, R>,
    options: CallOptions = {},
    stop: AbortSignal | undefined = undefined
  ): Promise<A> => {
    const signals = [options.signal, stop].filter((signal) => signal !== undefined)
    for (const signal of signals) signal.throwIfAborted()
    if (isClosed) throw new ClientClosed()
    const fiber = runtime.runFork(
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
    iterate: (stream, options) => ({
      [Symbol.asyncIterator]: () => makeIterator(stream, (effect, stop) => run(effect, options, stop))
    }),
    close: async () => {
      isClosed = true
      for (const interrupt of interrupts) interrupt()
      await runtime.dispose()
    }
  }
}

/** Pulls a stream on demand. Leaving the loop early interrupts the running pull and closes the stream. */
const makeIterator = <A, E, R>(
  stream: Stream.Stream<A, E, R>,
  run: <B, E2>(effect: Effect.Effect<B, E2, R>, stop: AbortSignal) => Promise<B>
): AsyncIterator<A, undefined> => {
  const stop = new AbortController()
  const scope = Effect.runSync(Scope.make())
  const buffer: Array<A> = []
  let pull: Effect.Effect<Chunk.Chunk<A>, Option.Option<E>, R> | undefined
  let queue: Promise<unknown> = Promise.resolve()

  const end = async () => {
    stop.abort()
    buffer.length = 0
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }

  const step = async (): Promise<IteratorResult<A, undefined>> => {
    try {
      while (buffer.length === 0 && !stop.signal.aborted) {
        pull ??= await run(Scope.extend(Stream.toPull(stream), scope), stop.signal)
        const chunk = await run(
          Effect.catchAll(Effect.asSome(pull), (error) => Effect.transposeOption(Option.map(error, Effect.fail))),
          stop.signal
        )
        if (Option.isNone(chunk)) await end()
        else buffer.push(...chunk.value)
      }
    } catch (error) {
      // A loop that the caller left ends without an error; other failures go to the caller.
      const wasLeft = stop.signal.aborted
      await end()
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
      await end()
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
