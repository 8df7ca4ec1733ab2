import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"
import * as Metrics from "../../observability/Metrics.ts"
import type { Channel } from "./Channel.ts"
import { FrameWindow } from "./FrameWindow.ts"
import type { Options } from "../../config/SandboxOptions.ts"

/** A channel over server-sent events that outlives the stream it is read through. */
export interface SseChannel extends Channel {
  /** Whether a stream is open. */
  readonly attached: () => boolean
  /** Whether everything after an event is still kept; undefined stands for what was written last. */
  readonly resumable: (lastEventId: number | undefined) => boolean
  /**
   * Makes a response the stream of this channel, going on after an event from where it is resumable; an older stream
   * is ended.
   */
  readonly attach: (response: ServerResponse, lastEventId: number | undefined) => void
  /** The stream is gone, or is ended here where it is still open; the channel can be resumed for a while. */
  readonly detach: (response: ServerResponse) => void
}

/** Opens a channel; `onClose` runs once, when it is closed by either side or given up. */
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

  const blocked = () => stream !== undefined && waitingSince !== undefined

  /** The stream, when it takes more and there is more. */
  const taker = () => (waitingSince === undefined && window.waiting > 0 ? stream : undefined)

  const flush = () => {
    // Writing may bring the stream to say at once that it takes more.
    if (flushing) return
    flushing = true
    for (let to = taker(); to !== undefined && write(to);) to = taker()
    flushing = false
    window.evict()
    wake()
  }

  const write = (to: ServerResponse): boolean => {
    const wrote = writeFrames(to, window)
    if (!takesMore(to)) waitingSince = Date.now()
    return wrote
  }

  const wake = () => {
    if (window.unsentBytes >= replayAhead && !closed) return
    const waiting = onDrained
    onDrained = []
    for (const each of waiting) each()
  }

  const close = () => {
    if (closed) return
    closed = true
    clearInterval(pulse)
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

  /** Closes on a reader that does not keep up: one that takes nothing would never take the end of the stream either. */
  const cutOff = (why: Metrics.CutOff) => {
    if (stream !== undefined) Metrics.cutOff(why)
    stream?.destroy()
    close()
  }

  const pulse = setInterval(() => {
    const waited = waitingSince === undefined ? 0 : Date.now() - waitingSince
    if (waited > Duration.toMillis(stream === undefined ? options.resume : options.stall)) cutOff("stalled")
    else if (!blocked()) stream?.write(ping)
  }, Duration.toMillis(options.heartbeat))
  pulse.unref()

  return {
    id,
    close,
    attached: () => stream !== undefined,
    push: (frame) => {
      if (closed) return
      if (window.unsentBytes > options.maxUnsent) return cutOff("behind")
      window.push(frame)
      flush()
    },
    drained: Effect.async<void>((resume) => {
      if (closed || window.unsentBytes < replayAhead) return resume(Effect.void)
      onDrained.push(() => resume(Effect.void))
    }),
    resumable: (lastEventId = window.next - 1) => !closed && window.holdsAfter(lastEventId),
    attach: (response, lastEventId = window.next - 1) => {
      if (stream !== undefined) finish(stream)
      stream = response
      waitingSince = undefined
      window.rewind(lastEventId)
      response.on("drain", () => {
        if (stream !== response) return
        waitingSince = undefined
        flush()
      })
      // Somebody else ended it, as a service that stops does; what is written after that is kept for the next stream.
      response.on("error", () => release(response))
      flush()
    },
    detach: (response) => {
      release(response)
      finish(response)
    }
  }
}

/** Writes as much as the stream takes now; false when that was nothing. */
const writeFrames = (to: ServerResponse, window: FrameWindow): boolean => {
  const before = window.next
  const several = window.waiting > 1
  if (several) to.cork()
  do {
    const head = `id: ${window.next}\n`
    const frame = window.take()
    if (frame === undefined) break
    if (frame.length < copyBelow) to.write(joined(head, frame))
    else for (const piece of [head, frame, lineEnd]) to.write(piece)
  } while (takesMore(to))
  if (several) to.uncork()
  return window.next !== before
}

const takesMore = (to: ServerResponse): boolean => !to.writableNeedDrain && !to.destroyed

/** An event in one piece; most of what is written passes here, so nothing is allocated besides. */
const joined = (head: string, frame: Buffer): Buffer => {
  const event = Buffer.allocUnsafe(head.length + frame.length + 1)
  event.write(head, 0, "latin1")
  frame.copy(event, head.length)
  event[event.length - 1] = 10
  return event
}

/** Ends a stream, and its socket when the reader does not take the end. */
const finish = (response: ServerResponse): void => {
  if (response.closed) return
  response.end()
  const late = setTimeout(() => response.destroy(), endWithin)
  late.unref()
  response.once("close", () => clearTimeout(late))
}

const ping = Buffer.from(": ping\n\n")

const lineEnd = Buffer.from("\n")

/** Below this one copy is cheaper than three writes. */
const copyBelow = 16 * 1024

/** How far a replay may run ahead of its reader. */
const replayAhead = 256 * 1024

/** How many milliseconds a reader may take for the end of its stream. */
const endWithin = 5000
