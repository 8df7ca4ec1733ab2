import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Answered } from "../CallOptions.ts"
import type { Operation } from "../Operation.ts"

/** What an answer says of itself, whatever its body. */
export interface Answer {
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
  /** Is told of the answer as soon as it has been read. */
  readonly onAnswer: (answer: Answer) => void
  /** Is given the whole answer, where the caller wants it. */
  readonly onResponse?: ((answer: Answered) => Effect.Effect<void>) | undefined
}

/** The attempt under way. */
export class CurrentAttempt extends Context.Reference<CurrentAttempt>()("@heddle/core/CurrentAttempt", {
  defaultValue: (): Attempt => ({
    operation: { name: "request", endpoint: "request", success: 200, enveloped: false, repeat: "once" },
    timeout: Duration.seconds(30),
    headers: {},
    onAnswer: () => undefined
  })
}) {}
