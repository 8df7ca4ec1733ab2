import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"
import * as Metrics from "../../observability/Metrics.ts"
import type { Channel } from "./Channel.ts"
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

/** Opens a channel; `onClose` runs once, when either side closes it or it is too slow. */
export const make = (
  id: string,
  options: Pick<Options, "heartbeat" | "maxUnsent" | "resume" | "resumeWindow" | "stall">,
  onClose: () => void
): SseChannel => {
  const window = new FrameWindow(options.resumeWindow)
  let stream: ServerResponse | undefined
  let waitingSince: number | undefined = Date.now()
  let closed = false
  let flushing = false
  let onDrained: Array<() => void> = []

  const isBlocked = () => stream !== undefined && waitingSince !== undefined

  /** The stream, when it accepts more and a frame waits. */
  const writableStream = () => (waitingSince === undefined && window.waitingCount > 0 ? stream : undefined)

  const flush = () => {
    // A write may emit "drain" at once, which calls this function again.
    if (flushing) return
    flushing = true
    for (let to = writableStream(); to !== undefined && write(to);) to = writableStream()
    flushing = false
    window.evict()
    wake()
  }

  const write = (to: ServerResponse): boolean => {
    const hasWritten = writeFrames(to, window)
    if (!takesMore(to)) waitingSince = Date.now()
    return hasWritten
  }

  const wake = () => {
    if (window.unsentBytes >= maxReplayAheadBytes && !closed) return
    const waiting = onDrained
    onDrained = []
    for (const notify of waiting) notify()
  }

  const close = () => {
    if (closed) return
    closed = true
    clearInterval(heartbeatTimer)
    if (stream !== undefined) finish(stream)
    stream = undefined
    window.clear()
    wake()
    onClose()
  }

  const release = (response: ServerResponse) => {
    if (stream !== response) return
    stream = undefined
    waitingSince = Date.now()
  }

  /** Closes the connection of a client that does not keep up; it would not read the end of the stream either. */
  const disconnect = (reason: Metrics.CutOff) => {
    if (stream !== undefined) Metrics.countCutOff(reason)
    stream?.destroy()
    close()
  }

  const heartbeatTimer = setInterval(() => {
    const waited = waitingSince === undefined ? 0 : Date.now() - waitingSince
    if (waited > Duration.toMillis(stream === undefined ? options.resume : options.stall)) disconnect("stalled")
    else if (!isBlocked()) stream?.write(ping)
  }, Duration.toMillis(options.heartbeat))
  heartbeatTimer.unref()

  return {
    id,
    close,
    isAttached: () => stream !== undefined,
    push: (frame) => {
      if (closed) return
      if (window.unsentBytes > options.maxUnsent) return disconnect("behind")
      window.push(frame)
      flush()
    },
    drained: Effect.async<void>((resume) => {
      if (closed || window.unsentBytes < maxReplayAheadBytes) return resume(Effect.void)
      onDrained.push(() => resume(Effect.void))
    }),
    isResumable: (lastEventId = window.nextId - 1) => !closed && window.hasAllAfter(lastEventId),
    attach: (response, lastEventId = window.nextId - 1) => {
      if (stream !== undefined) finish(stream)
      stream = response
      waitingSince = undefined
      window.rewind(lastEventId)
      response.on("drain", () => {
        if (stream !== response) return
        waitingSince = undefined
        flush()
      })
      // Another part ended the stream, as the stopping service does; later frames are kept for the next stream.
      response.on("error", () => release(response))
      flush()
    },
    detach: (response) => {
      release(response)
      finish(response)
    }
  }
}

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
