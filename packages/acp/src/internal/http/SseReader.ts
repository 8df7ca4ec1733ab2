import { createParser, type EventSourceMessage, type EventSourceParser } from "eventsource-parser"
import * as JsonRpc from "../../JsonRpc.ts"
import * as Oversized from "../Oversized.ts"
import type { Inbound } from "../../Transport.ts"

/** What a reader reports. */
export interface Listener {
  /** A piece is about to be read. */
  onPiece?(): void
  onInbound(inbound: Inbound): void
  /**
   * The id of the last event of a piece, once its messages were received, as a header carries it; undefined where it
   * resets the id.
   */
  onId?(id: string | undefined): void
  onRetry?(millis: number): void
  /** A piece of the stream brought a comment or an event of another type, and no message. */
  onHeartbeat?(): void
}

/** Takes an event stream in pieces of text and hands on its JSON-RPC messages, synchronously. */
export class SseReader {
  readonly #maxMessageChars: number
  readonly #listener: Listener
  readonly #parser: EventSourceParser
  /** A line has ended with a carriage return at the end of a piece. */
  #returned = false
  /** The beginning of the event that is not complete yet. */
  #start = ""
  /** The last characters of the event that is skipped; its end may be cut anywhere. */
  #skipped: string | undefined
  /** The parser has given up an event. */
  #tooLarge = false
  /** The present piece has completed an event. */
  #completed = false
  /** The last id in the present piece. */
  #id: string | undefined
  /** What the present piece has brought. */
  #hasMessage = false
  #hasHeartbeat = false

  constructor(maxMessageChars: number, listener: Listener) {
    this.#maxMessageChars = maxMessageChars
    this.#listener = listener
    this.#parser = createParser({
      maxBufferSize: maxMessageChars,
      onEvent: (message) => this.#onEvent(message),
      onRetry: (millis) => listener.onRetry?.(millis),
      onComment: () => {
        this.#hasHeartbeat = true
      },
      onError: (error) => {
        if (error.type === "max-buffer-size-exceeded") this.#tooLarge = true
      }
    })
  }

  /** Takes the next piece. */
  read(piece: string): void {
    this.#listener.onPiece?.()
    const text = this.#afterSkipped(this.#withEndedLine(piece))
    if (text === undefined) return
    this.#completed = false
    this.#hasHeartbeat = false
    this.#hasMessage = false
    this.#id = undefined
    this.#parser.feed(text)
    if (this.#id !== undefined) this.#listener.onId?.(headerValue(this.#id))
    if (this.#hasHeartbeat && !this.#hasMessage) this.#listener.onHeartbeat?.()
    const after = afterLast(text)
    if (after !== undefined || this.#completed) this.#start = ""
    // The blank line that ended an event may have begun in the piece before.
    const open = after ?? (this.#completed ? text.replace(/^[\r\n]+/, "") : text)
    if (this.#start.length < sampleLength) this.#start += open.slice(0, sampleLength - this.#start.length)
    if (!this.#tooLarge) return
    this.#tooLarge = false
    this.#parser.reset()
    this.#skipped = open.slice(-sampleLength)
    skip(dataOf(this.#start), this.#listener)
  }

  #onEvent({ data, event, id }: EventSourceMessage): void {
    this.#completed = true
    if (event === undefined || event === "message") {
      this.#hasMessage = true
      receiveData(data, this.#maxMessageChars, this.#listener)
    } else this.#hasHeartbeat = true
    if (id !== undefined) this.#id = id
  }

  /** What of a piece comes after the event that is skipped; undefined while that goes on. */
  #afterSkipped(text: string): string | undefined {
    if (this.#skipped === undefined) return text
    const seen = this.#skipped + text
    const end = blankLine.exec(seen)
    if (end === null) {
      this.#skipped = seen.slice(-sampleLength)
      return undefined
    }
    fail(dataOf(this.#start), seen.slice(0, end.index), this.#listener)
    this.#skipped = undefined
    this.#start = ""
    return seen.slice(end.index + end[0].length)
  }

  /** A carriage return at the end of a piece ends its line now, not when the next piece shows what follows it. */
  #withEndedLine(piece: string): string {
    const text = this.#returned && piece.startsWith("\n") ? piece.slice(1) : piece
    if (piece !== "") this.#returned = text.endsWith("\r")
    return this.#returned && text !== "" ? `${text}\n` : text
  }
}

/** The bytes of an id in UTF-8, each as one character. An id that no header can carry is none. */
const headerValue = (id: string): string | undefined => {
  const bytes = Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join("")
  return /^[\t\x20-\x7e\x80-\xff]+$/.test(bytes) ? bytes : undefined
}

const receiveData = (data: string, maxMessageChars: number, listener: Listener): void => {
  const isTooLarge = data.length > maxMessageChars
  const messages = isTooLarge ? undefined : JsonRpc.parse(data)
  if (messages !== undefined) {
    for (const message of messages) listener.onInbound({ _tag: "Message", message })
    return
  }
  if (!isTooLarge) return listener.onInbound({ _tag: "Skipped", reason: "NotJsonRpc", sample: data.slice(0, 200) })
  skip(data, listener)
  fail(data.slice(0, sampleLength), data.slice(-sampleLength), listener)
}

const skip = (data: string, listener: Listener): void =>
  listener.onInbound({ _tag: "Skipped", reason: "TooLarge", sample: data.slice(0, 200) })

/** Fails the call that a message too large for the channel answers, if its ends show one. */
const fail = (start: string, end: string, listener: Listener): void => {
  const message = Oversized.failure(start, end)
  if (message !== undefined) listener.onInbound({ _tag: "Message", message })
}

/** What of a piece comes after the last event that ends in it; undefined when none does. */
const afterLast = (text: string): string | undefined => {
  if (text.endsWith("\n\n")) return ""
  const returns = text.includes("\r")
  const at = Math.max(
    text.lastIndexOf("\n\n"),
    returns ? text.lastIndexOf("\n\r") : -1,
    returns ? text.lastIndexOf("\r\r") : -1
  )
  return at < 0 ? undefined : text.slice(at + 2)
}

/** The data in the beginning of an event. */
const dataOf = (start: string): string => {
  const lines = /(?:^|[\r\n])data: ?([\s\S]*)$/.exec(start)?.[1] ?? start
  return lines.replaceAll(/(?:\r\n|\n|\r)data: ?/g, "\n")
}

const { sampleLength } = Oversized

const blankLine = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)/
