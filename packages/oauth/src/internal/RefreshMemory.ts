import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { ActiveGrant } from "./ActiveGrant.ts"
import * as MonotonicClock from "@heddle/core/MonotonicClock"
import * as RefreshDecision from "./RefreshDecision.ts"

/** What this process remembers of the refreshes of each grant. */
export interface RefreshMemory {
  readonly failed: (grant: ActiveGrant, error: OpenApiError) => Effect.Effect<void>
  readonly succeeded: (grant: ActiveGrant) => Effect.Effect<void>
  /** The service refused a token right after its renewal. */
  readonly refusedAgain: (grantId: string, token: Redacted.Redacted) => Effect.Effect<void>
  /** Why no refresh of the grant may be sent now, and whether its token was refused right after its renewal. */
  readonly recall: (
    grant: ActiveGrant
  ) => Effect.Effect<{ readonly failure: OpenApiError | undefined; readonly isRefusedAgain: boolean }>
  readonly forget: (grantId: string) => void
}

export const make = (): RefreshMemory => {
  const failures = new Map<string, RefreshDecision.RefreshFailure>()
  const refusals = new Map<string, RefreshDecision.Refusal>()
  return {
    failed: ({ id, version }, error) =>
      Effect.map(MonotonicClock.now, (now) => {
        failures.set(id, RefreshDecision.addFailure(failures.get(id), version, error, now))
      }),
    succeeded: ({ id }) => Effect.sync(() => void failures.delete(id)),
    refusedAgain: (grantId, token) =>
      Effect.map(MonotonicClock.now, (now) => {
        refusals.set(grantId, RefreshDecision.addRefusal(refusals.get(grantId), token, now))
      }),
    recall: ({ id, tokens, version }) =>
      Effect.map(MonotonicClock.now, (now) => ({
        failure: RefreshDecision.failureOf(failures.get(id), version, now),
        isRefusedAgain: RefreshDecision.isRefused(refusals.get(id), tokens, now)
      })),
    forget: (grantId) => {
      failures.delete(grantId)
      refusals.delete(grantId)
    }
  }
}
