import * as Protocol from "@heddle/core/api/AssistantProtocol"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { createParser } from "eventsource-parser"

/** How a stream of events is read. */
export interface Options {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Throws the error of a response that is no stream. */
  readonly checkResponse: (response: Response) => void
  readonly onEvent: (event: Protocol.Event) => void
}

/**
 * Reads the service's events until the stream ends. Fails when the service is silent for 45 seconds, or sends an event of
 * more than 1 MiB.
 */
export const read = async (options: Options, signal: AbortSignal): Promise<void> => {
  const silence = new AbortController()
  const watchdog = setTimeout(() => silence.abort(new Error("the service went silent")), SILENCE_MS)
  watchdog.unref()
  try {
    const response = await fetch(options.url, {
      headers: { ...options.headers, accept: "text/event-stream" },
      redirect: "manual",
      signal: AbortSignal.any([signal, silence.signal])
    })
    options.checkResponse(response)
    if (response.status !== 200 || response.body === null) throw new Error(`status ${response.status}`)
    const parser = createParser({
      onEvent: ({ data, event }) => Option.map(decode({ event, data }), options.onEvent),
      maxBufferSize: maxEventChars,
      onError: (error) => {
        if (error.type === "max-buffer-size-exceeded") throw new Error("the service sent an event that does not end")
      }
    })
    const decoder = new TextDecoder()
    for await (const chunk of response.body) {
      watchdog.refresh()
      parser.feed(decoder.decode(chunk, { stream: true }))
    }
  } finally {
    clearTimeout(watchdog)
  }
}

/** Events are a few KiB: what is longer would fill the memory. */
const maxEventChars = 1024 * 1024

/** Three comments of the service, in milliseconds. */
const SILENCE_MS = 45_000

const json = Schema.parseJson
const decode = Schema.decodeUnknownOption(
  Schema.Union(
    Schema.Struct({ event: Schema.Literal("welcome"), data: json(Protocol.Welcome) }),
    Schema.Struct({ event: Schema.Literal("message"), data: json(Protocol.Message) }),
    Schema.Struct({ event: Schema.Literal("answer"), data: json(Protocol.QuestionResponse) }),
    Schema.Struct({
      event: Schema.Literal("replaced", "revoked"),
      data: json(Schema.Record({ key: Schema.String, value: Schema.Never }))
    })
  )
)
