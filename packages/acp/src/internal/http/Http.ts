import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import { ChannelRefused, ConnectionLost } from "../../AcpError.ts"
import type { Body, HttpResponse, HttpExchange } from "../../HttpExchange.ts"
import * as Metrics from "../../Metrics.ts"
import type { TicketValue } from "../../Ticket.ts"

/** One request without link and token. */
export interface Call {
  readonly method: "GET" | "POST" | "DELETE"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends one request to the ticket's link, the only place for its token; ends at the head of the response. */
export const exchange = (
  http: HttpExchange,
  ticket: TicketValue,
  call: Call,
  controller: AbortController
): Effect.Effect<HttpResponse, ConnectionLost | ChannelRefused> => {
  const unusable = whyUnusable(ticket)
  if (unusable !== undefined) return Effect.fail(new ChannelRefused({ status: 0, description: unusable }))
  return Effect.tryPromise({
    try: (signal) => {
      signal.addEventListener("abort", () => controller.abort(), { once: true })
      return http({
        ...call,
        url: ticket.link,
        headers: { ...call.headers, Authorization: `Bearer ${Redacted.value(ticket.token)}` },
        signal: controller.signal
      })
    },
    catch: (cause) =>
      new ConnectionLost({
        description: "The channel's server cannot be reached",
        sent: !isUnreached(cause),
        cause: reasonOf(cause)
      })
  }).pipe(
    Effect.tap(({ body, status }) => {
      if (status !== 0 && (status < 300 || status >= 400)) return Effect.void
      body.cancel()
      return Effect.fail(new ChannelRefused({ status, description: "The channel's server redirects elsewhere" }))
    })
  )
}

/** Why no request can have this link and token. The platform would say it with their values. */
const whyUnusable = ({ link, token }: TicketValue): string | undefined => {
  const url = URL.canParse(link) ? new URL(link) : undefined
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
  if (!isPlain) return "The task's link is not a plain http or https address"
  return /^[\x21-\x7e]+$/.test(Redacted.value(token)) ? undefined : "The task's token cannot be sent"
}

/** Pushes the text of a body to `feed`, synchronously for each chunk, then its end to `done`, once. */
export const push = (
  body: Body,
  feed: (text: string) => void,
  done: (exit: Exit.Exit<void, ConnectionLost>) => void
) => {
  const decoder = new TextDecoder()
  body.read({
    piece: (bytes) => {
      Metrics.bytesReceived.unsafeUpdate(bytes.length, [])
      try {
        feed(decoder.decode(bytes, { stream: true }))
      } catch (defect) {
        body.cancel()
        done(Exit.die(defect))
      }
    },
    end: (cause) =>
      done(
        cause === undefined
          ? Exit.void
          : Exit.fail(new ConnectionLost({ description: "The channel broke off", sent: true, cause: reasonOf(cause) }))
      )
  })
}

/** Pushes the text of a body to `feed` and ends with the body. */
export const pump = (body: Body, feed: (text: string) => void) =>
  Effect.async<void, ConnectionLost>((resume) => {
    push(body, feed, resume)
    return Effect.sync(body.cancel)
  })

/** The text of a body; only its beginning where `complete` is false, because it is longer than the limit. */
export interface BodyText {
  readonly text: string
  readonly complete: boolean
}

/**
 * Reads a body of at most `maxLength` characters; the rest of a longer one is not read. Fails if the body does not end in
 * time. The timer starts at the first chunk, because a server may send nothing until the JSON-RPC response is ready.
 */
export const readText = (body: Body, maxLength: number, timeout: Duration.DurationInput) =>
  Effect.async<BodyText, ConnectionLost>((resume) => {
    let read = ""
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = (exit: Exit.Exit<BodyText, ConnectionLost>) => {
      clearTimeout(timer)
      resume(exit)
    }
    const giveUp = (exit: Exit.Exit<BodyText, ConnectionLost>) => {
      end(exit)
      body.cancel()
    }
    push(
      body,
      (chunk) => {
        if (read.length > maxLength) return
        timer ??= setTimeout(
          () =>
            giveUp(
              Exit.fail(new ConnectionLost({ description: "The channel's server does not end its answer", sent: true }))
            ),
          Duration.toMillis(timeout)
        )
        read += chunk
        if (read.length > maxLength) giveUp(Exit.succeed({ text: read, complete: false }))
      },
      (exit) => end(Exit.map(exit, () => ({ text: read, complete: true })))
    )
    return Effect.sync(() => {
      clearTimeout(timer)
      body.cancel()
    })
  })

const reasonOf = (cause: unknown): unknown =>
  cause instanceof Error && cause.cause !== undefined ? cause.cause : cause

const isUnreached = (cause: unknown): boolean => {
  const reason = reasonOf(cause)
  return typeof reason === "object" && reason !== null && "code" in reason && unreached.has(String(reason.code))
}

const unreached = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"])
