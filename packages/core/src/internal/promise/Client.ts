import type { Variant } from "../../Assistant.ts"
import type { Groups } from "./Groups.ts"
import type * as Runner from "./Runner.ts"
import type { TokenSource } from "./Token.ts"

/** Options of one write. */
export interface WriteOptions extends Runner.CallOptions {
  /**
   * Names this write, so that it can be repeated safely at a service that keeps such keys. Such a service gets it again
   * when the answer is lost; at others the call rejects as `OutcomeUnknown`. Keep it to send the same write again after a restart.
   */
  readonly idempotencyKey?: string | undefined
}

/** The service, the user's access token, and the defaults of calls. */
export interface ClientOptions extends Runner.Defaults {
  readonly baseUrl: string
  readonly accessToken: TokenSource
  /** Allows `http` beyond this machine, which sends the token unencrypted. */
  readonly allowInsecure?: boolean | undefined
  /** Used instead of the platform's own `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** The `User-Agent` of requests; browsers send their own. */
  readonly userAgent?: string | undefined
  /** Whether the service takes permission answers: `A` does, `B` does not, `auto` finds out with the first one. */
  readonly assistantVariant?: Variant | undefined
  /** Whether the service keeps idempotency keys; by default `auto`: once an answer carried `Accept-Idempotency-Key`. */
  readonly idempotencyKeys?: "auto" | boolean | undefined
}

/**
 * The Open API for one user. Each call takes its options last. It rejects with one of this module's errors, with the
 * reason of its `signal`, or with the rejection of the access token's source.
 */
export interface Client extends Groups, AsyncDisposable {
  /** Interrupts all running calls, and rejects further ones with `ClientClosed`. */
  readonly close: () => Promise<void>
}
