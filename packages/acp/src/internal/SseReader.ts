import { createParser } from "eventsource-parser"
import * as JsonRpc from "../JsonRpc.ts"
import type { Inbound } from "../Transport.ts"

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
    const reason = data.length > maxMessageChars ? "TooLarge" : "NotJsonRpc"
    listener.receive({ _tag: "Skipped", reason, sample: data.slice(0, 200) })
  }

  const parser = createParser({
    maxBufferSize: maxMessageChars,
    onEvent: ({ event, data, id }) => {
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
        skipping = seen.slice(-3)
        return
      }
      skipping = undefined
      rest = seen.slice(end.index + end[0].length)
    }
    parser.feed(rest)
    if (!tooLarge) return
    tooLarge = false
    parser.reset()
    skipping = rest.slice(-3)
    listener.receive({ _tag: "Skipped", reason: "TooLarge", sample: "" })
  }
}

const blankLine = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)/
