import type { InvalidRequest } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import * as ApiError from "./ApiError.ts"
import * as Secret from "./Secret.ts"

/** An `Idempotency-Key` with the body that it was sent with; both are stored as hashes. */
export interface IdempotencyKey {
  readonly keyHash: string
  readonly bodyHash: string
}

/** Reads the header; undefined when the request carries none. */
export const parse = (
  key: string | undefined,
  body: string
): Effect.Effect<IdempotencyKey | undefined, InvalidRequest> => {
  if (key === undefined) return Effect.succeed(undefined)
  return /^[\x21-\x7e]{1,255}$/.test(key)
    ? Effect.succeed({ keyHash: Secret.hash(key), bodyHash: Secret.hash(body) })
    : Effect.fail(ApiError.invalidRequest("The Idempotency-Key must be 1 to 255 visible ASCII characters."))
}
