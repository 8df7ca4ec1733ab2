import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"
import * as Metrics from "../../observability/Metrics.ts"
import type { Channel } from "./Channel.ts"
import type { Options } from "../../config/SandboxOptions.ts"

/** A channel over server-sent events that outlives the stream it is read through. */
export interface SseChannel extends Channel {
  /** Whether a stream is open. */
  readonly attached: () => boolean
  /** Whether everything after an event is still kept; undefined stands for what was written last. */
  readonly resumable: (lastEventId: number | undefined) => boolean
  /** Makes a response the stream of this channel, going on after an event from where it is resumable; an older stream is ended. */
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
  let frames: Array<Buffer> = []
  /** The event id of `frames[0]`. */
  let first = 1
  /** The event id of the next frame to write. */
  let next = 1
  let keptBytes = 0
  let unsentBytes = 0
  let stream: ServerResponse | undefined
  let waitingSince: number | undefined = Date.now()
  let closed = false
  let flushing = false
  let onDrained: Array<() => void> = []

  const blocked = () => stream !== undefined && waitingSince !== undefined

  /** The stream, when it takes more and there is more. */
  const taker = () => (waitingSince === undefined && next < first + frames.length ? stream : undefined)

  const flush = () => {
    // Writing may bring the stream to say at once that it takes more.
    if (flushing) return
    flushing = true
    for (let to = taker(); to !== undefined && write(to);) to = taker()
    flushing = false
    evict()
    wake()
  }

  /** Writes as much as the stream takes now; false when that was nothing. */
  const write = (to: ServerResponse): boolean => {
    const before = next
    const taken = () => !to.writableNeedDrain && !to.destroyed
    const several = next + 1 < first + frames.length
    if (several) to.cork()
    do {
      const frame = frames[next - first]
      if (frame === undefined) break
      const head = `id: ${next}\n`
      if (frame.length < copyBelow) to.write(joined(head, frame))
      else for (const piece of [head, frame, lineEnd]) to.write(piece)
      next += 1
      unsentBytes -= frame.length
    } while (taken())
    if (several) to.uncork()
    if (!taken()) waitingSince = Date.now()
    return next !== before
  }

  /** Drops what was written already and exceeds the window, in large steps. */
  const evict = () => {
    if (keptBytes - unsentBytes < 2 * options.resumeWindow) return
    let drop = 0
    while (drop < next - first && keptBytes - unsentBytes > options.resumeWindow) {
      keptBytes -= frames[drop]?.length ?? 0
      drop += 1
    }
    frames = frames.slice(drop)
    first += drop
  }

  const wake = () => {
    if (unsentBytes >= replayAhead && !closed) return
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
    frames = []
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
      if (unsentBytes > options.maxUnsent) return cutOff("behind")
      frames.push(frame)
      keptBytes += frame.length
      unsentBytes += frame.length
      flush()
    },
    drained: Effect.async<void>((resume) => {
      if (closed || unsentBytes < replayAhead) return resume(Effect.void)
      onDrained.push(() => resume(Effect.void))
    }),
    resumable: (lastEventId = next - 1) =>
      !closed && Number.isSafeInteger(lastEventId) && lastEventId >= first - 1 && lastEventId < first + frames.length,
    attach: (response, lastEventId = next - 1) => {
      if (stream !== undefined) finish(stream)
      stream = response
      waitingSince = undefined
      next = lastEventId + 1
      unsentBytes = frames.slice(next - first).reduce((sum, frame) => sum + frame.length, 0)
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
