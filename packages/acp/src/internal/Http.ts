import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { ChannelRefused, ConnectionLost } from "../AcpError.ts"
import type { TicketValue } from "../Ticket.ts"

/** Sends one request with the ticket's token; answers at the response's head and leaves the body to the caller. */
export const exchange = (
  fetch: typeof globalThis.fetch,
  ticket: TicketValue,
  link: string,
  init: { readonly method: "GET" | "POST"; readonly headers: Record<string, string>; readonly body?: string },
  controller: AbortController
): Effect.Effect<Response, ConnectionLost | ChannelRefused> =>
  Effect.tryPromise({
    try: (signal) => {
      signal.addEventListener("abort", () => controller.abort(), { once: true })
      return fetch(link, {
        ...init,
        headers: { ...init.headers, Authorization: `Bearer ${Redacted.value(ticket.token)}` },
        signal: controller.signal,
        // A redirect would carry the token to wherever the answer says.
        redirect: "manual"
      })
    },
    catch: (cause) =>
      new ConnectionLost({
        description: "The channel's server cannot be reached",
        sent: !refusedConnection(cause),
        cause: reasonOf(cause)
      })
  }).pipe(
    Effect.tap((response) =>
      response.status === 0 || (response.status >= 300 && response.status < 400)
        ? Effect.fail(
            new ChannelRefused({ status: response.status, description: "The channel's server redirects elsewhere" })
          )
        : Effect.void
    )
  )

/** Pushes a body's text to `feed`, synchronously for each piece; ends with the body. */
export const pump = (body: ReadableStream<Uint8Array>, feed: (text: string) => void) =>
  Effect.async<void, ConnectionLost>((resume) => {
    const reader = body.getReader()
    const decoder = new TextDecoder()
    const step = (): void => {
      reader.read().then(
        ({ done, value }) => {
          if (done) return resume(Effect.void)
          try {
            feed(decoder.decode(value, { stream: true }))
          } catch (defect) {
            return resume(Effect.die(defect))
          }
          step()
        },
        (cause: unknown) =>
          resume(
            Effect.fail(
              new ConnectionLost({ description: "The channel broke off", sent: true, cause: reasonOf(cause) })
            )
          )
      )
    }
    step()
    return Effect.promise(() =>
      reader.cancel().catch(() => {
        // The stream failed before it could be given up, which is as good.
      })
    )
  })

/** Reads a body of at most `maxBytes`; undefined when it is larger. */
export const text = (body: ReadableStream<Uint8Array> | null, maxBytes: number) => {
  if (body === null) return Effect.succeed("")
  let whole = ""
  return pump(body, (piece) => {
    if (whole.length <= maxBytes) whole += piece
  }).pipe(Effect.map(() => (whole.length > maxBytes ? undefined : whole)))
}

/** Gives up a body that nobody reads, so that its connection is free again. */
export const discard = (body: ReadableStream<Uint8Array> | null) =>
  Effect.promise(async () => {
    await body?.cancel().catch(() => {
      // A body that failed already needs no giving up.
    })
  })

const reasonOf = (cause: unknown): unknown =>
  cause instanceof Error && cause.cause !== undefined ? cause.cause : cause

const refusedConnection = (cause: unknown): boolean => {
  const reason = reasonOf(cause)
  const code = typeof reason === "object" && reason !== null && "code" in reason ? reason.code : undefined
  return code === "ECONNREFUSED" || code === "ENOTFOUND" || code === "EAI_AGAIN" || code === "EHOSTUNREACH"
}
