import { createParser } from "eventsource-parser"
import * as JsonRpc from "../../JsonRpc.ts"
import * as Oversized from "../Oversized.ts"
import type { Inbound } from "../../Transport.ts"

/** What a reader reports. */
export interface Listener {
  readonly receive: (inbound: Inbound) => void
  /**
   * The id of the last event of a piece, once its messages were received, as a header carries it; undefined where it
   * resets the id.
   */
  readonly onId?: (id: string | undefined) => void
  readonly onRetry?: (millis: number) => void
  /** A piece of the stream brought a comment or an event of another type, and no message. */
  readonly onHeartbeat?: () => void
}

/** What is remembered between two pieces of a stream. */
interface State {
  /** The beginning of the event that is not complete yet. */
  start: string
  /** The last characters of the event that is skipped; its end may be cut anywhere. */
  skipped: string | undefined
  /** The parser has given up an event. */
  tooLarge: boolean
  /** The present piece has completed an event. */
  completed: boolean
  /** The last id in the present piece. */
  id: string | undefined
  /** What the present piece has brought. */
  hasMessage: boolean
  hasHeartbeat: boolean
}

/** Makes a reader that takes an event stream in pieces of text and hands on its JSON-RPC messages, synchronously. */
export const make = (maxMessageChars: number, listener: Listener): ((text: string) => void) => {
  const state: State = {
    start: "",
    skipped: undefined,
    tooLarge: false,
    completed: false,
    id: undefined,
    hasMessage: false,
    hasHeartbeat: false
  }
  const endLines = lineEnder()
  const onHeartbeat = () => {
    state.hasHeartbeat = true
  }
  const parser = createParser({
    maxBufferSize: maxMessageChars,
    onEvent: ({ event, data, id }) => {
      state.completed = true
      if (event === undefined || event === "message") {
        state.hasMessage = true
        receiveData(data, maxMessageChars, listener)
      } else onHeartbeat()
      if (id !== undefined) state.id = id
    },
    onRetry: (millis) => listener.onRetry?.(millis),
    onComment: onHeartbeat,
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") state.tooLarge = true
    }
  })

  /** What of a piece comes after the event that is skipped; undefined while that goes on. */
  const afterSkipped = (text: string): string | undefined => {
    if (state.skipped === undefined) return text
    const seen = state.skipped + text
    const end = blankLine.exec(seen)
    if (end === null) {
      state.skipped = seen.slice(-sampleLength)
      return undefined
    }
    fail(dataOf(state.start), seen.slice(0, end.index), listener)
    state.skipped = undefined
    state.start = ""
    return seen.slice(end.index + end[0].length)
  }

  return (piece) => {
    const text = afterSkipped(endLines(piece))
    if (text === undefined) return
    state.completed = false
    state.hasHeartbeat = false
    state.hasMessage = false
    state.id = undefined
    parser.feed(text)
    if (state.id !== undefined) listener.onId?.(headerValue(state.id))
    if (state.hasHeartbeat && !state.hasMessage) listener.onHeartbeat?.()
    const after = afterLast(text)
    if (after !== undefined || state.completed) state.start = ""
    // The blank line that ended an event may have begun in the piece before.
    const open = after ?? (state.completed ? text.replace(/^[\r\n]+/, "") : text)
    if (state.start.length < sampleLength) state.start += open.slice(0, sampleLength - state.start.length)
    if (!state.tooLarge) return
    state.tooLarge = false
    parser.reset()
    state.skipped = open.slice(-sampleLength)
    skip(dataOf(state.start), listener)
  }
}

/** The bytes of an id in UTF-8, each as one character. An id that no header can carry is none. */
const headerValue = (id: string): string | undefined => {
  const bytes = Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join("")
  return /^[\t\x20-\x7e\x80-\xff]+$/.test(bytes) ? bytes : undefined
}

/** A carriage return at the end of a piece ends its line now, not when the next piece shows what follows it. */
const lineEnder = () => {
  let returned = false
  return (piece: string): string => {
    const text = returned && piece.startsWith("\n") ? piece.slice(1) : piece
    if (piece !== "") returned = text.endsWith("\r")
    return returned && text !== "" ? `${text}\n` : text
  }
}

const receiveData = (data: string, maxMessageChars: number, listener: Listener): void => {
  const isTooLarge = data.length > maxMessageChars
  const messages = isTooLarge ? undefined : JsonRpc.parse(data)
  if (messages !== undefined) {
    for (const message of messages) listener.receive({ _tag: "Message", message })
    return
  }
  if (!isTooLarge) return listener.receive({ _tag: "Skipped", reason: "NotJsonRpc", sample: data.slice(0, 200) })
  skip(data, listener)
  fail(data.slice(0, sampleLength), data.slice(-sampleLength), listener)
}

const skip = (data: string, listener: Listener): void =>
  listener.receive({ _tag: "Skipped", reason: "TooLarge", sample: data.slice(0, 200) })

/** Fails the call that a message too large for the channel answers, if its ends show one. */
const fail = (start: string, end: string, listener: Listener): void => {
  const message = Oversized.failure(start, end)
  if (message !== undefined) listener.receive({ _tag: "Message", message })
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
