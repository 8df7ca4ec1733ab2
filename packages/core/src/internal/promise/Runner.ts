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

/** How calls are made, where that differs from the defaults. */
export interface Defaults {
  /** How long one attempt may take; 30,000 ms without it. */
  readonly timeoutMs?: number | undefined
  /** How long one call may take with all its attempts and waits; 120,000 ms without it. */
  readonly deadlineMs?: number | undefined
  /** How many tries a call has: 4 by default, 1 for `none`. A refused token is renewed all the same. */
  readonly retry?: "default" | "none" | number | undefined
  /** Extra headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** How one call is made. */
export interface CallOptions extends Defaults {
  /** Ends the call, closes its connection, and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** The client was closed before or while this call was made; a write may have been received. */
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
  let closed = false

  const run = async <A, E>(
    effect: Effect.Effect<A, E, R>,
    options: CallOptions = {},
    stop: AbortSignal | undefined = undefined
  ): Promise<A> => {
    const signals = [options.signal, stop].filter((signal) => signal !== undefined)
    for (const signal of signals) signal.throwIfAborted()
    if (closed) throw new ClientClosed()
    const fiber = runtime.runFork(effect.pipe(Options.with(callOptions(options)), Options.with(callOptions(defaults))))
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
      [Symbol.asyncIterator]: () => iterator(stream, (effect, stop) => run(effect, options, stop))
    }),
    close: async () => {
      closed = true
      for (const interrupt of interrupts) interrupt()
      await runtime.dispose()
    }
  }
}

/** Pulls a stream on demand. Ending the loop early interrupts the pull under way and closes the stream. */
const iterator = <A, E, R>(
  stream: Stream.Stream<A, E, R>,
  run: <B, E2>(effect: Effect.Effect<B, E2, R>, stop: AbortSignal) => Promise<B>
): AsyncIterator<A, undefined> => {
  const stop = new AbortController()
  const scope = Effect.runSync(Scope.make())
  const ready: Array<A> = []
  let pull: Effect.Effect<Chunk.Chunk<A>, Option.Option<E>, R> | undefined
  let queue: Promise<unknown> = Promise.resolve()

  const end = async () => {
    stop.abort()
    ready.length = 0
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }

  const step = async (): Promise<IteratorResult<A, undefined>> => {
    try {
      while (ready.length === 0 && !stop.signal.aborted) {
        pull ??= await run(Scope.extend(Stream.toPull(stream), scope), stop.signal)
        const chunk = await run(
          Effect.catchAll(Effect.asSome(pull), (error) => Effect.transposeOption(Option.map(error, Effect.fail))),
          stop.signal
        )
        if (Option.isNone(chunk)) await end()
        else ready.push(...chunk.value)
      }
    } catch (error) {
      // A loop that was left while it waited ends quietly; every other failure goes to the caller.
      const left = stop.signal.aborted
      await end()
      if (!left) throw error
    }
    const [value] = ready.splice(0, 1)
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

const callOptions = (options: Defaults): Options.Options => ({
  ...(options.timeoutMs === undefined ? {} : { timeout: Duration.millis(options.timeoutMs) }),
  ...(options.deadlineMs === undefined ? {} : { deadline: Duration.millis(options.deadlineMs) }),
  ...(options.retry === undefined ? {} : { retry: options.retry }),
  ...(options.headers === undefined ? {} : { headers: options.headers })
})
