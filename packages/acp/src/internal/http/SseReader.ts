import { createParser } from "eventsource-parser"
import * as JsonRpc from "../../JsonRpc.ts"
import * as Oversized from "../Oversized.ts"
import type { Inbound } from "../../Transport.ts"

/** What a reader tells besides messages. */
export interface Listener {
  readonly receive: (inbound: Inbound) => void
  /** The id of an event whose messages were received. */
  readonly onId?: (id: string) => void
  readonly onRetry?: (millis: number) => void
}

/** Reads an event stream from pieces of its text and gives on the JSON-RPC messages, synchronously. */
export const make = (maxMessageChars: number, listener: Listener): ((text: string) => void) => {
  // The end of an event that is left out may be cut anywhere, so its last characters are kept.
  let skipping: string | undefined
  let tooLarge = false
  let returned = false
  /** The beginning of the event that is not complete yet. */
  let begun = ""
  let given = false

  const refuse = (begin: string, end: string) => {
    const message = Oversized.failure(begin, end)
    if (message !== undefined) listener.receive({ _tag: "Message", message })
  }

  const leaveOut = (data: string) => {
    listener.receive({ _tag: "Skipped", reason: "TooLarge", sample: data.slice(0, 200) })
  }

  // A carriage return at the end of a piece ends its line now, not when the next piece shows what follows it.
  const wholeLines = (piece: string): string => {
    const text = returned && piece.startsWith("\n") ? piece.slice(1) : piece
    if (piece !== "") returned = text.endsWith("\r")
    return returned && text !== "" ? `${text}\n` : text
  }

  const give = (data: string) => {
    const messages = data.length > maxMessageChars ? undefined : JsonRpc.parse(data)
    if (messages !== undefined) {
      for (const message of messages) listener.receive({ _tag: "Message", message })
      return
    }
    if (data.length <= maxMessageChars) {
      return listener.receive({ _tag: "Skipped", reason: "NotJsonRpc", sample: data.slice(0, 200) })
    }
    leaveOut(data)
    refuse(data.slice(0, kept), data.slice(-kept))
  }

  const parser = createParser({
    maxBufferSize: maxMessageChars,
    onEvent: ({ event, data, id }) => {
      given = true
      if (event === undefined || event === "message") give(data)
      if (id !== undefined) listener.onId?.(id)
    },
    onRetry: (millis) => listener.onRetry?.(millis),
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") tooLarge = true
    }
  })

  return (piece) => {
    const text = wholeLines(piece)
    let rest = text
    if (skipping !== undefined) {
      const seen = skipping + text
      const end = blankLine.exec(seen)
      if (end === null) {
        skipping = seen.slice(-kept)
        return
      }
      skipping = undefined
      rest = seen.slice(end.index + end[0].length)
      refuse(dataOf(begun), seen.slice(0, end.index))
      begun = ""
    }
    given = false
    parser.feed(rest)
    const after = afterLast(rest)
    if (after !== undefined || given) begun = ""
    // The blank line that ended an event may have begun in the piece before.
    const open = after ?? (given ? rest.replace(/^[\r\n]+/, "") : rest)
    if (begun.length < kept) begun += open.slice(0, kept - begun.length)
    if (!tooLarge) return
    tooLarge = false
    parser.reset()
    skipping = open.slice(-kept)
    leaveOut(dataOf(begun))
  }
}

/** What of a piece belongs to the event that its end leaves open; undefined when no event ends in it. */
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

/** The data of an event's beginning. */
const dataOf = (begun: string): string => {
  const lines = /(?:^|[\r\n])data: ?([\s\S]*)$/.exec(begun)?.[1] ?? begun
  return lines.replaceAll(/(?:\r\n|\n|\r)data: ?/g, "\n")
}

const { kept } = Oversized

const blankLine = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)/
