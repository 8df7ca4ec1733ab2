/** One request; `signal` gives up the answer's body, too. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** Gets a body's pieces synchronously, then its end once: with an error when it broke off. */
export interface Sink {
  readonly piece: (bytes: Uint8Array) => void
  readonly end: (error?: unknown) => void
}

/** The body of an answer, pushed to whoever reads it. */
export interface Body {
  /** Starts it; called once. */
  readonly read: (sink: Sink) => void
  /** Stops the pieces, and with them the sender; one that is on its way may still come. */
  readonly pause: () => void
  readonly resume: () => void
  /** Gives it up, read or not. */
  readonly cancel: () => void
}

/** An answer at its head. */
export interface HttpAnswer {
  readonly status: number
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** Every `Set-Cookie`, as far as the platform shows them. */
  readonly cookies: ReadonlyArray<string>
  readonly body: Body
}

/**
 * How a transport reaches its server: one request out, the answer at its head, its body pushed.
 *
 * It never follows a redirect, rejects only when no answer comes, and sets no time limit of its own.
 */
export type HttpExchange = (request: HttpRequest) => Promise<HttpAnswer>

/** Exchanges by `fetch`, which every runtime has. On Node, `@heddle/acp/node/UndiciExchange` costs a third less. */
export const fromFetch =
  (fetch: typeof globalThis.fetch = globalThis.fetch): HttpExchange =>
  async ({ url, ...init }) => {
    // A redirect would carry the token to wherever the answer says.
    const response = await fetch(url, { ...init, redirect: "manual" })
    return {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      cookies: response.headers.getSetCookie(),
      body: pushed(response.body)
    }
  }

const pushed = (stream: ReadableStream<Uint8Array> | null): Body => {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  let proceed: (() => void) | undefined
  let paused = false

  const pull = (from: ReadableStreamDefaultReader<Uint8Array>, sink: Sink): void => {
    if (paused) {
      proceed = () => pull(from, sink)
      return
    }
    from.read().then(
      ({ done, value }) => {
        if (done) return sink.end()
        sink.piece(value)
        pull(from, sink)
      },
      (error: unknown) => sink.end(error)
    )
  }

  return {
    read: (sink) => {
      if (stream === null) return sink.end()
      reader = stream.getReader()
      pull(reader, sink)
    },
    pause: () => {
      paused = true
    },
    resume: () => {
      paused = false
      const go = proceed
      proceed = undefined
      go?.()
    },
    cancel: () => {
      ;(reader ?? stream)?.cancel().catch(() => {
        // A body that failed already needs no giving up.
      })
    }
  }
}
