import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { RawResponse } from "../CallOptions.ts"
import type { Operation } from "../Operation.ts"

/** The status and request id of a response. */
export interface ResponseInfo {
  readonly status: number
  readonly requestId: string | undefined
}

/** One attempt at an operation, as the transport below the derived client sees it. */
export interface Attempt {
  readonly operation: Operation
  /** How long it may take, from its first byte to the last byte of its answer. */
  readonly timeout: Duration.Duration
  /** Extra headers, besides those of the contract and the client. */
  readonly headers: Readonly<Record<string, string>>
  /** Receives the status and request id, first from the headers and then from the body. */
  readonly onInfo: (info: ResponseInfo) => void
  /** Receives the whole response. */
  readonly onResponse?: ((response: RawResponse) => Effect.Effect<void>) | undefined
}

/** The current attempt. */
export class CurrentAttempt extends Context.Reference<CurrentAttempt>()("@heddle/core/CurrentAttempt", {
  defaultValue: (): Attempt => ({
    operation: { name: "request", endpoint: "request", successStatus: 200, enveloped: false, repeat: "once" },
    timeout: Duration.seconds(30),
    headers: {},
    onInfo: () => undefined
  })
}) {}
