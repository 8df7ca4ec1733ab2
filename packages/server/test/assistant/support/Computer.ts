import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createParser } from "eventsource-parser"
import * as Api from "../../support/Api.ts"

interface Event {
  readonly event: string | undefined
  readonly data: Record<string, string>
}

/** A computer's program, by hand: its events as they come, and what it says. */
export const computer = (service: { readonly at: (path: string) => string }, token: string, instance: string) => {
  const headers = { authorization: `Bearer ${token}`, "heddle-assistant-instance": instance }
  const events: Array<Event> = []
  const over = new AbortController()
  const connect = Effect.promise(async () => {
    const response = await fetch(service.at("/assistant/v1/events"), { headers, signal: over.signal })
    const parser = createParser({ onEvent: ({ data, event }) => events.push({ event, data: JSON.parse(data) }) })
    const read = async () => {
      const text = new TextDecoder()
      for await (const piece of response.body ?? []) parser.feed(text.decode(piece, { stream: true }))
    }
    // The end of the stream is seen by what the service says of it.
    read().catch(() => {})
  }).pipe(Effect.zipRight(Effect.addFinalizer(() => Effect.sync(() => over.abort()))))
  const post = (path: string, json: unknown) =>
    Api.request(service, `/assistant/v1${path}`, Api.withToken(token, { json, headers }))
  const next = (event: string, within: Duration.DurationInput = "5 seconds") =>
    Stream.repeatEffect(Effect.sync(() => events.findIndex((each) => each.event === event))).pipe(
      Stream.tap((found) => (found < 0 ? Effect.sleep("10 millis") : Effect.void)),
      Stream.filter((found) => found >= 0),
      Stream.runHead,
      Effect.flatten,
      Effect.map((found) => events.splice(found, 1)[0]?.data ?? {}),
      Effect.timeout(within),
      Effect.orDie
    )
  return {
    connect,
    post,
    next,
    events,
    leave: Effect.sync(() => over.abort()),
    reply: (id: unknown, text: string) => post(`/messages/${String(id)}/reply`, { msgType: "text", text })
  }
}
