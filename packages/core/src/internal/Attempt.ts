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
  /** Headers beyond those that the contract and the client give it. */
  readonly headers: Readonly<Record<string, string>>
  /** Receives what is known of the response, first from its headers and then from its body. */
  readonly onInfo: (info: ResponseInfo) => void
  /** Receives the whole response. */
  readonly onResponse?: ((response: RawResponse) => Effect.Effect<void>) | undefined
}

/** The attempt under way. */
export class CurrentAttempt extends Context.Reference<CurrentAttempt>()("@heddle/core/CurrentAttempt", {
  defaultValue: (): Attempt => ({
    operation: { name: "request", endpoint: "request", success: 200, enveloped: false, repeat: "once" },
    timeout: Duration.seconds(30),
    headers: {},
    onInfo: () => undefined
  })
}) {}
