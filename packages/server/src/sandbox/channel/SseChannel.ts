import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"
import * as Metrics from "../../observability/Metrics.ts"
import type { Channel } from "./Channel.ts"
import type { FrameBudget, Holder } from "./FrameBudget.ts"
import { FrameWindow } from "./FrameWindow.ts"
import type { Options } from "../../config/SandboxOptions.ts"

/** A channel over server-sent events that outlives its streams. */
export interface SseChannel extends Channel {
  /** Whether a stream is open. */
  readonly isAttached: () => boolean
  /** Tells whether all frames after an event are kept; undefined stands for the last sent one. */
  readonly isResumable: (lastEventId: number | undefined) => boolean
  /**
   * Makes a response the stream of this channel, from after a resumable event on; an older stream ends.
   */
  readonly attach: (response: ServerResponse, lastEventId: number | undefined) => void
  /** Ends the stream where it is still open; the channel can be resumed for a while. */
  readonly detach: (response: ServerResponse) => void
}

/**
 * Opens a channel; `onClose` runs once, when either side closes it or it is too slow. `budget` bounds what all channels
 * hold.
 */
export const make = (
  id: string,
  options: Pick<Options, "heartbeat" | "maxUnsent" | "resume" | "resumeWindow" | "stall">,
  budget: FrameBudget,
  onClose: () => void
): SseChannel => {
  const window = new FrameWindow(options.resumeWindow)
  let isClosed = false
  const waiting = makeWaiting(() => isClosed || window.unsentBytes < maxReplayAheadBytes)
  const stream = makeStream(window, waiting.wake)

  const close = () => {
    if (isClosed) return
    isClosed = true
    clearInterval(heartbeatTimer)
    budget.remove(holder)
    stream.detach()
    window.clear()
    waiting.wake()
    onClose()
  }

  /** Closes the connection of a client that does not keep up; it would not read the end of the stream either. */
  const disconnect = (reason: Metrics.CutOff) => {
    const client = stream.client()
    if (client._tag !== "Detached") {
      Metrics.countCutOff(reason)
      client.stream.destroy()
    }
    close()
  }

  const holder: Holder = {
    // What the stream has taken and not yet sent is no longer counted as unsent.
    heldBytes: () => Math.max(window.keptBytes, window.unsentBytes + (streamOf(stream.client())?.writableLength ?? 0)),
    dropSent: () => window.dropSent(),
    cutOff: () => disconnect("behind")
  }
  budget.add(holder)

  const heartbeatTimer = setInterval(() => {
    const client = stream.client()
    if (client._tag === "Writable") return void client.stream.write(ping)
    const limit = client._tag === "Detached" ? options.resume : options.stall
    if (performance.now() - client.since > Duration.toMillis(limit)) disconnect("stalled")
  }, Duration.toMillis(options.heartbeat))
  heartbeatTimer.unref()

  return {
    id,
    close,
    isAttached: () => stream.client()._tag !== "Detached",
    push: (frame) => {
      if (isClosed) return
      if (window.unsentBytes > options.maxUnsent) return disconnect("behind")
      window.push(frame)
      stream.flush()
      budget.note(frame.length)
    },
    drained: waiting.drained,
    isResumable: (lastEventId = window.nextId - 1) => !isClosed && window.hasAllAfter(lastEventId),
    attach: stream.attach,
    detach: stream.detach
  }
}

/** Callers that wait until a replay may go on. */
const makeWaiting = (mayGoOn: () => boolean) => {
  const onDrained: Array<() => void> = []
  return {
    wake: () => {
      if (!mayGoOn()) return
      for (const notify of onDrained.splice(0)) notify()
    },
    drained: Effect.async<void>((resume) => {
      if (mayGoOn()) return resume(Effect.void)
      onDrained.push(() => resume(Effect.void))
    })
  }
}

/** The stream of a channel: gives its client the frames of the window as fast as the client takes them. */
const makeStream = (window: FrameWindow, onFlushed: () => void) => {
  let client: Client = { _tag: "Detached", since: performance.now() }
  let isFlushing = false

  /** The stream, when it accepts more and a frame waits. */
  const writableStream = () => (client._tag === "Writable" && window.waitingCount > 0 ? client.stream : undefined)

  const flush = () => {
    // A write may emit "drain" at once, which calls this function again.
    if (isFlushing) return
    isFlushing = true
    for (let to = writableStream(); to !== undefined && write(to);) to = writableStream()
    isFlushing = false
    window.evict()
    onFlushed()
  }

  const write = (to: ServerResponse): boolean => {
    const hasWritten = writeFrames(to, window)
    if (!takesMore(to) && streamOf(client) === to) client = { _tag: "Blocked", stream: to, since: performance.now() }
    return hasWritten
  }

  const release = (response: ServerResponse) => {
    if (streamOf(client) === response) client = { _tag: "Detached", since: performance.now() }
  }

  const detach = (response = streamOf(client)) => {
    if (response === undefined) return
    release(response)
    finish(response)
  }

  return {
    client: () => client,
    flush,
    attach: (response: ServerResponse, lastEventId = window.nextId - 1) => {
      detach()
      client = { _tag: "Writable", stream: response }
      window.rewind(lastEventId)
      response.on("drain", () => {
        if (streamOf(client) !== response) return
        client = { _tag: "Writable", stream: response }
        flush()
      })
      // Another part ended the stream, as the stopping service does; later frames are kept for the next stream.
      response.on("error", () => release(response))
      flush()
    },
    detach
  }
}

/** The client of a channel. `since`: when its stream was lost or stopped accepting frames, in epoch milliseconds. */
type Client =
  | { readonly _tag: "Detached"; readonly since: number }
  | { readonly _tag: "Blocked"; readonly stream: ServerResponse; readonly since: number }
  | { readonly _tag: "Writable"; readonly stream: ServerResponse }

const streamOf = (client: Client): ServerResponse | undefined =>
  client._tag === "Detached" ? undefined : client.stream

/** Writes as much as the stream accepts now; false when that was nothing. */
const writeFrames = (to: ServerResponse, window: FrameWindow): boolean => {
  const firstId = window.nextId
  const hasSeveral = window.waitingCount > 1
  if (hasSeveral) to.cork()
  do {
    const head = `id: ${window.nextId}\n`
    const frame = window.take()
    if (frame === undefined) break
    if (frame.length < maxCopyBytes) to.write(joinEvent(head, frame))
    else for (const part of [head, frame, lineEnd]) to.write(part)
  } while (takesMore(to))
  if (hasSeveral) to.uncork()
  return window.nextId !== firstId
}

const takesMore = (to: ServerResponse): boolean => !to.writableNeedDrain && !to.destroyed

/** An event in one buffer. This is the hot path, so it makes only one allocation. */
const joinEvent = (head: string, frame: Buffer): Buffer => {
  const event = Buffer.allocUnsafe(head.length + frame.length + 1)
  event.write(head, 0, "latin1")
  frame.copy(event, head.length)
  event[event.length - 1] = 10
  return event
}

/** Ends a stream, and destroys its socket when the client does not read the end. */
const finish = (response: ServerResponse): void => {
  if (response.closed) return
  response.end()
  const forceTimer = setTimeout(() => response.destroy(), endTimeoutMs)
  forceTimer.unref()
  response.once("close", () => clearTimeout(forceTimer))
}

const ping = Buffer.from(": ping\n\n")

const lineEnd = Buffer.from("\n")

/** Below this size one copy is cheaper than three writes. */
const maxCopyBytes = 16 * 1024

/** How far a replay may run ahead of its client. */
const maxReplayAheadBytes = 256 * 1024

/** How long a client may take to read the end of its stream. */
const endTimeoutMs = 5000
