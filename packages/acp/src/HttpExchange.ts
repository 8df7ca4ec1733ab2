/** One request; `signal` aborts the body of the response, too. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** Gets the pieces of a body synchronously, then its end once, with an error if it broke off. */
export interface Sink {
  readonly piece: (bytes: Uint8Array) => void
  readonly end: (error?: unknown) => void
}

/** The body of a response, pushed to its reader. */
export interface Body {
  /** Starts it; called once. */
  readonly read: (sink: Sink) => void
  /** Stops the sender; one more piece may still come. */
  readonly pause: () => void
  readonly resume: () => void
  /** Aborts it, read or not. */
  readonly cancel: () => void
}

/** A response at its head. */
export interface HttpResponse {
  readonly status: number
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** Every `Set-Cookie`, if the platform shows them. */
  readonly cookies: ReadonlyArray<string>
  readonly body: Body
}

/**
 * Sends one request and resolves at the head of the response.
 *
 * It follows no redirect, rejects only if no response comes, and has no time limit of its own.
 */
export type HttpExchange = (request: HttpRequest) => Promise<HttpResponse>

/** Uses `fetch`, which every runtime has. On Node, `@heddle/acp/node/UndiciExchange` costs a third less. */
export const fromFetch =
  (fetch: typeof globalThis.fetch = globalThis.fetch): HttpExchange =>
  async ({ url, ...init }) => {
    // A redirect would carry the token to another server.
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
        // The body has failed already.
      })
    }
  }
}
